// Stage: kernel. A worker's part: batches come through a port, one after the other, and are counted in one state.

import type { MessagePort } from 'node:worker_threads';
import type { PackedRows } from '../stream/packed-column.js';
import type { PackedBatch } from '../stream/read-references.js';
import type { ColumnName } from '../stream/stream-columns.js';
import { Counts, Words, type Kernel, type Rows } from './kernel.js';
import { loadKernel } from './kernel-file.js';

export interface KernelTask {
  readonly url: string;
  readonly file: string;
  readonly port: MessagePort;
  /** By column of the kernel; null: of numbers. */
  readonly words: readonly (readonly string[] | null)[];
}

/** null: there are no more. */
export type KernelBatch = PackedBatch | null;

/** The state when all batches have come. */
export async function workOn({ url, file, port, words }: KernelTask): Promise<unknown> {
  const made = await loadKernel(url, file);
  const dictionaries = words.map((all) => all && [...all, null]);
  let state = made.start?.() ?? new Counts();
  return new Promise((done, fail) => {
    port.on('message', (batch: KernelBatch) => {
      if (batch === null) {
        port.close();
        return done(state);
      }
      try {
        const counted = made.batch(rowsOf(made, batch, dictionaries), state);
        if (counted !== undefined) state = counted as typeof state;
        port.postMessage('next');
      } catch (error) {
        port.close();
        fail(new Error(`batch() threw: ${(error as Error)?.message ?? String(error)}`));
      }
    });
  });
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
    rows[name] = dictionary === null ? numbersOf(values, validity) : new Words(values as Words['codes'], dictionary);
  });
  return rows as Rows<ColumnName>;
}

function numbersOf(values: PackedRows['values'], validity: Uint8Array | null): PackedRows['values'] {
  if (validity === null) return values;
  const numbers = new Float64Array(values);
  for (let row = 0; row < numbers.length; row++) if (!((validity[row >> 3] >> (row & 7)) & 1)) numbers[row] = NaN;
  return numbers;
}
