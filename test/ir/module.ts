// Stage: random IR. A module as plain data: the generator makes it, the back ends write it, the interpreter runs it.
import { allocBytes, isDense, type Type } from './types.js';

/** bigint: integers and pointers, without sign; number: floating point; arrays: vectors and aggregates. */
export type Data = bigint | number | readonly Data[];

/** The value of an instruction or a parameter. */
export interface Value {
  readonly kind: 'value';
  readonly id: number;
  readonly type: Type;
}
export interface Constant {
  readonly kind: 'constant';
  readonly type: Type;
  readonly data: Data;
}
export interface GlobalAddress {
  readonly kind: 'global';
  readonly index: number;
  readonly type: Type;
}
export interface FunctionAddress {
  readonly kind: 'function';
  readonly index: number;
  readonly type: Type;
}
/** Only what is overwritten as a whole before anybody looks: where an aggregate or a vector begins. */
export interface Poison {
  readonly kind: 'poison';
  readonly type: Type;
}
export type Operand = Value | Constant | GlobalAddress | FunctionAddress | Poison;

export type BinaryOp =
  | 'add'
  | 'sub'
  | 'mul'
  | 'and'
  | 'or'
  | 'xor'
  | 'shl'
  | 'lshr'
  | 'ashr'
  | 'udiv'
  | 'urem'
  | 'fadd'
  | 'fsub'
  | 'fmul';
export type CastOp = 'trunc' | 'zext' | 'sext' | 'sitofp' | 'fpext' | 'bitcast' | 'freeze';
export type Predicate =
  | 'eq'
  | 'ne'
  | 'ult'
  | 'ule'
  | 'ugt'
  | 'uge'
  | 'slt'
  | 'sle'
  | 'sgt'
  | 'sge'
  | 'olt'
  | 'oge'
  | 'une';
export type Ordering = 'monotonic' | 'acquire' | 'release' | 'acq_rel' | 'seq_cst';
export type UpdateOp = 'xchg' | 'add' | 'sub' | 'and' | 'nand' | 'or' | 'xor' | 'max' | 'min' | 'umax' | 'umin';

export interface AccessFlags {
  readonly align: number;
  readonly volatile: boolean;
  readonly ordering: Ordering | null;
}

export type Operation =
  | {
      readonly op: 'binary';
      readonly which: BinaryOp;
      readonly a: Operand;
      readonly b: Operand;
      readonly flags: readonly string[];
    }
  | { readonly op: 'cast'; readonly which: CastOp; readonly a: Operand }
  | { readonly op: 'compare'; readonly which: Predicate; readonly a: Operand; readonly b: Operand }
  | { readonly op: 'select'; readonly condition: Operand; readonly a: Operand; readonly b: Operand }
  | { readonly op: 'phi'; readonly incoming: { block: Block; value: Operand }[] }
  | { readonly op: 'load'; readonly pointer: Operand; readonly flags: AccessFlags }
  | { readonly op: 'store'; readonly value: Operand; readonly pointer: Operand; readonly flags: AccessFlags }
  | {
      readonly op: 'gep';
      readonly element: Type;
      readonly base: Operand;
      readonly indices: readonly Operand[];
      readonly inbounds: boolean;
    }
  | { readonly op: 'alloca'; readonly allocated: Type; readonly align: number }
  | { readonly op: 'extractvalue'; readonly a: Operand; readonly index: number }
  | { readonly op: 'insertvalue'; readonly a: Operand; readonly value: Operand; readonly index: number }
  | { readonly op: 'extractelement'; readonly a: Operand; readonly index: Operand }
  | { readonly op: 'insertelement'; readonly a: Operand; readonly value: Operand; readonly index: Operand }
  | { readonly op: 'shuffle'; readonly a: Operand; readonly b: Operand; readonly lanes: readonly number[] }
  | {
      readonly op: 'copy';
      readonly which: 'memcpy' | 'memmove' | 'memcpy.inline';
      readonly to: Operand;
      readonly from: Operand;
      readonly bytes: Operand;
    }
  | { readonly op: 'fill'; readonly to: Operand; readonly byte: Operand; readonly bytes: Operand }
  | {
      readonly op: 'masked';
      readonly which: 'load' | 'store' | 'gather' | 'scatter';
      readonly pointer: Operand;
      readonly mask: Operand;
      readonly value: Operand;
    }
  | {
      readonly op: 'update';
      readonly which: UpdateOp;
      readonly pointer: Operand;
      readonly value: Operand;
      readonly ordering: Ordering;
    }
  | {
      readonly op: 'exchange';
      readonly pointer: Operand;
      readonly expected: Operand;
      readonly value: Operand;
      readonly ordering: Ordering;
    }
  | {
      readonly op: 'call';
      readonly callee: number | Operand;
      readonly args: readonly Operand[];
      readonly tail: '' | 'tail ' | 'musttail ';
    }
  /** The harness keeps the address, so that references to it can be told from others. */
  | { readonly op: 'note'; readonly pointer: Operand };

/** `result` is null where there is none. */
export type Instruction = Operation & { readonly result: Value | null };

export type Terminator =
  | { readonly op: 'branch'; readonly to: Block }
  | { readonly op: 'if'; readonly condition: Operand; readonly yes: Block; readonly no: Block }
  | {
      readonly op: 'switch';
      readonly on: Operand;
      readonly cases: readonly { value: bigint; to: Block }[];
      readonly otherwise: Block;
    }
  | { readonly op: 'return'; readonly value: Operand };

export interface Block {
  readonly id: number;
  readonly instructions: Instruction[];
  terminator: Terminator | null;
}

/** Every function gives an i64. */
export interface Routine {
  readonly index: number;
  readonly parameters: readonly Value[];
  readonly blocks: Block[];
  readonly attributes: readonly string[];
}

export interface Global {
  readonly index: number;
  readonly type: Type;
  readonly data: Data;
  readonly isLocal: boolean;
  readonly functions: readonly number[] | null;
}

/** The last function is the one that the harness calls. */
export interface IrModule {
  readonly routines: Routine[];
  readonly globals: Global[];
}

/** Bytes of the global that the harness adds up. */
export const comparedBytes = ({ type, functions }: Global): number =>
  functions || !isDense(type) ? 0 : allocBytes(type);

// Memory that the harness maps and fills, and the interpreter too. See harness.c.
export const ARENA = 0x10000000;
/** Any bytes at all. */
export const DATA_BYTES = 16384;
export const DOUBLES = ARENA + DATA_BYTES;
export const DOUBLES_BYTES = 2048;
export const FLOATS = DOUBLES + DOUBLES_BYTES;
export const FLOATS_BYTES = 2048;
/** Each points into the first part, with so many bytes behind it. */
export const POINTERS = FLOATS + FLOATS_BYTES;
export const POINTERS_BYTES = 1024;
export const POINTED_BYTES = 512;
/** Structs with holes: not compared, since nobody says what is in the holes. */
export const HOLES = POINTERS + POINTERS_BYTES;
export const HOLES_BYTES = 4096;
export const COMPARED_BYTES = HOLES - ARENA;
export const ARENA_BYTES = COMPARED_BYTES + HOLES_BYTES;
