// Stage: replay. One piece of TypeScript's work on a worker thread. An error loses its class on the way, so its parts
// are sent.

import { existsSync } from 'node:fs';
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
    if (!(error instanceof DprofError)) throw error;
    const { message, hint, exitCode } = error;
    return { failure: { message, hint, exitCode } };
  }
}

/** `name`: of a file in workers/. */
export async function runWorker<Value>(name: string, task: object): Promise<Value> {
  const { Piscina } = await import('piscina'); // which most commands do without
  const pool = new Piscina({ filename: locateWorker(name), minThreads: 1, maxThreads: 1 });
  try {
    const answer = (await pool.run(task)) as WorkerAnswer<Value>;
    if ('done' in answer) return answer.done;
    const { message, hint, exitCode } = answer.failure;
    throw new DprofError(message, hint, exitCode);
  } finally {
    await pool.destroy();
  }
}

/** Workers load the bundled JavaScript of bin/dprof, wherever this module runs from. */
function locateWorker(name: string): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, `dist/command/${name}.js`);
    if (existsSync(path)) return path;
  }
  throw new DprofError(`the ${name} is not compiled`, "run 'npm run build'");
}
