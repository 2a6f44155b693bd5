// Stage: stream -> kernel -> answer. The references of a replay go to workers, a batch at a time; their states become
// one, and its end is the answer.

import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { DprofError } from '../base/dprof-error.js';
import type { ReplayInput } from '../contract/input.js';
import type { EngineName } from '../replay/replay.js';
import { startWorkers } from '../replay/worker.js';
import { PackedColumn } from '../stream/packed-column.js';
import { readPacked, type PackedBatch } from '../stream/read-references.js';
import { Counts, type Kernel } from './kernel.js';
import { compileKernel, loadKernel } from './kernel-file.js';
import type { KernelTask } from './kernel-work.js';

/** Batches on their way to a worker. */
const MOST_WAITING = 3;

export interface KernelRequest {
  readonly file: string;
  readonly engine: EngineName;
  readonly workers?: number;
  /** A batch that takes longer will never end. */
  readonly mostSeconds: number;
  readonly onRows: (count: number) => void;
}

export async function runKernel(input: ReplayInput, request: KernelRequest): Promise<unknown> {
  const { file, engine, workers = availableParallelism(), mostSeconds, onRows } = request;
  const compiled = await compileKernel(file);
  try {
    const made = await loadKernel(compiled.url, file);
    const columns = made.columns.map((name) => new PackedColumn(name, input, { hasNone: true }));
    const count = made.ordered === true ? 1 : workers;
    const pool = await startWorkers('kernel-worker', count);
    try {
      const words = columns.map((column) => column.words);
      const lanes = Array.from({ length: count }, () => {
        const { port1, port2 } = new MessageChannel();
        const task: KernelTask = { url: compiled.url, file, port: port2, words };
        return new Lane(port1, pool.run<unknown>(task, [port2]), mostSeconds);
      });
      let next = 0;
      for await (const batch of readPacked(input, columns, engine, workers)) {
        await lanes[next++ % count].send(batch);
        onRows(batch.count);
      }
      const states = await Promise.all(lanes.map((lane) => lane.end()));
      return answerOf(made, states, file);
    } catch (error) {
      if (error instanceof DprofError) throw error;
      throw new DprofError(`${file}: ${(error as Error).message}`, 'docs/kernels.md says what a kernel gets');
    } finally {
      await pool.destroy();
    }
  } finally {
    compiled.close();
  }
}

/** The way to one worker. */
class Lane {
  #waiting = 0;
  #wake: () => void = () => {};
  #failure: Error | null = null;

  constructor(
    private readonly port: MessagePort,
    private readonly state: Promise<unknown>,
    private readonly mostSeconds: number,
  ) {
    port.on('message', () => {
      this.#waiting--;
      this.#wake();
    });
    state.catch((error: Error) => {
      this.#failure = error;
      this.#wake();
    });
  }

  async send(batch: PackedBatch): Promise<void> {
    while (this.#waiting >= MOST_WAITING) await this.#change();
    if (this.#failure) throw this.#failure;
    this.#waiting++;
    const buffers = batch.columns.flatMap(({ values, validity }) =>
      [values.buffer, validity?.buffer].filter((buffer) => buffer instanceof ArrayBuffer),
    );
    this.port.postMessage(batch, [...new Set(buffers)]);
  }

  async end(): Promise<unknown> {
    while (this.#waiting > 0) await this.#change();
    this.port.postMessage(null);
    return this.state;
  }

  #change(): Promise<void> {
    if (this.#failure) throw this.#failure;
    return new Promise((done, fail) => {
      const late = () => fail(new Error(`batch() has not ended for ${this.mostSeconds} s (--limit)`));
      const timer = setTimeout(late, this.mostSeconds * 1000);
      this.#wake = () => {
        clearTimeout(timer);
        if (this.#failure) fail(this.#failure);
        else done();
      };
    });
  }
}

function answerOf(made: Kernel, states: readonly unknown[], file: string): unknown {
  const merge = made.merge ?? addCounts;
  const call = <Result>(name: string, work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw new DprofError(`${file}: ${name} threw: ${(error as Error)?.message ?? String(error)}`, 'docs/kernels.md');
    }
  };
  const state = states.reduce((a, b) => {
    const both = call('merge()', () => merge(a, b));
    if (both === undefined) throw new DprofError(`${file}: merge(a, b) returned nothing`, 'return the state of both');
    return both;
  });
  const counts = made.start === undefined ? new Counts(state as Map<string, number>) : state;
  return made.end === undefined ? counts : call('end()', () => made.end!(counts));
}

function addCounts(a: unknown, b: unknown): unknown {
  const sum = new Counts(a as Map<string, number>);
  for (const [key, count] of b as Map<string, number>) sum.add(key, count);
  return sum;
}
