// Stage: profile <-> file. The bytes of a *.dprofile file, version 7, "sampled": what profiles from samples have beside
// their estimates (version 6, which is read as well: tables that not every profile has (the flow, locks, shared
// variables), layouts of types, and marks are counted; version 5, likewise: objects in chunks; version 4: cores,
// takers, unused bytes and counters of objects; version 3: windows, phases and call paths); all integers little-endian.
// A profile without any of it is as in version 5.
//
//   header (32 bytes): magic "DPROFPRF" | u32 version | u32 directory bytes | u64 columns bytes | u32 reserved | u32 checksum
//   directory: JSON behind LZ4 (u32 raw bytes, one LZ4 block): everything but the columns, and the list of columns; of a merged profile its runs too
//   columns: in the order of the list, those of OPTIONAL_TABLES that the profile has last, each a typed array's bytes behind LZ4 in the same way; empty ones take no bytes
//   objects: chunks of 65,536 objects, the last of the rest; each its columns and those of their counters, in the order of `chunkColumns`, packed
//     in the same way. So a profile is written and summed up with one chunk in memory, however many objects there are
//
// The checksum is the CRC-32 of the header's first 28 bytes and of all that follows the header.

import { DprofError } from '../base/dprof-error.js';
import type { FlowFacts } from './flow.js';
import type { Profile } from './profile.js';
import type { SamplingFacts } from './sampled.js';

export const PROFILE_MAGIC = 'DPROFPRF';
export const PROFILE_VERSION = 7;
/** Older ones that are read as well. */
export const READ_VERSIONS: readonly number[] = [5, 6, PROFILE_VERSION];
export const HEADER_BYTES = 32;

export const ELEMENTS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;
export type Element = keyof typeof ELEMENTS;
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export interface ColumnEntry {
  readonly name: string;
  readonly element: Element;
  readonly length: number;
  readonly storedBytes: number;
}

export interface Directory
  extends Pick<
    Profile,
    | 'run'
    | 'runs'
    | 'machine'
    | 'schedule'
    | 'cpus'
    | 'schedules'
    | 'totals'
    | 'window'
    | 'phases'
    | 'marks'
    | 'strings'
    | 'layouts'
    | 'sharedAddresses'
  > {
  readonly flow?: FlowFacts;
  readonly sampling?: SamplingFacts;
  readonly columns: readonly ColumnEntry[];
  readonly chunks: readonly ChunkEntry[];
}

/** Objects with consecutive rows, and their counters. */
export interface ChunkEntry {
  readonly objects: number;
  readonly counters: number;
  /** By column, as `chunkColumns` lists them. */
  readonly storedBytes: readonly number[];
}

const sharingSide = {
  type: 'u32',
  field: 'u32',
  site: 'u32',
  allocationSite: 'u32',
  allocationThread: 'u32',
  variable: 'u32',
} as const;

const takers = { level: 'u8', taker: 'u32', owner: 'u32', bin: 'u8', lines: 'f64' } as const;

/** Every column of a profile; in file order, but that those of CHUNKED come behind all others. */
export const COLUMNS = {
  types: { name: 'u32', family: 'u8' },
  sites: { function: 'u32', file: 'u32', line: 'u32', column: 'u16' },
  tallies: { type: 'u32', field: 'u32', rule: 'u8', site: 'u32', core: 'u16', counters: 'f64' },
  sharing: { class: 'u8', relation: 'u8', misses: 'f64' },
  'sharing.missed': sharingSide,
  'sharing.writer': sharingSide,
  objects: {
    address: 'f64',
    sizeBytes: 'f64',
    kind: 'u8',
    type: 'u32',
    site: 'u32',
    variable: 'u32',
    freeSite: 'u32',
    thread: 'u32',
    bornAt: 'f64',
    diedAt: 'f64',
    lives: 'f64',
    lifetime: 'f64',
    references: 'f64',
    flags: 'u8',
    callPath: 'u32',
  },
  objectCounters: { object: 'u32', counter: 'u8', value: 'f64' },
  evictions: takers,
  invalidations: takers,
  unusedBytes: { type: 'u32', field: 'u32', fetchedBytes: 'f64', unusedBytes: 'f64' },
} as const satisfies Record<string, Record<string, Element>>;

/**
 * Of what has to be asked for, or what profiles of before do not have. A profile has all columns of such a table, or
 * none.
 */
export const OPTIONAL_TABLES: Readonly<Record<string, Readonly<Record<string, Element>>>> = {
  'flow.paths': {
    kind: 'u8',
    type: 'u32',
    variable: 'u32',
    site: 'u32',
    end: 'u8',
    freeSite: 'u32',
    flags: 'u8',
    lives: 'f64',
    lifetime: 'f64',
    steps: 'u32',
  },
  'flow.steps': {
    site: 'u32',
    changesCore: 'u8',
    served: 'f64',
    latencyCycles: 'f64',
    time: 'f64',
    beginOffset: 'f64',
    endOffset: 'f64',
  },
  'flow.otherPaths': { type: 'u32', lives: 'f64', references: 'f64' },
  'flow.residency': { level: 'u8', type: 'u32', lineTime: 'f64', freedLineTime: 'f64' },
  'flow.objectBins': { level: 'u8', type: 'u32', bin: 'u8', lines: 'f64', objects: 'f64' },
  'flow.missBins': { level: 'u8', type: 'u32', bin: 'u8', misses: 'f64' },
  'flow.sets': { lines: 'f64' },
  locks: {
    kind: 'u8',
    type: 'u32',
    name: 'u32',
    locks: 'f64',
    acquisitions: 'f64',
    waits: 'f64',
    wait: 'f64',
    longestWait: 'f64',
    holds: 'f64',
    hold: 'f64',
    longestHold: 'f64',
    unreleased: 'f64',
  },
  lockThreads: { lock: 'u32', thread: 'u32', acquisitions: 'f64' },
  lockCallers: { lock: 'u32', callPath: 'u32', acquisitions: 'f64' },
  lockData: { lock: 'u32', type: 'u32', references: 'f64', misses: 'f64', trueSharing: 'f64', falseSharing: 'f64' },
  sharedVariables: { type: 'u32', variable: 'u32', site: 'u32', thread: 'u32', accesses: 'f64' },
  'sampled.tallies': { extra: 'f64', variance: 'f64', samples: 'f64', covariance: 'f64' },
  'sampled.lives': {
    type: 'u32',
    allocations: 'f64',
    frees: 'f64',
    peakObjects: 'f64',
    peakBytes: 'f64',
    averageObjects: 'f64',
    averageBytes: 'f64',
    lifetimeNs: 'f64',
    sampledObjects: 'f64',
    bouncedObjects: 'f64',
    writeSharedObjects: 'f64',
  },
  'sampled.steps': { references: 'f64', samples: 'f64', timed: 'f64', latencyVariance: 'f64' },
  'sampled.paths': { histories: 'f64', ofHistories: 'f64' },
  'sampled.residency': { level: 'u8', type: 'u32', low: 'f64', high: 'f64' },
};

/** Tables of which a chunk has its part. */
export const CHUNKED = ['objects', 'objectCounters'] as const;

/** Of a profile whose objects say their cores: a column more than other profiles have. */
const CORES = { core: 'u16' } as const;

export function objectColumns(hasCores: boolean): Readonly<Record<string, Element>> {
  return hasCores ? { ...COLUMNS.objects, ...CORES } : COLUMNS.objects;
}

interface ChunkColumn {
  readonly table: (typeof CHUNKED)[number];
  readonly field: string;
  readonly element: Element;
}

/** Columns of a chunk, in order. */
export function chunkColumns(hasCores: boolean): readonly ChunkColumn[] {
  const list = (table: ChunkColumn['table'], columns: Readonly<Record<string, Element>>): ChunkColumn[] =>
    Object.entries(columns).map(([field, element]) => ({ table, field, element }));
  return [...list('objects', objectColumns(hasCores)), ...list('objectCounters', COLUMNS.objectCounters)];
}

interface WholeColumn {
  readonly table: string;
  readonly field: string;
  readonly element: Element;
}

/** Of those that are not in chunks, in order; of optional tables, of those that there are. */
export function wholeColumns(isThere: (optionalTable: string) => boolean): readonly WholeColumn[] {
  const tables: readonly (readonly [string, Readonly<Record<string, Element>>])[] = [
    ...Object.entries(COLUMNS).filter(([table]) => !(CHUNKED as readonly string[]).includes(table)),
    ...Object.entries(OPTIONAL_TABLES).filter(([table]) => isThere(table)),
  ];
  return tables.flatMap(([table, fields]) =>
    Object.entries(fields).map(([field, element]) => ({ table, field, element })),
  );
}

/** Whether the profile has the optional table. */
export function hasTable(profile: Profile, table: string): boolean {
  return (
    table.split('.').reduce((value: unknown, key) => (value as Record<string, unknown> | undefined)?.[key], profile) !==
    undefined
  );
}

/** What can be wrong with a profile's bytes: where, what was expected, what was found. */
export class ProfileError extends DprofError {
  constructor(
    what: string,
    readonly offset: number,
    readonly expected: string,
    readonly actual: string,
    hint = 'the file is damaged or was not written by dprof replay; replay the trace again',
  ) {
    super(`${what} at offset ${offset}: expected ${expected}, found ${actual}`, hint);
    this.name = 'ProfileError';
  }
}
