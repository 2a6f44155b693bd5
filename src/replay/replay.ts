// Stage: replay. Runs an engine on a worker thread, so that the caller stays responsive and can read the progress that the engine writes.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { Piscina } from 'piscina';
import { DprofError } from '../base/dprof-error.js';
import type { ReplayInput } from './input.js';
import type { ReplayResult } from './result.js';

export const ENGINES = ['native', 'ts'] as const;
export type EngineName = (typeof ENGINES)[number];

export interface ReplayOptions {
  readonly engine: EngineName;
  /** Threads to use at most, by default as many as there are processors; the result does not depend on it. */
  readonly workers?: number;
  /** Called about four times a second with references done and an estimate of all (0: unknown). */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What the worker sends back: errors lose their class on the way, so their parts travel. */
export type ReplayAnswer = { readonly result: ReplayResult } | { readonly failure: { message: string; hint: string; exitCode: 1 | 2 } };

const PROGRESS_MS = 250;

export async function replay(input: ReplayInput, { engine, workers = availableParallelism(), onProgress }: ReplayOptions): Promise<ReplayResult> {
  const progress = input.progress ?? new SharedArrayBuffer(16);
  const counts = new Float64Array(progress);
  const pool = new Piscina({ filename: locateWorker(), minThreads: 1, maxThreads: 1 });
  const timer = onProgress && setInterval(() => onProgress(counts[0], counts[1]), PROGRESS_MS);
  try {
    const answer = (await pool.run({ input: { ...input, progress }, engine, workers })) as ReplayAnswer;
    if ('result' in answer) return answer.result;
    const { message, hint, exitCode } = answer.failure;
    throw new DprofError(message, hint, exitCode);
  } finally {
    clearInterval(timer);
    await pool.destroy();
  }
}

/** Workers load compiled JavaScript, wherever this module runs from. */
export function locateWorker(name = 'replay-worker'): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, `dist/workers/${name}.js`);
    if (existsSync(path)) return path;
  }
  throw new DprofError('the replay worker is not compiled', "run 'npm run build'");
}
