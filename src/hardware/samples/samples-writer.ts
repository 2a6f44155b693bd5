// Stage: hardware. Samples to file (samples-format.ts draws the bytes), chunk by chunk as they come.

import { crc32 } from 'node:zlib';
import lz4 from 'lz4-napi';
import { collectGarbage } from '../../base/collect-garbage.js';
import type { OutputFile } from '../../base/output-file.js';
import { COLUMN_NAMES, COLUMNS, type Column, type Element, type SampleColumns, type SampleTables } from './samples.js';
import {
  END_MAGIC,
  HEADER_BYTES,
  SAMPLES_MAGIC,
  SAMPLES_VERSION,
  TRAILER_BYTES,
  type ChunkEntry,
  type Directory,
  type TypedDirectory,
} from './samples-format.js';
import { TYPED_OBJECTS, TYPED_ROWS, type TypedSamples, type TypedTables } from './typed-samples.js';

/** Handles of packed columns are LZ4's, and V8 does not know how large they are. */
const CHUNKS_BETWEEN_COLLECTIONS = 2;

export class SamplesWriter {
  private readonly chunks: ChunkEntry[] = [];
  private readonly header = Buffer.alloc(HEADER_BYTES);
  private offset = HEADER_BYTES;

  constructor(private readonly file: Pick<OutputFile, 'write'>) {
    this.header.write(SAMPLES_MAGIC, 0, 'latin1');
    this.header.writeUInt32LE(SAMPLES_VERSION, 8);
    file.write(this.header);
  }

  /** The first `rows` of the columns. */
  add(columns: SampleColumns, rows: number): void {
    this.chunks.push(this.pack(columns, COLUMN_NAMES, rows));
    if (this.chunks.length % CHUNKS_BETWEEN_COLLECTIONS === 0) collectGarbage();
  }

  /** `typed`: of samples that have their types. */
  finish(tables: SampleTables, typed?: Pick<TypedSamples, keyof TypedTables | 'rows' | 'objects'>): void {
    const columns = COLUMN_NAMES.map((name) => ({ name, element: COLUMNS[name] }));
    const directory: Directory = {
      ...tables,
      ...(typed && { typed: this.packTyped(typed) }),
      columns,
      chunks: this.chunks,
    };
    const packed = lz4.compressSync(Buffer.from(JSON.stringify(directory)));
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeBigUInt64LE(BigInt(this.offset), 0);
    trailer.writeUInt32LE(packed.length, 8);
    trailer.writeUInt32LE(crc32(packed), 12);
    trailer.writeUInt32LE(crc32(trailer.subarray(0, 20), crc32(this.header)), 20);
    trailer.write(END_MAGIC, 24, 'latin1');
    this.write(packed);
    this.write(trailer);
  }

  private packTyped({
    rows,
    objects,
    ...tables
  }: Pick<TypedSamples, keyof TypedTables | 'rows' | 'objects'>): TypedDirectory {
    const pack = (columns: Readonly<Record<string, Column>>, names: Readonly<Record<string, Element>>): ChunkEntry =>
      this.pack(columns, Object.keys(names), Object.values(columns)[0].length);
    return { ...tables, blocks: { rows: pack(rows, TYPED_ROWS), objects: pack(objects, TYPED_OBJECTS) } };
  }

  private pack(columns: Readonly<Record<string, Column>>, names: readonly string[], rows: number): ChunkEntry {
    const storedBytes: number[] = [];
    const { offset } = this;
    let checksum = 0;
    for (const name of rows > 0 ? names : []) {
      const column = columns[name];
      const packed = lz4.compressSync(Buffer.from(column.buffer, column.byteOffset, rows * column.BYTES_PER_ELEMENT));
      storedBytes.push(packed.length);
      checksum = crc32(packed, checksum);
      this.write(packed);
    }
    return { offset, rows, storedBytes, checksum };
  }

  private write(bytes: Buffer): void {
    this.file.write(bytes);
    this.offset += bytes.length;
  }
}
