// Stage: profile. The flow of a replay as columns with names: paths that objects took, how long their lines lay in the
// caches, and in which sets. docs/data-flow.md defines each number.

import type { FlowFacts } from '../replay/places.js';

export type { FlowFacts } from '../replay/places.js';

/**
 * Lives whose objects read the same, allocated and ended at the same places, that took the same steps; by type, then
 * content.
 */
export interface PathColumns {
  /** Index into OBJECT_KINDS. */
  readonly kind: Uint8Array;
  readonly type: Uint32Array;
  readonly variable: Uint32Array;
  /** Allocation site, or where the variable is declared; 0 unknown. */
  readonly site: Uint32Array;
  /** Index into PATH_ENDS. */
  readonly end: Uint8Array;
  readonly freeSite: Uint32Array;
  /** Bit 0 freed on another core, bit 1 cut. */
  readonly flags: Uint8Array;
  readonly lives: Float64Array;
  /** Sum over its lives. */
  readonly lifetime: Float64Array;
  /** How many it has; those of all paths stand one behind the other. */
  readonly steps: Uint32Array;
}

/** Sums over the lives of the path, but offsets, which are the lowest and the highest. */
export interface StepColumns {
  /** Where, as --path-by has it: function and where it begins, line, or access; NO_INDEX: of what was cut. */
  readonly site: Uint32Array;
  readonly changesCore: Uint8Array;
  /** Row-major, SERVERS.length columns. */
  readonly served: Float64Array;
  readonly latencyCycles: Float64Array;
  readonly time: Float64Array;
  readonly beginOffset: Float64Array;
  readonly endOffset: Float64Array;
}

/** Of lives whose paths were more than are kept; by type. */
export interface OtherPathColumns {
  readonly type: Uint32Array;
  readonly lives: Float64Array;
  readonly references: Float64Array;
}

/** By level, type. */
export interface ResidencyColumns {
  readonly level: Uint8Array;
  readonly type: Uint32Array;
  readonly lineTime: Float64Array;
  readonly freedLineTime: Float64Array;
}

/** By level, type, bin of the level's sets. Of a merged profile the largest of any run. */
export interface ObjectBinColumns {
  readonly level: Uint8Array;
  readonly type: Uint32Array;
  readonly bin: Uint8Array;
  readonly lines: Float64Array;
  readonly objects: Float64Array;
}

/** By level, type of the reference, bin. */
export interface MissBinColumns {
  readonly level: Uint8Array;
  readonly type: Uint32Array;
  readonly bin: Uint8Array;
  readonly misses: Float64Array;
}

/**
 * Distinct lines of any object that each set was given, level behind level. Of a merged profile the largest of any run.
 */
export interface SetColumns {
  readonly lines: Float64Array;
}

export interface Flow extends FlowFacts {
  readonly paths: PathColumns;
  readonly steps: StepColumns;
  readonly otherPaths: OtherPathColumns;
  readonly residency: ResidencyColumns;
  readonly objectBins: ObjectBinColumns;
  readonly missBins: MissBinColumns;
  readonly sets: SetColumns;
}

/** Bits of `flags` of a path. */
export const FREED_ON_OTHER_CORE = 1;
export const CUT = 2;
