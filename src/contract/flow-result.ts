// Stage: replay -> profile. An engine's result about the flow: paths, residency, sets. docs/data-flow.md defines each
// number. Rows of distinct paths come in the order in which they were first met; other rows in any order.

import {
  binOfLevel,
  countOf,
  key,
  largest,
  largestOfRuns,
  memberOf,
  rowOf,
  rowOrNone,
  smallest,
  sum,
  sums,
  type NameList,
  type ResultTable,
} from '../base/table-description.js';
import { LEVEL_NAMES, SERVER_NAMES } from './name-lists.js';

/** The paths that are to be collected. */
export interface FlowRequest {
  /** By slot (the kernel's included): the smallest slot of the same place. */
  readonly placeOf: Uint32Array;
  readonly mostPaths: number;
  /** Of a path; at most MOST_STEPS. */
  readonly mostSteps: number;
  /** Instead of MOST_OPEN_STEPS: tests have a smaller one. */
  readonly mostOpenSteps?: number;
}

export const DEFAULT_MOST_STEPS = 64;
/** Their numbers are bytes in the native engine. */
export const MOST_STEPS = 250;
export const MOST_OPEN_STEPS = 2 ** 20;
export const DEFAULT_MOST_PATHS = 100_000;

export const PATH_ENDS = ['alive', 'freed', 'ended'] as const;

export const PATH_END_NAMES = { name: 'path ends', members: PATH_ENDS } as const satisfies NameList;

/** The readings of objects; rows are distinct. */
export const READING_COLUMNS = {
  /** Index into OBJECT_KINDS; 4: none, of lines that belong to no object; 5: any, of rows of types. */
  kind: key('u8'),
  /** Declared type, else a heap object's vote, else 0; of a pool 0. */
  type: rowOf('catalog type'),
  /** global, thread-local, stack: row of Catalog.variables; else 0. */
  variable: rowOf('variable'),
  /** heap of type 0: the allocation slot and the size; else NO_INDEX and 0. */
  allocationSlot: rowOrNone('slot'),
  sizeBytes: key('f64'),
  /** 1: the site is that of a pool. */
  isPool: key('u8'),
} as const;
export type ReadingTable = ResultTable<typeof READING_COLUMNS>;

export const NO_OBJECT_KIND = 4;
export const ANY_KIND = 5;

export const PATH_MEASURES = {
  lives: sum('lives'),
  /** Sum of their lengths, to the end of the run if they never ended. */
  lifetime: sum('instructions'),
} as const;

export const PATH_COLUMNS = {
  reading: rowOf('reading'),
  /** heap: the ALLOCATION record's slot, NO_INDEX unknown; stack, global, thread-local: NO_INDEX. */
  allocationSlot: rowOrNone('slot'),
  /** heap: how the thread came to allocate it, 0 unknown; else 0. */
  callPath: rowOf('call path'),
  end: memberOf(PATH_END_NAMES),
  /** freed: the FREE record's slot, NO_INDEX unknown; else NO_INDEX. */
  freeSlot: rowOrNone('slot'),
  /** Bit 0: freed on another core; bit 1: cut. */
  flags: key('u8'),
  ...PATH_MEASURES,
  firstStep: rowOf('step'),
  /** All references that were cut count as one more step, behind the last. */
  steps: countOf('steps', MOST_STEPS + 2),
} as const;
export type PathTable = ResultTable<typeof PATH_COLUMNS>;

/** Sums over the lives of a path, but offsets, which are the lowest and the highest. */
export const STEP_MEASURES = {
  /** Their sum is the step's references. */
  served: sums(SERVER_NAMES, 'references'),
  latencyCycles: sum('cycles'),
  time: sum('instructions'),
  beginOffset: smallest('bytes'),
  endOffset: largest('bytes'),
} as const;

export const STEP_COLUMNS = {
  /** Place; NO_INDEX: what was cut. */
  place: rowOrNone('slot'),
  changesCore: key('u8', 2),
  ...STEP_MEASURES,
} as const;
export type StepTable = ResultTable<typeof STEP_COLUMNS>;

export const OTHER_PATH_MEASURES = { lives: sum('lives'), references: sum('references') } as const;

/** Lives beyond the most distinct paths. */
export const OTHER_PATH_COLUMNS = { reading: rowOf('reading'), ...OTHER_PATH_MEASURES } as const;
export type OtherPathTable = ResultTable<typeof OTHER_PATH_COLUMNS>;

export const RESIDENCY_MEASURES = {
  lineTime: sum('lines x instructions'),
  freedLineTime: sum('lines x instructions'),
} as const;

export const RESIDENCY_COLUMNS = {
  level: memberOf(LEVEL_NAMES),
  reading: rowOf('reading'),
  ...RESIDENCY_MEASURES,
} as const;
export type ResidencyTable = ResultTable<typeof RESIDENCY_COLUMNS>;

/** Each run has memory of its own, so its sets do not fill up with another run's lines. */
export const OBJECT_BIN_MEASURES = { lines: largestOfRuns('lines'), objects: largestOfRuns('objects') } as const;

export const OBJECT_BIN_COLUMNS = {
  level: memberOf(LEVEL_NAMES),
  /** A reading of kind ANY_KIND. */
  reading: rowOf('reading'),
  bin: binOfLevel(),
  ...OBJECT_BIN_MEASURES,
} as const;
export type ObjectBinTable = ResultTable<typeof OBJECT_BIN_COLUMNS>;

export const MISS_BIN_MEASURES = { misses: sum('misses') } as const;

export const MISS_BIN_COLUMNS = {
  level: memberOf(LEVEL_NAMES),
  label: rowOf('label'),
  bin: binOfLevel(),
  ...MISS_BIN_MEASURES,
} as const;
export type MissBinTable = ResultTable<typeof MISS_BIN_COLUMNS>;

export interface FlowTables {
  readonly readings: ReadingTable;
  readonly paths: PathTable;
  readonly steps: StepTable;
  readonly otherPaths: OtherPathTable;
  readonly residency: ResidencyTable;
  readonly objectBins: ObjectBinTable;
  readonly missBins: MissBinTable;
  /** Per level, by set. */
  readonly linesPerSet: readonly [Float64Array, Float64Array, Float64Array];
}
