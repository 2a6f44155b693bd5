// Stage: replay. One piece of TypeScript's work on a worker thread. An error loses its class on the way, so its parts
// are sent.

import { existsSync } from 'node:fs';
import type { Transferable } from 'node:worker_threads';
import { dirname, join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';

export type WorkerAnswer<Value> =
  | { readonly done: Value }
  | { readonly failure: { readonly message: string; readonly hint: string; readonly exitCode: 1 | 2 } };

/** For a worker's entry. */
export function answer<Value>(work: () => Value): WorkerAnswer<Value> {
  try {
    return { done: work() };
  } catch (error) {
    return failureOf(error);
  }
}

export async function answerLater<Value>(work: () => Promise<Value>): Promise<WorkerAnswer<Value>> {
  try {
    return { done: await work() };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): WorkerAnswer<never> {
  if (!(error instanceof DprofError)) throw error;
  const { message, hint, exitCode } = error;
  return { failure: { message, hint, exitCode } };
}

export interface Workers {
  run<Value>(task: object, transfer?: readonly Transferable[]): Promise<Value>;
  destroy(): Promise<void>;
}

/** `name`: of a file in workers/. */
export async function startWorkers(name: string, count: number): Promise<Workers> {
  const { Piscina } = await import('piscina'); // which most commands do without
  const pool = new Piscina({
    filename: locateWorker('entry.cjs'),
    workerData: { file: locateWorker(`${name}.js`) },
    minThreads: count,
    maxThreads: count,
  });
  return {
    run: async <Value>(task: object, transfer: readonly Transferable[] = []) => {
      const answered = (await pool.run(task, { transferList: [...transfer] })) as WorkerAnswer<Value>;
      if ('done' in answered) return answered.done;
      const { message, hint, exitCode } = answered.failure;
      throw new DprofError(message, hint, exitCode);
    },
    destroy: () => pool.destroy(),
  };
}

/** One task on one worker. */
export async function runWorker<Value>(name: string, task: object): Promise<Value> {
  const pool = await startWorkers(name, 1);
  try {
    return await pool.run<Value>(task);
  } finally {
    await pool.destroy();
  }
}

/** Workers load the bundled JavaScript of bin/dprof, wherever this module runs from. */
export function locateWorker(file: string): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'dist/command', file);
    if (existsSync(path)) return path;
  }
  throw new DprofError(`${file} is not compiled`, "run 'npm run build'");
}
