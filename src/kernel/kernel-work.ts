// Stage: kernel. A worker's part: batches come through a port, one after the other, and are counted in one state.

import type { MessagePort } from 'node:worker_threads';
import { hasValue } from '../stream/validity.js';
import type { PackedBatch } from '../stream/read-references.js';
import type { ColumnName } from '../stream/stream-columns.js';
import { Counts, WideNumbers, Words, type Kernel, type Rows } from './kernel.js';
import { loadKernel, messageOf } from './kernel-file.js';

export interface KernelModule {
  readonly url: string;
  readonly file: string;
}

export interface KernelTask extends KernelModule {
  readonly port: MessagePort;
  /** By column of the kernel; null: of numbers. */
  readonly words: readonly (readonly string[] | null)[];
}

/** null: there are no more. */
export type KernelBatch = PackedBatch | null;
/** A batch is counted; behind the last one, the state. */
export type KernelReply = 'next' | { readonly state: unknown };

/** What is to be known before it runs. */
export interface KernelFacts {
  readonly columns: readonly ColumnName[];
  readonly ordered: boolean;
}

export async function factsOf({ url, file }: KernelModule): Promise<KernelFacts> {
  const { columns, ordered } = await loadKernel(url, file);
  return { columns: [...columns], ordered: ordered === true };
}

/** Until all batches have come, and the state has gone. */
export async function workOn({ url, file, port, words }: KernelTask): Promise<void> {
  const made = await loadKernel(url, file);
  const dictionaries = words.map((all) => all && [...all, null]);
  let state = said('start()', () => made.start?.()) ?? new Counts();
  return new Promise((done, fail) => {
    port.on('message', (batch: KernelBatch) => {
      try {
        if (batch !== null) {
          const counted = said('batch()', () => made.batch(rowsOf(made, batch, dictionaries), state));
          if (counted !== undefined) state = counted as typeof state;
          return port.postMessage('next' satisfies KernelReply);
        }
        sendable('the state', () => port.postMessage({ state } satisfies KernelReply));
        done();
      } catch (error) {
        fail(error as Error);
      }
      port.close();
    });
  });
}

export interface KernelEnd extends KernelModule {
  /** One of each worker. */
  readonly states: readonly unknown[];
}

/** The answer of all states together. */
export async function endOf({ url, file, states }: KernelEnd): Promise<unknown> {
  const made = await loadKernel(url, file);
  const merge = made.merge ?? addCounts;
  const state = states.reduce((a, b) => {
    const both = said('merge()', () => merge(a, b));
    if (both === undefined) throw new Error('merge(a, b) returned nothing');
    return both;
  });
  const counts = made.start === undefined ? new Counts(state as Map<string, number>) : state;
  const answer = made.end === undefined ? counts : said('end()', () => made.end!(counts));
  return sendable('the answer', () => structuredClone(answer));
}

function said<Result>(name: string, work: () => Result): Result {
  let result: Result;
  try {
    result = work();
  } catch (error) {
    throw new Error(`${name} threw: ${whyOf(error)}`);
  }
  if (result instanceof Promise) throw new Error(`${name} is async, and has to be done when it returns`);
  return result;
}

/** V8's words for a Map that is full say nothing of what to do. */
function whyOf(error: unknown): string {
  const why = messageOf(error);
  return /Map maximum size/.test(why)
    ? 'more keys than a Map holds, 16.7 million: count by fewer columns, or ask dprof sql'
    : why;
}

/** Refuses what structuredClone cannot take: it would not come out of a worker. */
function sendable<Result>(what: string, send: () => Result): Result {
  try {
    return send();
  } catch (error) {
    throw new Error(`${what} cannot leave its worker: ${(error as Error).message}`);
  }
}

function addCounts(a: unknown, b: unknown): unknown {
  const sum = new Counts(a as Map<string, number>);
  for (const [key, count] of b as Map<string, number>) sum.add(key, count);
  return sum;
}

function rowsOf(
  { columns }: Kernel,
  { count, columns: packed }: PackedBatch,
  dictionaries: readonly (readonly (string | null)[] | null)[],
): Rows<ColumnName> {
  const rows: Record<string, unknown> = { count };
  columns.forEach((name, index) => {
    const dictionary = dictionaries[index];
    const { values, validity } = packed[index];
    if (values instanceof BigUint64Array) rows[name] = new WideNumbers(values, validity);
    else if (dictionary === null) rows[name] = numbersOf(values, validity);
    else rows[name] = new Words(values as Words['codes'], dictionary);
  });
  return rows as Rows<ColumnName>;
}

function numbersOf<Values extends Iterable<number>>(
  values: Values,
  validity: Uint8Array | null,
): Values | Float64Array {
  if (validity === null) return values;
  const numbers = new Float64Array(values);
  for (let row = 0; row < numbers.length; row++) if (!hasValue(validity, row)) numbers[row] = NaN;
  return numbers;
}
