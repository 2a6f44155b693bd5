// Stage: replay. The steps of a live trace's worker, one at a time; each waits inside the addon for as long as it
// takes.

import { addonInput, loadAddon, typedError, type LiveAnswer, type LiveStop } from './native-engine.js';
import type { ReplayInput } from '../contract/input.js';

export type LiveStep =
  | { readonly step: 'await'; readonly id: number }
  | { readonly step: 'collect'; readonly id: number }
  | {
      readonly step: 'replay';
      readonly id: number;
      readonly input: ReplayInput | null;
      readonly knownBytes: number;
      readonly mostThreads: number;
      readonly workers: number;
    };

export function takeLiveStep(step: LiveStep): LiveStop | LiveAnswer {
  const addon = loadAddon();
  try {
    if (step.step === 'await') return addon.awaitLive(step.id);
    if (step.step === 'collect') return addon.collectLive(step.id);
    return addon.replayLive(
      step.id,
      step.input && addonInput(step.input, step.workers),
      step.knownBytes,
      step.mostThreads,
    );
  } catch (error) {
    throw typedError(error, 'the trace of this run: ');
  }
}
