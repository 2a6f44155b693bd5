// Stage: replay. Runs an engine on a worker thread, so that the caller stays responsive and can read the progress that
// the engine writes.

import { existsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Piscina } from 'piscina';
import { DprofError } from '../base/dprof-error.js';
import type { ReplayInput } from '../contract/input.js';
import type { Machine } from '../contract/machine.js';
import type { ReplayResult } from '../contract/result.js';

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

/** The worker's answer. An error loses its class on the way, so its parts are sent. */
export type ReplayAnswer =
  | { readonly results: ReplayResult[] }
  | { readonly failure: { message: string; hint: string; exitCode: 1 | 2 } };

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
  const pool = new Piscina({ filename: locateWorker(), minThreads: 1, maxThreads: 1 });
  const timer = onProgress && setInterval(() => onProgress(counts[0], counts[1]), PROGRESS_MS);
  try {
    const answer = (await pool.run({
      input: { ...input, progress, spill: input.spill ?? spillPlace() },
      otherMachines,
      engine,
      workers,
    })) as ReplayAnswer;
    if ('results' in answer) return answer.results;
    const { message, hint, exitCode } = answer.failure;
    throw new DprofError(message, hint, exitCode);
  } finally {
    clearInterval(timer);
    await pool.destroy();
  }
}

/** The place for objects that have ended. */
export function spillPlace(): NonNullable<ReplayInput['spill']> {
  return { folder: tmpdir(), memoryBytes: OBJECT_BYTES };
}

/** Workers load the bundled JavaScript of bin/dprof, wherever this module runs from. */
export function locateWorker(name = 'replay-worker'): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, `dist/command/${name}.js`);
    if (existsSync(path)) return path;
  }
  throw new DprofError('the replay worker is not compiled', "run 'npm run build'");
}
