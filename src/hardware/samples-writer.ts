// Stage: hardware. Samples to file (samples-format.ts draws the bytes), chunk by chunk as they come.

import { crc32 } from 'node:zlib';
import lz4 from 'lz4-napi';
import { collectGarbage } from '../base/collect-garbage.js';
import type { OutputFile } from '../base/output-file.js';
import { COLUMN_NAMES, COLUMNS, type SampleColumns, type SampleTables } from './samples.js';
import { END_MAGIC, HEADER_BYTES, SAMPLES_MAGIC, SAMPLES_VERSION, TRAILER_BYTES, type ChunkEntry, type Directory } from './samples-format.js';

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
    const storedBytes: number[] = [];
    const { offset } = this;
    let checksum = 0;
    for (const name of COLUMN_NAMES) {
      const column = columns[name];
      const packed = lz4.compressSync(Buffer.from(column.buffer, column.byteOffset, rows * column.BYTES_PER_ELEMENT));
      storedBytes.push(packed.length);
      checksum = crc32(packed, checksum);
      this.write(packed);
    }
    this.chunks.push({ offset, rows, storedBytes, checksum });
    if (this.chunks.length % CHUNKS_BETWEEN_COLLECTIONS === 0) collectGarbage();
  }

  finish(tables: SampleTables): void {
    const columns = COLUMN_NAMES.map((name) => ({ name, element: COLUMNS[name] }));
    const directory: Directory = { ...tables, columns, chunks: this.chunks };
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

  private write(bytes: Buffer): void {
    this.file.write(bytes);
    this.offset += bytes.length;
  }
}
