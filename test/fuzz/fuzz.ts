// Stage: test. `npm run fuzz`: both engines on seeded random runs, machines and schedules, as long as one likes. The
// first seed for which they differ ends it, and is printed small and drawn. Options: --first SEED, --count SEEDS or
// --minutes MINUTES, --workers THREADS.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { RandomCases } from '../random/random-case.js';
import { Comparison } from './engines.js';
import { failureOf } from './report.js';

const BLOCK = 64;
const PROGRESS_MS = 10_000;

interface Work {
  readonly first: number;
  readonly count: number;
  readonly until: number;
  /** [blocks taken, seeds done, whether to stop]. */
  readonly shared: SharedArrayBuffer;
}

function work({ first, count, until, shared }: Work): void {
  const state = new Int32Array(shared);
  const [cases, comparison] = [new RandomCases(), new Comparison()];
  try {
    while (Atomics.load(state, 2) === 0 && Date.now() < until) {
      const begin = Atomics.add(state, 0, 1) * BLOCK;
      if (begin >= count) return;
      for (let seed = first + begin; seed < first + Math.min(begin + BLOCK, count); seed++) {
        const failure = failureOf(seed, cases, comparison);
        if (failure !== undefined) {
          Atomics.store(state, 2, 1);
          parentPort?.postMessage(failure);
          return;
        }
        Atomics.add(state, 1, 1);
      }
    }
  } finally {
    comparison.close();
  }
}

function number(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`--${name} ${text} is no number`);
  return Number(text);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      first: { type: 'string' },
      count: { type: 'string' },
      minutes: { type: 'string' },
      workers: { type: 'string' },
    },
  });
  const begin = Date.now();
  const first = number('first', values.first, 1);
  const minutes = number('minutes', values.minutes, Infinity);
  const count = number('count', values.count, minutes === Infinity ? 1_000_000 : 2 ** 31 - BLOCK);
  const shared = new SharedArrayBuffer(12);
  const state = new Int32Array(shared);
  const data: Work = { first, count, until: begin + minutes * 60_000, shared };
  const say = (): void =>
    void process.stdout.write(
      `${Atomics.load(state, 1)} seeds from ${first} on, ${((Date.now() - begin) / 1000).toFixed(0)} s\n`,
    );
  const timer = setInterval(say, PROGRESS_MS);
  const workers = Array.from(
    { length: number('workers', values.workers, availableParallelism()) },
    () => new Worker(new URL(import.meta.url), { workerData: data }),
  );
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve) => {
          worker.on('message', (failure: string) => {
            process.exitCode = 1;
            process.stdout.write(`${failure}\n`);
          });
          worker.on('error', (error) => {
            Atomics.store(state, 2, 1);
            process.exitCode = 1;
            process.stdout.write(`${error.stack ?? error.message}\n`);
          });
          worker.on('exit', () => resolve());
        }),
    ),
  );
  clearInterval(timer);
  say();
  if (process.exitCode !== 1) process.stdout.write('the engines agree, with 1, 2 and 4 workers\n');
}

if (isMainThread) await main();
else work(workerData as Work);
