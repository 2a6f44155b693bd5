// Stage: stream -> Arrow. Packed batches as an Arrow stream (https://arrow.apache.org/docs/format/Columnar.html): words
// are dictionaries, written once; numbers are unsigned.

import {
  Dictionary,
  Field,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Uint16,
  Uint32,
  Uint64,
  Uint8,
  Utf8,
  vectorFromArray,
  type Data,
  type DataType,
  type Vector,
} from 'apache-arrow';
import { widened, type PackedColumn, type PackedRows } from './packed-column.js';
import type { PackedBatch } from './read-references.js';

const NUMBERS = { u8: Uint8, u16: Uint16, u32: Uint32, u53: Uint64, u64: Uint64 } as const;

/** The bytes of the stream, in pieces. */
export async function* arrowStream(
  columns: readonly PackedColumn[],
  batches: AsyncIterable<PackedBatch>,
): AsyncGenerator<Uint8Array> {
  const made = columns.map((column, id) => new ArrowColumn(column, id));
  const schema = new Schema(made.map(({ name, type }) => new Field(name, type, true)));
  const batchOf = ({ count, columns: rows }: PackedBatch): RecordBatch => {
    const children = made.map((column, index) => column.data(rows[index], count));
    return new RecordBatch(
      schema,
      makeData({ type: new Struct(schema.fields), length: count, nullCount: 0, children }),
    );
  };
  const writer = new Pieces();
  // Says the columns where there are no rows.
  writer.write(batchOf({ count: 0, columns: made.map((column) => column.none()) }));
  yield* writer.take();
  for await (const batch of batches) {
    if (batch.count === 0) continue;
    writer.write(batchOf(batch));
    yield* writer.take();
  }
  writer.finish();
  yield* writer.take();
}

/** Keeps what is written until it is taken. The library's own queue is read beside the writing, and never waits. */
class Pieces extends RecordBatchStreamWriter {
  #pieces: Uint8Array[] = [];

  take(): Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  protected override _write(chunk: ArrayBufferView): this {
    if (!this._started || chunk.byteLength === 0) return this;
    this.#pieces.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this._position += chunk.byteLength;
    return this;
  }
}

class ArrowColumn {
  readonly name: string;
  readonly type: DataType;
  readonly #numbers: Uint8 | Uint16 | Uint32 | Uint64;
  readonly #words: Vector<Utf8> | null;

  constructor({ name, kind, words }: PackedColumn, id: number) {
    this.name = name;
    this.#numbers = new NUMBERS[kind]();
    this.#words = words && vectorFromArray([...words], new Utf8());
    this.type = words === null ? this.#numbers : new Dictionary(new Utf8(), this.#numbers as Uint32, id);
  }

  data({ values, validity }: PackedRows, length: number): Data {
    const own = values instanceof Float64Array ? widened(values) : values;
    const nullBitmap = validity === null ? undefined : validity.subarray(0, Math.ceil(length / 8));
    const of = { length, data: own, nullBitmap };
    return this.#words === null
      ? makeData({ type: this.#numbers, ...of } as Parameters<typeof makeData>[0])
      : makeData({ type: this.type, dictionary: this.#words, ...of } as Parameters<typeof makeData>[0]);
  }

  none(): PackedRows {
    return { values: new Uint32Array(0), validity: null };
  }
}
