// Stage: replay -> profile. What an engine returns of the flow: paths, residency, sets. docs/data-flow.md defines each
// number. Rows of distinct paths come in the order in which they were first met; other rows in any order.

/** What is to be collected. */
export interface FlowRequest {
  /** By slot (the kernel's included): the smallest slot of the same place. */
  readonly placeOf: Uint32Array;
  readonly mostPaths: number;
  /** Instead of MOST_STEPS and MOST_OPEN_STEPS: tests have smaller ones. */
  readonly mostSteps?: number;
  readonly mostOpenSteps?: number;
}

export const MOST_STEPS = 64;
export const MOST_OPEN_STEPS = 2 ** 20;
export const DEFAULT_MOST_PATHS = 100_000;

export const PATH_ENDS = ['alive', 'freed', 'ended'] as const;

/** As what objects read; rows are distinct. */
export interface ReadingTable {
  readonly count: number;
  /** As in ObjectTable; 4: none, of lines that belong to no object; 5: any, of rows of types. */
  readonly kind: Uint8Array;
  /** Declared type, else a heap object's vote, else 0. */
  readonly type: Uint32Array;
  /** global, thread-local, stack: row of Catalog.variables; else 0. */
  readonly variable: Uint32Array;
  /** heap of type 0: the allocation slot and the size; else NO_INDEX and 0. */
  readonly allocationSlot: Uint32Array;
  readonly sizeBytes: Float64Array;
}

export const NO_OBJECT_KIND = 4;
export const ANY_KIND = 5;

export interface PathTable {
  readonly count: number;
  /** Row of the readings. */
  readonly reading: Uint32Array;
  /** heap: the ALLOCATION record's slot, NO_INDEX unknown; stack, global, thread-local: NO_INDEX. */
  readonly allocationSlot: Uint32Array;
  /** Index into PATH_ENDS. */
  readonly end: Uint8Array;
  /** freed: the FREE record's slot, NO_INDEX unknown; else NO_INDEX. */
  readonly freeSlot: Uint32Array;
  /** Bit 0: freed on another core; bit 1: cut. */
  readonly flags: Uint8Array;
  readonly lives: Float64Array;
  /** Sum of their lengths, to the end of the run if they never ended. */
  readonly lifetime: Float64Array;
  /** Rows of the steps. */
  readonly firstStep: Uint32Array;
  readonly steps: Uint32Array;
}

export interface StepTable {
  readonly count: number;
  /** Place; NO_INDEX: what was cut. */
  readonly place: Uint32Array;
  readonly changesCore: Uint8Array;
  /** Row-major, SERVERS.length columns: their sum is the step's references. */
  readonly served: Float64Array;
  readonly latencyCycles: Float64Array;
  /** Sums over lives. */
  readonly time: Float64Array;
  readonly beginOffset: Float64Array;
  readonly endOffset: Float64Array;
}

/** Lives beyond the most distinct paths. */
export interface OtherPathTable {
  readonly count: number;
  readonly reading: Uint32Array;
  readonly lives: Float64Array;
  readonly references: Float64Array;
}

export interface ResidencyTable {
  readonly count: number;
  /** Index into LEVELS. */
  readonly level: Uint8Array;
  readonly reading: Uint32Array;
  /** Lines times instructions of replay time. */
  readonly lineTime: Float64Array;
  readonly freedLineTime: Float64Array;
}

export interface ObjectBinTable {
  readonly count: number;
  readonly level: Uint8Array;
  /** Of kind ANY_KIND. */
  readonly reading: Uint32Array;
  readonly bin: Uint8Array;
  readonly lines: Float64Array;
  readonly objects: Float64Array;
}

export interface MissBinTable {
  readonly count: number;
  readonly level: Uint8Array;
  /** Row of the LabelTable. */
  readonly label: Uint32Array;
  readonly bin: Uint8Array;
  readonly misses: Float64Array;
}

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
