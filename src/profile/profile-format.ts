// Stage: profile <-> file. The bytes of a *.dprofile file, version 10, "cold sharing": columns, counters, classes,
// rules and kinds stand in its directory by name, so that a dprof with more of them still reads it. All integers
// little-endian.
//
//   header (32 bytes): magic "DPROFPRF" | u32 version | u32 directory bytes | u64 columns bytes | u32 reserved |
//     u32 checksum
//   directory: JSON behind LZ4 (u32 raw bytes, one LZ4 block): everything but the columns, the list of columns, those
//     of objects, and the lists of names that columns refer to; of a merged profile its runs too
//   columns: in the order of the list, each a typed array's bytes behind LZ4 in the same way; empty ones take no bytes
//   objects: chunks of 65,536 objects, the last of the rest; each its columns and those of their counters, in the order
//     of their list, packed in the same way. So a profile is written and summed up with one chunk in memory, however
//     many objects there are
//
// The checksum is the CRC-32 of the header's first 28 bytes and of all that follows the header.
//
// A reader takes columns by name. It leaves out a column, or a counter, that it does not know; one that the file lacks
// is 0, except that a key must be there. Example: tables.ts describes `unusedBytes` with the keys type and field; the
// list has {"name":"unusedBytes.type","element":"u32","length":7,"storedBytes":21}, and so on for its four columns.
//
// Versions before this one were never released; they are refused. Version 9 says of each site what called it or where
// it was inlined, and of arrays of scalars where they were allocated. Version 10 has cold sharing among the sharing
// pairs, and says how many accesses to shared variables were stores.

import type { Element } from '../base/table-description.js';
import type { FlowFacts } from './flow.js';
import type { Profile } from './profile.js';
import type { SamplingFacts } from './sampled.js';

export { ELEMENTS } from '../base/table-description.js';

export const PROFILE_MAGIC = 'DPROFPRF';
export const PROFILE_VERSION = 10;
export const PROFILE_VERSION_NAME = 'cold sharing';

export interface ListedColumn {
  /** "sharing.missed.type". */
  readonly name: string;
  readonly element: Element;
}

export interface ColumnEntry extends ListedColumn {
  readonly length: number;
  readonly storedBytes: number;
}

/** Parts of a profile that the directory has as they are. */
const DIRECTORY_FACTS = [
  'run',
  'runs',
  'machine',
  'schedule',
  'cpus',
  'schedules',
  'totals',
  'window',
  'parallelism',
  'phases',
  'marks',
  'strings',
  'layouts',
  'files',
  'sharedAddresses',
  'objectsAreSums',
] as const satisfies readonly (keyof Profile)[];
export type DirectoryFacts = Pick<Profile, (typeof DIRECTORY_FACTS)[number]>;

export interface Directory extends DirectoryFacts {
  readonly flow?: FlowFacts;
  readonly sampling?: SamplingFacts;
  /** Members of each list that a column refers to. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly columns: readonly ColumnEntry[];
  readonly objectColumns: readonly ListedColumn[];
  readonly chunks: readonly ChunkEntry[];
}

/** Objects with consecutive rows, and their counters. */
export interface ChunkEntry {
  readonly objects: number;
  readonly counters: number;
  /** By column, as `objectColumns` lists them. */
  readonly storedBytes: readonly number[];
}

/** Those that there are, and nothing else that a file may say. */
export function pickFacts(of: DirectoryFacts): DirectoryFacts {
  const facts = DIRECTORY_FACTS.flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]]]));
  return Object.fromEntries(facts) as DirectoryFacts;
}
