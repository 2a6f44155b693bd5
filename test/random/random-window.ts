// A seed to a window of a made-up run: borders of every kind, before, in and behind it, in any order.

import { BORDERS, type Border, type ReplayWindow } from '../../src/contract/window.js';
import type { MadeUpRun } from './made-up-run.js';
import type { RandomNumbers } from './random-numbers.js';

export const MARK_TEXTS = ['', 'sort', 'größer'] as const;

export function randomWindow(random: RandomNumbers, run: MadeUpRun): ReplayWindow {
  const stamps = run.steps.flatMap(({ step }): bigint[] => {
    if (step === null) return [];
    if ('path' in step) return step.stamped ? [step.stamped.stamp] : [];
    return step.stamp !== undefined ? [step.stamp] : [];
  });
  const border = (): Border => {
    const kind = random.below(4);
    if (kind === 0 && stamps.length > 0)
      return { kind: 'stamp', stamp: stamps[random.below(stamps.length)] + BigInt(random.below(2)) };
    if (kind === 1) return { kind: 'mark', name: random.pick(MARK_TEXTS), occurrence: random.between(1, 2) };
    return { kind: 'reference', references: random.below(1 << random.below(12)) };
  };
  return Object.fromEntries(BORDERS.filter(() => random.chance(60)).map((name) => [name, border()]));
}
