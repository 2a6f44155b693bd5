// Stage: replay. Runs an engine on another thread, so that the caller stays responsive and can read the progress that
// the engine writes: the native one on a thread of its own, the specification on a worker.

import { availableParallelism, tmpdir } from 'node:os';
import type { ReplayInput } from '../contract/input.js';
import type { Machine } from '../contract/machine.js';
import type { ReplayResult } from '../contract/result.js';
import { replayInBackground } from './native-engine.js';
import { runWorker } from './worker.js';

export const ENGINES = ['native', 'ts'] as const;
export type EngineName = (typeof ENGINES)[number];

export interface ReplayOptions {
  readonly engine: EngineName;
  /** Threads to use at most, by default as many as there are processors; the result does not depend on it. */
  readonly workers?: number;
  /**
   * Called about four times a second with references done (less than 0: seen by a pass ahead of the replay) and an
   * estimate of all (0: unknown).
   */
  readonly onProgress?: (done: number, total: number) => void;
}

const PROGRESS_MS = 250;
/** The memory for objects that have ended, in bytes. It is enough for short runs, which need no file. */
const OBJECT_BYTES = 16 << 20;

export async function replay(input: ReplayInput, options: ReplayOptions): Promise<ReplayResult> {
  return (await replayTogether(input, [], options))[0];
}

/**
 * The results of the input's machine, and of others that lay references out alike (`layOutAlike`): the native engine
 * decodes the trace once.
 */
export async function replayTogether(
  input: ReplayInput,
  otherMachines: readonly Machine[],
  { engine, workers = availableParallelism(), onProgress }: ReplayOptions,
): Promise<ReplayResult[]> {
  const progress = input.progress ?? new SharedArrayBuffer(16);
  const counts = new Float64Array(progress);
  const timer = onProgress && setInterval(() => onProgress(counts[0], counts[1]), PROGRESS_MS);
  const whole = { ...input, progress, spill: input.spill ?? spillPlace() };
  try {
    if (engine === 'native') return await replayInBackground(whole, otherMachines, workers);
    return await runWorker<ReplayResult[]>('replay-worker', { input: whole, otherMachines });
  } finally {
    clearInterval(timer);
  }
}

/** The place for objects that have ended. */
export function spillPlace(): NonNullable<ReplayInput['spill']> {
  return { folder: tmpdir(), memoryBytes: OBJECT_BYTES };
}
