// Contract: plugin -> trace. One unit, what the plugin said about a translation unit: its rows, and the columns that
// readers have of them; unit_format.h says what each field means. A `file` is its directory and its name in one string
// (source-file.ts).

export interface UnitType {
  name: string;
  kind: number;
  sizeBytes: number;
  element: number;
  firstMember: number;
  memberCount: number;
  file: string;
  line: number;
}

export interface UnitMember {
  name: string;
  type: number;
  offsetBytes: number;
  flags: number;
  bits: number;
}

export interface UnitVariable {
  name: string;
  type: number;
  kind: number;
  sizeBytes: number;
  /** As in VariableTable. */
  alignment: number;
  file: string;
  line: number;
  function: number;
}

export interface UnitFunction {
  name: string;
  linkageName: string;
  file: string;
  line: number;
}

export interface UnitSlot {
  kind: number;
  sizeBytes: number;
  lanes: number;
  type: number;
  offset: number;
  path: string;
  variable: number;
  function: number;
  file: string;
  line: number;
  column: number;
  /** Derived: 1 + the slot whose address plus `delta` is this one's; 0 if the address is logged. */
  base: number;
  delta: number;
  /** The position of the call in whose place its function was inlined; 0: none. */
  inlinedAt: number;
}

export interface UnitRecord {
  tag: number;
  flags: number;
  slotCount: number;
  words: number;
  instructions: number;
  function: number;
  firstSlot: number;
  /** The call that follows it at once; 0: none that is known. */
  call: number;
}

/** An entry of the regions table: a region (`pathCount` above 0) or one of the fillers behind it. */
export interface UnitRegion {
  pathCount: number;
  firstNode: number;
  nodeCount: number;
  /** Fillers: how many entries back the region is. */
  back: number;
  /** All iterations of a loop: one node with the records of an iteration. */
  isLoop: boolean;
}

export interface UnitNode {
  firstRecord: number;
  recordCount: number;
  /** The index of its first logged word in the event stream, behind the header word. */
  firstWord: number;
  firstEdge: number;
  edgeCount: number;
  /** A path may end here. */
  ends: boolean;
}

export interface UnitEdge {
  /** Counted from the region's first node. */
  node: number;
  before: number;
}

/** Accesses that are not recorded, and why. */
export interface UnitRefusal {
  reason: string;
  count: number;
}

/** A place of a call in the source. */
export interface UnitPosition {
  function: number;
  file: string;
  line: number;
  column: number;
  inlinedAt: number;
  receiver: string;
}

export interface UnitCall {
  function: number;
  position: number;
  callee: string;
}

/** Index 0 of types, variables, functions, positions and calls is the zero entry. */
export interface UnitTables {
  types: UnitType[];
  members: UnitMember[];
  variables: UnitVariable[];
  functions: UnitFunction[];
  slots: UnitSlot[];
  records: UnitRecord[];
  regions: UnitRegion[];
  nodes: UnitNode[];
  edges: UnitEdge[];
  positions: UnitPosition[];
  calls: UnitCall[];
}

export interface Unit extends UnitTables {
  source: string;
  refusals: UnitRefusal[];
  systemFiles: string[];
}

export type NumberColumn = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The rows of a table as columns: yes is 1, and a file its place in the unit's `files`. */
export type TableColumns<Row> = { readonly count: number } & {
  readonly [Name in keyof Row]: Name extends 'file'
    ? Uint32Array
    : Row[Name] extends string
      ? readonly string[]
      : NumberColumn;
};

export type UnitColumns = {
  readonly [Name in keyof UnitTables]: TableColumns<UnitTables[Name][number]>;
} & {
  readonly source: string;
  readonly refusals: readonly UnitRefusal[];
  readonly systemFiles: readonly string[];
  /** Each once; the first is none. */
  readonly files: readonly string[];
};
