// Stage: replay -> profile. An engine's result: columns of plain numbers, no names. Both engines fill exactly this; row
// order may differ (profile-builder.ts sorts), values may not. docs/replay/README.md defines each number. The lists of
// columns, counters and totals are the only ones: the native engine's are generated from them (engine-header.ts).

import type { ParallelismTable } from './parallelism.js';
import {
  binOfLevel,
  coreNumber,
  kept,
  key,
  memberOf,
  rowOf,
  rowOrNone,
  sum,
  sums,
  type NameList,
  type ResultTable,
} from '../base/table-description.js';
import { CLASSES, DPROF_RULES, LEVELS, SERVERS, setsOf, type CacheLevel } from './machine.js';
import { CLASS_NAMES, LEVEL_NAMES } from './name-lists.js';
import type { FlowTables } from './flow-result.js';
import type { LockTables, SharedAddresses, SharedVariableTable } from './threads-result.js';
import type { WindowPositions } from './window.js';

export const RULES = [
  ...(['object', 'descriptor', 'vote', 'site', 'variable', 'scalar', 'untyped'] as const),
  ...(['behind', 'beside', 'pool'] as const),
] as const;
export type TypingRule = (typeof RULES)[number];
export const RELATIONS = ['same-object', 'same-type', 'two-types', 'recycled'] as const;

/** Levels that may have prefetchers. */
export const PREFETCHING_LEVELS = ['l1', 'l2'] as const;

/** Counters of one tally, in order; `counters` of a TallyTable is row-major with COUNTERS.length columns. */
export const COUNTERS: readonly string[] = [
  'loads',
  'stores', // atomics included
  ...LEVELS.flatMap((level) => [
    `${level}.missLoads`,
    `${level}.missStores`,
    ...CLASSES.map((name) => `${level}.${name}`),
    `${level}.compulsoryShared`,
    ...DPROF_RULES.map((name) => `${level}.dprof.${name}`),
  ]),
  ...SERVERS.map((name) => `served.${name}`),
  'latencyCycles', // over all references
  'missLatencyCycles', // of accesses with a reference that missed L1
  'transfers',
  'orderBoundTransfers',
  ...PREFETCHING_LEVELS.flatMap((level) => [`${level}.prefetchIssued`, `${level}.prefetchHits`]),
  'tlb.l1Misses',
  'tlb.l2Misses', // references that walked
];

export const COUNTER_NAMES = { name: 'counters', members: COUNTERS } as const satisfies NameList;
export const RULE_NAMES = { name: 'rules', members: RULES } as const satisfies NameList;
export const RELATION_NAMES = { name: 'relations', members: RELATIONS } as const satisfies NameList;

export const TALLY_COLUMNS = {
  slot: rowOf('slot'),
  rule: memberOf(RULE_NAMES),
  /** object, vote, behind, beside: TypeId; site, pool: allocation slot (NO_INDEX unknown); else 0. */
  type: rowOrNone('catalog type'),
  /** site, pool: size in bytes of the object; else 0. */
  siteBytes: key('f64'),
  /**
   * Rule object, type with members: leaf number (Catalog.leaves), NO_INDEX when the slot's own path names the field or
   * the type has no leaf table. Rule object, any other type: row of Catalog.variables; for heap, PATH_LEAF + the row of
   * the call path to its allocation. Rule site: the same path. Other rules: NO_INDEX.
   */
  leaf: rowOrNone('leaf'),
  core: coreNumber(),
  counters: sums(COUNTER_NAMES, 'counts'),
} as const;
export type TallyTable = ResultTable<typeof TALLY_COLUMNS>;

/** From here on a leaf is a call path. */
export const PATH_LEAF = 2 ** 31;

export const SHARING_COLUMNS = {
  /** true-sharing or false-sharing; compulsory: cold sharing, of a line that another core had stored to. */
  class: memberOf(CLASS_NAMES),
  /** Engines only tell recycled (3), same-object (0) and other (1); the builder tells 1 from 2. */
  relation: memberOf(RELATION_NAMES),
  missSlot: rowOf('slot'),
  missObject: rowOrNone('object'),
  /** As in TALLY_COLUMNS. */
  missLeaf: rowOrNone('leaf'),
  writeSlot: rowOf('slot'),
  writeObject: rowOrNone('object'),
  writeLeaf: rowOrNone('leaf'),
  misses: sum('misses'),
} as const;
export type SharingTable = ResultTable<typeof SHARING_COLUMNS>;

export const OBJECT_KINDS = ['heap', 'global', 'thread-local', 'stack'] as const;
export const OBJECT_KIND_NAMES = { name: 'object kinds', members: OBJECT_KINDS } as const satisfies NameList;

/** The place of an object. */
export const OBJECT_PLACE = {
  address: kept('f64', 'address'),
  sizeBytes: kept('f64', 'bytes'),
  kind: memberOf(OBJECT_KIND_NAMES),
} as const;

/** Of `flags`. */
export const POOL_FLAG = 32;

/** How it lived. */
export const OBJECT_LIFE = {
  thread: key('u32'),
  /** Replay time; a stack variable's first life. */
  bornAt: kept('f64', 'instructions'),
  /** -1: lived to the end. A stack variable's last life. */
  diedAt: kept('f64', 'instructions'),
  /** Lives in the window, if there is one; 0: none reaches into it. */
  lives: kept('f64', 'lives'),
  /**
   * Sum over its lives of their length in replay time (to the end of the run if it never died); of a window, what lies
   * in it.
   */
  lifetime: kept('f64', 'instructions'),
  /** References (after splitting), loads and stores together. */
  references: kept('f64', 'references'),
  /**
   * Bit 0 bounce, bit 1 writeShared, bit 2 a part (an allocator of the program's own handed it out), bit 3 freed, bit 4
   * freed on another core, bit 5 a pool (several structs are named in it).
   */
  flags: kept('u8'),
} as const;

/** Every object that lived, in order of creation. */
export const OBJECT_COLUMNS = {
  ...OBJECT_PLACE,
  /** heap: the ALLOCATION record's slot, NO_INDEX unknown; others: NO_INDEX. */
  allocationSlot: rowOrNone('slot'),
  /** global, thread-local, stack: row of Catalog.variables; heap: 0. */
  variable: rowOf('variable'),
  /** The FREE record's slot; NO_INDEX unknown or not freed. */
  freeSlot: rowOrNone('slot'),
  /** Declared type, else the vote, else 0; of a pool 0. */
  type: rowOf('catalog type'),
  ...OBJECT_LIFE,
  /** The core of its thread when its first life began; for a global, the first core of thread 0. */
  core: coreNumber(),
  /** How the thread came to the allocation; 0 unknown. */
  callPath: rowOf('call path'),
} as const;
export type ObjectTable = ResultTable<typeof OBJECT_COLUMNS>;

/** The names of an object's counters, in order; misses as in COUNTERS. */
export const OBJECT_COUNTERS: readonly string[] = [
  ...LEVELS.flatMap((level) => [
    ...CLASSES.map((name) => `${level}.${name}`),
    `${level}.compulsoryShared`,
    ...DPROF_RULES.map((name) => `${level}.dprof.${name}`),
  ]),
  'missLatencyCycles',
  'missesBeforeFirstUse',
  'missesAfterLastUse',
];

export const OBJECT_COUNTER_NAMES = { name: 'object counters', members: OBJECT_COUNTERS } as const satisfies NameList;

/** The counters of objects that are not 0, each object's in order: most objects have few. */
export const OBJECT_COUNTER_COLUMNS = {
  object: rowOf('object'),
  counter: memberOf(OBJECT_COUNTER_NAMES),
  value: sum('counts'),
} as const;
export type ObjectCounterTable = ResultTable<typeof OBJECT_COUNTER_COLUMNS>;

export interface StoredColumn {
  readonly name: string;
  /** The size of one element. */
  readonly bytes: number;
}

/**
 * A file without a name, with rows of objects that are too many for memory: chunks of them, each its columns one behind
 * the other.
 */
export interface StoredObjectTable {
  /** An open descriptor; whoever has the result closes it. */
  readonly file: number;
  /** As in ObjectTable and ObjectCounterTable. The counters begin at the next multiple of 8 bytes. */
  readonly objectColumns: readonly StoredColumn[];
  readonly counterColumns: readonly StoredColumn[];
  /** By chunk. */
  readonly offset: Float64Array;
  readonly rows: Uint32Array;
  readonly counters: Uint32Array;
}

export const LABEL_KINDS = ['type', 'site', 'no-object', 'pool'] as const;

/** A label names the owner of lines: docs/replay/attribution.md. Rows that no other table refers to have no meaning. */
export const LABEL_COLUMNS = {
  kind: memberOf({ name: 'label kinds', members: LABEL_KINDS }),
  /** type: TypeId; site: the struct that its objects voted for, 0 none; else 0. pool: a site of pools. */
  type: rowOf('catalog type'),
  /** site, pool: the allocation slot (NO_INDEX unknown); else NO_INDEX. */
  allocationSlot: rowOrNone('slot'),
  /** site, pool: size of its objects; else 0. */
  sizeBytes: key('f64'),
} as const;
export type LabelTable = ResultTable<typeof LABEL_COLUMNS>;

export const MEMORY_STRUCT_OBJECTS = { objects: sum('objects') } as const;

/** Structs that accesses name in memory, in pools, and behind an object's own struct; rows are distinct. */
export const MEMORY_STRUCT_COLUMNS = {
  /** Of the memory. heap: the ALLOCATION record's slot, NO_INDEX unknown; others: NO_INDEX. */
  allocationSlot: rowOrNone('slot'),
  /** global, thread-local, stack: row of Catalog.variables; heap: 0. */
  variable: rowOf('variable'),
  /** heap: how the thread came to the allocation; 0 unknown. */
  callPath: rowOf('call path'),
  /** The struct, and in how many such objects it was named. */
  type: rowOf('catalog type'),
  ...MEMORY_STRUCT_OBJECTS,
} as const;
export type MemoryStructTable = ResultTable<typeof MEMORY_STRUCT_COLUMNS>;

const MOST_SET_BINS = 256;

export interface SetBins {
  readonly sets: number;
  readonly setsPerBin: number;
  readonly bins: number;
}

export function setBinsOf(level: CacheLevel, lineBytes: number): SetBins {
  const sets = setsOf(level, lineBytes);
  const setsPerBin = Math.ceil(sets / MOST_SET_BINS);
  return { sets, setsPerBin, bins: Math.ceil(sets / setsPerBin) };
}

/** Lines that left because of a reference: whose reference, whose line, and from where. */
export const TAKER_COLUMNS = {
  level: memberOf(LEVEL_NAMES),
  taker: rowOf('label'),
  owner: rowOf('label'),
  /** The bin of the level's sets, as setBinsOf cuts them. */
  bin: binOfLevel(),
  lines: sum('lines'),
} as const;
export type TakerTable = ResultTable<typeof TAKER_COLUMNS>;

export const UNUSED_BYTES = { fetchedBytes: sum('bytes'), unusedBytes: sum('bytes') } as const;

export const UNUSED_BYTES_COLUMNS = {
  label: rowOf('label'),
  /**
   * Label with a declared struct, union or class: leaf number; with another type: row of Catalog.variables; NO_INDEX:
   * none.
   */
  leaf: rowOrNone('leaf'),
  ...UNUSED_BYTES,
} as const;
export type UnusedBytesTable = ResultTable<typeof UNUSED_BYTES_COLUMNS>;

export const CALL_PATH_FRAMES = 8;

export interface CallPathTable {
  readonly count: number;
  /** The allocation's; NO_INDEX: it leads to none. */
  readonly slot: Uint32Array;
  /** CALL_PATH_FRAMES in each row, rows of Catalog.functions, innermost first; NO_INDEX: no further. Row 0 has none. */
  readonly function: Uint32Array;
  /** The same of Catalog.calls: the call that the function is in; 0: unknown, and of the innermost. */
  readonly call: Uint32Array;
}

/** The phases that the program announced, in replay order: at most MOST_PHASES of them. */
export interface PhaseTable {
  readonly count: number;
  readonly name: readonly string[];
  /** Replay time in instructions. */
  readonly time: Float64Array;
}

export const MOST_PHASES = 4096;

/**
 * The number of times that the program set each of its marks, in the part that counts: only marks that it set there, in
 * the order in which the replay met them; at most MOST_MARKS names.
 */
export interface MarkTable {
  readonly count: number;
  readonly name: readonly string[];
  readonly times: Float64Array;
}

/** The limit for the whole replay: names that were met before a window count too. */
export const MOST_MARKS = 4096;

/** Each total of a replay, and how many numbers it is: one, or one for each level. */
export const TOTALS = {
  accesses: 1,
  references: 1,
  loads: 1,
  stores: 1,
  invalidations: 1,
  upgrades: 1,
  writeBacks: 1,
  segments: 1,
  segmentsThatWaited: 1,
  /** Replay time at the end, in instructions. */
  instructions: 1,
  outsideLife: 1,
  unseenBytes: 1,
  lostSegments: 1,
  /** How often a window closed. */
  windowsClosed: 1,
  /** Time stamp counts in which no window was open: to the trace's last event, if the last one closed for good. */
  closedStamps: 1,
  /** Logged words that were thrown away meanwhile. The work of functions that ran uninstrumented is unknown. */
  droppedWords: 1,
  hits: LEVELS.length,
  misses: LEVELS.length,
  /** Lines put into units of a level, and lines that had to leave for them. */
  fills: LEVELS.length,
  evictions: LEVELS.length,
} as const;

/** Totals that plain machines lack. */
export const WHOLE_TOTALS = {
  /** Lines that an inclusive level took out of levels above it. */
  backInvalidations: 1,
  /** Per level L1, L2: issued = useful + useless. */
  prefetchIssued: PREFETCHING_LEVELS.length,
  prefetchUseful: PREFETCHING_LEVELS.length,
  prefetchUseless: PREFETCHING_LEVELS.length,
  /** References that missed the first level, and those that walked. */
  tlbMisses: 2,
} as const;

type Numbers<Width> = Width extends 1
  ? number
  : Width extends 2
    ? readonly [number, number]
    : readonly [number, number, number];
type TotalsOf<Widths> = { readonly [Name in keyof Widths]: Numbers<Widths[Name]> };

export type WholeTotals = TotalsOf<typeof WHOLE_TOTALS>;
export type Totals = TotalsOf<typeof TOTALS> & Partial<WholeTotals>;

export interface ReplayResult extends LockTables {
  readonly totals: Totals;
  readonly tallies: TallyTable;
  readonly sharing: SharingTable;
  readonly objects: ObjectTable;
  readonly objectCounters: ObjectCounterTable;
  /**
   * The rows of objects are sums (ReplayInput.mostObjects), in the order of their first objects: address and birth are
   * that one's, the death is the last one's, and `lives` says how many there were.
   */
  readonly objectsAreSums?: true;
  /** If set, the two tables above are empty; stored-objects.ts lists either. */
  readonly storedObjects?: StoredObjectTable;
  readonly labels: LabelTable;
  readonly memoryStructs: MemoryStructTable;
  readonly evictions: TakerTable;
  readonly invalidations: TakerTable;
  readonly unusedBytes: UnusedBytesTable;
  readonly phases: PhaseTable;
  readonly marks: MarkTable;
  readonly callPaths: CallPathTable;
  /** If it was asked for. */
  readonly flow?: FlowTables;
  /** If they were asked for. */
  readonly sharedVariables?: SharedVariableTable;
  readonly sharedAddresses?: SharedAddresses;
  /** Of several threads, in an order in which threads wait. */
  readonly parallelism?: ParallelismTable;
  /** If only a window was to be counted: where it lies. */
  readonly window?: WindowPositions;
}
