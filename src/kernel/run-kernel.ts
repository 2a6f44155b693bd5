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
import { requireColumns } from '../stream/stream-columns.js';
import { compileKernel } from './kernel-file.js';
import type { KernelBatch, KernelEnd, KernelFacts, KernelModule, KernelReply, KernelTask } from './kernel-work.js';

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
  const url = await compileKernel(file);
  const pool = await startWorkers('kernel-worker', workers);
  try {
    await Promise.all(Array.from({ length: workers }, () => pool.run({}))); // from here on, the kernel takes the time
    const module: KernelModule = { url, file };
    const facts = await inTime(pool.run<KernelFacts>(module), 'its top level', mostSeconds);
    requireColumns(facts.columns, input.catalog);
    const columns = facts.columns.map((name) => new PackedColumn(name, input, { hasNone: true }));
    const count = facts.ordered ? 1 : workers;
    const words = columns.map((column) => column.words);
    const lanes = Array.from({ length: count }, () => {
      const { port1, port2 } = new MessageChannel();
      const task: KernelTask = { url, file, port: port2, words };
      return new Lane(port1, pool.run<void>(task, [port2]), mostSeconds);
    });
    let next = 0;
    for await (const batch of readPacked(input, columns, engine, workers)) {
      await lanes[next++ % count].send(batch);
      onRows(batch.count);
    }
    const states = await Promise.all(lanes.map((lane) => lane.end()));
    const end: KernelEnd = { url, file, states };
    return await inTime(pool.run(end), 'end() or merge()', mostSeconds);
  } catch (error) {
    if (error instanceof DprofError) throw error;
    throw new DprofError(`${file}: ${(error as Error).message}`, 'docs/kernels.md says what a kernel gets');
  } finally {
    await pool.destroy();
  }
}

function inTime<Result>(work: Promise<Result>, what: string, mostSeconds: number): Promise<Result> {
  return new Promise((done, fail) => {
    const late = () => fail(new Error(`${what} has not ended for ${mostSeconds} s (--limit)`));
    const timer = setTimeout(late, mostSeconds * 1000);
    work.then(done, fail).finally(() => clearTimeout(timer));
  });
}

/** The way to one worker. */
class Lane {
  #waiting = 0;
  #wake: () => void = () => {};
  #failure: Error | null = null;
  #state: { readonly state: unknown } | null = null;

  constructor(
    private readonly port: MessagePort,
    work: Promise<void>,
    private readonly mostSeconds: number,
  ) {
    port.on('message', (reply: KernelReply) => {
      if (reply !== 'next') this.#state = reply;
      this.#waiting--;
      this.#wake();
    });
    work.catch((error: Error) => {
      this.#failure = error;
      this.#wake();
    });
  }

  async send(batch: PackedBatch): Promise<void> {
    while (this.#waiting >= MOST_WAITING) await this.#change();
    const buffers = batch.columns.flatMap(({ values, validity }) =>
      [values.buffer, validity?.buffer].filter((buffer) => buffer instanceof ArrayBuffer),
    );
    this.#post(batch, [...new Set(buffers)]);
  }

  /** The state in which all was counted. */
  async end(): Promise<unknown> {
    this.#post(null, []);
    while (this.#state === null) await this.#change();
    return this.#state.state;
  }

  #post(batch: KernelBatch, transferred: ArrayBuffer[]): void {
    if (this.#failure) throw this.#failure;
    this.#waiting++;
    this.port.postMessage(batch, transferred);
  }

  #change(): Promise<void> {
    if (this.#failure) throw this.#failure;
    const changed = new Promise<void>((done, fail) => {
      this.#wake = () => (this.#failure ? fail(this.#failure) : done());
    });
    return inTime(changed, 'batch()', this.mostSeconds);
  }
}
