// Stage: hardware. The bytes of a samples file (*.dpsamples), version 3; all integers little-endian.
// docs/hardware-samples.md says what the columns and tables mean.
//
//   header (16 bytes): magic "DPROFSMP" | u32 version | u32 reserved
//   chunks: up to 65,536 samples each; of each the columns of COLUMNS in their order, each packed (u32 raw bytes, one
//   LZ4 block), none for no samples
//   blocks: of typed samples `rows`, then `objects`, each all its columns (TYPED_ROWS, TYPED_OBJECTS) packed in the
//   same way; no columns for no rows
//   directory: packed in the same way, JSON: the tables, the names and elements of the columns, and of each chunk
//   offset, samples, bytes of each packed
//     column and the CRC-32 of them all; of typed samples their tables, and the same of their blocks
//   trailer (32 bytes): u64 offset of the directory | u32 its bytes | u32 its CRC-32 | u32 reserved | u32 CRC-32 of
//   header and of the trailer's first 20 bytes
//     | magic "DPROFEND"
//
// The directory stands at the end because samples are written as they come; a file without its trailer is not whole,
// and has the name NAME.incomplete.

import type { Element, SampleTables } from './samples.js';
import type { TypedTables } from './typed-samples.js';

export const SAMPLES_MAGIC = 'DPROFSMP';
export const SAMPLES_VERSION = 3;
export const END_MAGIC = 'DPROFEND';
export const HEADER_BYTES = 16;
export const TRAILER_BYTES = 32;

export interface ChunkEntry {
  readonly offset: number;
  readonly rows: number;
  readonly storedBytes: readonly number[];
  readonly checksum: number;
}

export interface TypedDirectory extends TypedTables {
  readonly blocks: { readonly rows: ChunkEntry; readonly objects: ChunkEntry };
}

export interface Directory extends SampleTables {
  readonly typed?: TypedDirectory;
  readonly columns: readonly { readonly name: string; readonly element: Element }[];
  readonly chunks: readonly ChunkEntry[];
}
