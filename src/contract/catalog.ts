// Stage: trace -> replay. The catalog: everything static that a trace says, merged over its modules' units and
// renumbered for the whole trace. Struct of arrays, frozen after building (catalog-builder.ts). Strings stay strings
// here; the engines only see the numbers.
//
// A struct, union or class is its definition: the place of its declaration and its layout. Types of one definition are
// one type, whichever unit they came from; so are scalars and pointers of equal name and size. Index 0 of types,
// variables, functions, positions and calls is "unknown".

import type { SourceFile } from '../base/source-file.js';

export const TYPE_KINDS = ['unknown', 'scalar', 'pointer', 'struct', 'union', 'class', 'array'] as const;

export interface TypeTable {
  readonly count: number;
  /** Two definitions never have one name: "struct node (a/util.c:3)" if "struct node" is declared elsewhere too. */
  readonly name: readonly string[];
  /** As the language writes it: "struct node". */
  readonly tag: readonly string[];
  /** Structs, unions and classes: a digest of their members; "" if none are known. */
  readonly layout: readonly string[];
  /** Index into TYPE_KINDS. */
  readonly kind: Uint8Array;
  readonly sizeBytes: Float64Array;
  /** Arrays: TypeId of the element. */
  readonly element: Uint32Array;
  readonly firstMember: Uint32Array;
  readonly memberCount: Uint32Array;
  readonly file: readonly string[];
  readonly line: Uint32Array;
}

export interface MemberTable {
  readonly count: number;
  readonly name: readonly string[];
  readonly type: Uint32Array;
  readonly offsetBytes: Float64Array;
  /** Bit 0: base class; bit 1: bit-field. */
  readonly flags: Uint32Array;
  /** The bits of a bit-field: its first bit, counted from the offset, << 16 | its number of bits; 0: unknown. */
  readonly bits: Uint32Array;
}

export interface VariableTable {
  readonly count: number;
  readonly name: readonly string[];
  readonly type: Uint32Array;
  /** 0 unknown, 1 global, 2 thread-local, 3 stack. */
  readonly kind: Uint8Array;
  readonly sizeBytes: Float64Array;
  /** Globals: 1 + the binary logarithm; 0: unknown, as in traces of older versions. */
  readonly alignment: Uint8Array;
  readonly file: readonly string[];
  readonly line: Uint32Array;
  readonly function: Uint32Array;
}

export interface FunctionTable {
  readonly count: number;
  readonly name: readonly string[];
  readonly linkageName: readonly string[];
  readonly file: readonly string[];
  readonly line: Uint32Array;
}

export interface SlotTable {
  readonly count: number;
  /** enum dprof_slot_kind in unit_format.h. */
  readonly kind: Uint8Array;
  /** 0xffffffff: dynamic, the word after the address. */
  readonly sizeBytes: Uint32Array;
  readonly lanes: Uint16Array;
  readonly type: Uint32Array;
  /** 0xffffffff: unknown. */
  readonly offset: Uint32Array;
  readonly path: readonly string[];
  readonly variable: Uint32Array;
  readonly function: Uint32Array;
  readonly file: readonly string[];
  readonly line: Uint32Array;
  readonly column: Uint16Array;
  /** Derived: 1 + the SlotId whose address plus `delta` is this one's; 0: the address is logged. */
  readonly base: Uint32Array;
  readonly delta: Int32Array;
  /** Row of PositionTable: the call in whose place its function was inlined; 0: none. */
  readonly inlinedAt: Uint32Array;
}

export interface RecordTable {
  readonly count: number;
  /** enum dprof_record_tag. */
  readonly tag: Uint8Array;
  /** DPROF_RECORD_ENTRY and so on. */
  readonly flags: Uint8Array;
  readonly slotCount: Uint16Array;
  readonly words: Uint32Array;
  readonly instructions: Uint32Array;
  readonly function: Uint32Array;
  /** SlotId over the whole trace. */
  readonly firstSlot: Uint32Array;
  /** Row of CallTable: the call that follows the record at once; 0: none that is known. */
  readonly call: Uint32Array;
}

/** Places of calls in the source. */
export interface PositionTable {
  readonly count: number;
  readonly function: Uint32Array;
  readonly file: readonly string[];
  readonly line: Uint32Array;
  readonly column: Uint16Array;
  /** The position in whose place `function` was inlined, a smaller number; 0: it was not. */
  readonly inlinedAt: Uint32Array;
  /** Who receives the result: src/contract/receiver.ts; '' unknown. */
  readonly receiver: readonly string[];
}

/** Calls that paths end at. */
export interface CallTable {
  readonly count: number;
  /** The function whose body contains it. */
  readonly function: Uint32Array;
  readonly position: Uint32Array;
  /** Linkage name; '' of an indirect call. */
  readonly callee: readonly string[];
}

/**
 * Entries of all units. The path of number p belongs to entry p / 32, or to the region that this filler stands behind.
 */
export interface RegionTable {
  readonly count: number;
  /** 0: a filler. */
  readonly pathCount: Uint32Array;
  readonly firstNode: Uint32Array;
  readonly nodeCount: Uint32Array;
  /** Fillers: how many entries back the region is. */
  readonly back: Uint32Array;
  /** 1: a loop, whose paths are numbered by the records of the iteration that was not whole. */
  readonly isLoop: Uint8Array;
}

export interface NodeTable {
  readonly count: number;
  readonly firstRecord: Uint32Array;
  readonly recordCount: Uint32Array;
  readonly firstEdge: Uint32Array;
  readonly edgeCount: Uint32Array;
  /** 1: a path may end here. */
  readonly ends: Uint8Array;
}

export interface EdgeTable {
  readonly count: number;
  /** Counted from the region's first node. */
  readonly node: Uint32Array;
  /** Path numbers that come before those of this edge. */
  readonly before: Uint32Array;
}

/** Globals of all modules, in module order. */
export interface GlobalTable {
  readonly count: number;
  readonly address: BigUint64Array;
  readonly variable: Uint32Array;
}

/**
 * Leaves: the fields of a struct type by byte offset, for references whose field is only known from where they fall in
 * an object. `leafAt[base[type] + offset]` is a leaf number within the type for offset < span[type]; `base` is NO_INDEX
 * for types without a table. `path[type][leaf]` spells it. Padding is the leaf "(padding)". A union member is one leaf
 * (its own name).
 */
export interface LeafTable {
  readonly base: Uint32Array;
  /** Bytes in the table: the type's size. */
  readonly span: Uint32Array;
  /**
   * Offset of a trailing flexible array: from there on everything is its leaf and offsets do not wrap; 0xffffffff if
   * none.
   */
  readonly flexibleFrom: Uint32Array;
  /** Leaf number of the flexible array. */
  readonly flexibleLeaf: Uint32Array;
  readonly leafAt: Uint16Array;
  readonly path: readonly (readonly string[])[];
}

export interface Catalog {
  /** The path of each file, by the name that files have in all tables; two files never have one name. */
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly types: TypeTable;
  readonly members: MemberTable;
  readonly variables: VariableTable;
  readonly functions: FunctionTable;
  readonly slots: SlotTable;
  readonly records: RecordTable;
  readonly regions: RegionTable;
  readonly nodes: NodeTable;
  readonly edges: EdgeTable;
  readonly positions: PositionTable;
  readonly calls: CallTable;
  /** Files of the compiler and of its libraries, and those that the build calls the system's. */
  readonly systemFiles: ReadonlySet<string>;
  /** Accesses in the program's text that are not recorded, by reason. */
  readonly refusals: readonly { readonly reason: string; readonly count: number }[];
  readonly globals: GlobalTable;
  readonly leaves: LeafTable;
  /**
   * `declared[type]`: the row type of an object of that type: an array of structs counts as its struct; else the type
   * itself.
   */
  readonly declared: Uint32Array;
  /**
   * By unit number: the VariableId of (unit, index > 0), as THREAD_LOCAL events name it, is `unitFirstVariable[unit] +
   * index`.
   */
  readonly unitFirstVariable: Uint32Array;
}
