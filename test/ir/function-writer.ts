// Stage: random IR. A function under construction: blocks, the values that may be used at the place being written, and
// places in memory.
import type { RandomNumbers } from '../random/random-numbers.js';
import type {
  AccessFlags,
  BinaryOp,
  Block,
  CastOp,
  Constant,
  Data,
  Instruction,
  Operand,
  Operation,
  Predicate,
  Routine,
  Value,
} from './module.js';
import { alignment, array, I1, I64, I8, int, PTR, storeBytes, struct, type IntType, type Type } from './types.js';

/** The values that may be stored there, and that are found there. */
export type Content = 'data' | 'doubles' | 'floats' | 'pointers' | { readonly holes: Type };

/**
 * Memory that is there whatever way the program takes: at least `bytes` behind the pointer, which is a multiple of
 * `align`.
 */
export interface Place {
  readonly pointer: Operand;
  readonly bytes: number;
  readonly align: number;
  readonly content: Content;
  /**
   * Is its place in its cache line the same in the program and in the interpreter? Block operations are split by lines.
   */
  readonly knowsLine: boolean;
}

/** The instructions that a back end can write. */
export interface Dialect {
  /** Vectors, atomics, volatile, alignments, flags, packed structs, masks, tail calls. */
  readonly isWhole: boolean;
}

export const constant = (type: Type, data: Data): Constant => ({ kind: 'constant', type, data });
export const number = (type: IntType, value: number | bigint): Constant =>
  constant(type, BigInt.asUintN(type.bits, BigInt(value)));

export class FunctionWriter {
  readonly routine: Routine;
  block: Block;
  /** Integers that may be used here. */
  values: Value[] = [];
  places: Place[] = [];
  /** Volatile ones among a hundred accesses. Loops with a volatile access are not recorded once. */
  volatilePercent = 6;
  #ids = 0;

  constructor(
    readonly random: RandomNumbers,
    readonly dialect: Dialect,
    index: number,
    parameterTypes: readonly Type[],
    attributes: readonly string[],
  ) {
    const parameters = parameterTypes.map((type) => this.value(type));
    this.routine = { index, parameters, blocks: [], attributes };
    this.block = this.newBlock();
    this.start(this.block);
  }

  value(type: Type): Value {
    return { kind: 'value', id: this.#ids++, type };
  }

  newBlock(): Block {
    return { id: this.#ids++, instructions: [], terminator: null };
  }

  /** From here on, instructions go to the end of it. */
  start(block: Block): void {
    this.routine.blocks.push(block);
    this.block = block;
  }

  emit(operation: Operation, type: Type): Value {
    const result = this.value(type);
    this.block.instructions.push({ ...operation, result } as Instruction);
    return result;
  }

  emitVoid(operation: Operation): void {
    this.block.instructions.push({ ...operation, result: null } as Instruction);
  }

  branch(to: Block): void {
    this.block.terminator = { op: 'branch', to };
  }

  branchIf(condition: Operand, yes: Block, no: Block): void {
    this.block.terminator = { op: 'if', condition, yes, no };
  }

  /** Values that are defined meanwhile may not be used after it. */
  scoped<T>(write: () => T): T {
    const [values, places] = [[...this.values], [...this.places]];
    const result = write();
    this.values = values;
    this.places = places;
    return result;
  }

  keep(value: Value): Value {
    this.values.push(value);
    return value;
  }

  binary(which: BinaryOp, a: Operand, b: Operand, flags: readonly string[] = []): Value {
    return this.emit({ op: 'binary', which, a, b, flags: this.dialect.isWhole ? flags : [] }, a.type);
  }

  cast(which: CastOp, a: Operand, type: Type): Value {
    return this.emit({ op: 'cast', which, a }, type);
  }

  compare(which: Predicate, a: Operand, b: Operand): Value {
    return this.emit({ op: 'compare', which, a, b }, a.type.kind === 'vector' ? { ...a.type, of: I1 } : I1);
  }

  phi(type: Type, incoming: { block: Block; value: Operand }[]): Value {
    const result = this.value(type);
    const before = this.block.instructions.findIndex(({ op }) => op !== 'phi');
    this.block.instructions.splice(before < 0 ? this.block.instructions.length : before, 0, {
      op: 'phi',
      incoming,
      result,
    });
    return result;
  }

  /** An integer that is at hand, or one made from such, or a constant. */
  integer(bits: number): Operand {
    const { random } = this;
    const type = int(bits);
    if (random.chance(20) || this.values.length === 0)
      return number(type, random.chance(50) ? random.below(16) : random.between(-2000, 2000));
    const from = random.pick(this.values);
    const width = (from.type as IntType).bits;
    if (width === bits) return from;
    return this.cast(width > bits ? 'trunc' : random.chance(50) ? 'zext' : 'sext', from, type);
  }

  bit(): Operand {
    const type = int(this.random.pick([8, 16, 32, 64]));
    const a = this.integer(type.bits);
    if (this.random.chance(50))
      return this.compare(this.random.pick(['slt', 'ult', 'sge', 'ugt']), a, this.integer(type.bits));
    return this.compare(
      this.random.pick(['eq', 'ne']),
      this.binary('and', a, number(type, this.random.pick([1, 2, 3, 8]))),
      number(type, 0),
    );
  }

  /** An integer from 0 to 2^bits - 1. */
  below(width: number, bits: number): Operand {
    return this.binary('and', this.integer(width), number(int(width), 2 ** bits - 1));
  }

  gep(element: Type, base: Operand, indices: readonly Operand[], inbounds: boolean): Value {
    const lanes = indices.find(({ type }) => type.kind === 'vector')?.type;
    return this.emit(
      { op: 'gep', element, base, indices, inbounds },
      lanes?.kind === 'vector' ? { ...lanes, of: PTR } : PTR,
    );
  }

  flags(type: Type, align: number, mayBeAtomic = false, isStore = false): AccessFlags {
    const { random } = this;
    const natural = alignment(type);
    if (!this.dialect.isWhole) return { align: natural, volatile: false, ordering: null };
    const isAtomic = mayBeAtomic && align >= natural && storeBytes(type) <= 8 && random.chance(15);
    const ordering = isAtomic
      ? random.pick(
          isStore ? (['monotonic', 'release', 'seq_cst'] as const) : (['monotonic', 'acquire', 'seq_cst'] as const),
        )
      : null;
    return { align: isAtomic ? natural : Math.min(align, 16), volatile: random.chance(this.volatilePercent), ordering };
  }

  load(type: Type, pointer: Operand, align: number, mayBeAtomic = false): Value {
    return this.emit({ op: 'load', pointer, flags: this.flags(type, align, mayBeAtomic) }, type);
  }

  store(value: Operand, pointer: Operand, align: number, mayBeAtomic = false): void {
    this.emitVoid({ op: 'store', value, pointer, flags: this.flags(value.type, align, mayBeAtomic, true) });
  }

  find(content: (place: Place) => boolean, bytes: number): Place | undefined {
    const fit = this.places.filter((place) => place.bytes >= bytes && content(place));
    return fit.length ? this.random.pick(fit) : undefined;
  }

  /**
   * Somewhere in the place with room for `bytes`, addressed in one of many ways. Gives the pointer and what it is a
   * multiple of.
   */
  within(place: Place, bytes: number, unit = 1): { pointer: Operand; align: number } {
    const { random } = this;
    const room = Math.floor((place.bytes - bytes) / unit);
    const step = unit * random.pick([1, 1, 2, 4, 8].filter((times) => times <= Math.max(room, 1)));
    const steps = Math.floor((place.bytes - bytes) / step);
    const align = greatestPower(place.align, step);
    const element = stepType(step, random.below(3));
    const how = random.below(6);
    if (steps < 1 || how === 0) return { pointer: place.pointer, align: place.align };
    if (how <= 2) {
      const index = random.below(Math.min(steps, 200) + 1);
      const offset = index * step;
      const exact = offset === 0 ? place.align : greatestPower(place.align, offset);
      const pointer =
        how === 1
          ? this.gep(I8, place.pointer, [number(I64, offset)], random.chance(60))
          : this.constantStep(place, element, index);
      return { pointer, align: exact };
    }
    const bits = Math.floor(Math.log2(steps + 1));
    if (bits === 0) return { pointer: place.pointer, align: place.align };
    const width = random.pick([8, 16, 32, 64].filter((candidate) => candidate > bits));
    const index = this.below(width, Math.min(bits, 10));
    if (how === 3) {
      const away = random.between(-9, 9);
      const far = this.gep(element, place.pointer, [this.binary('add', this.widen(index), number(I64, away))], false);
      return { pointer: this.gep(element, far, [number(I64, -away)], false), align };
    }
    if (how === 4)
      return {
        pointer: this.gep(array(steps, element), place.pointer, [number(I64, 0), this.widen(index)], random.chance(50)),
        align,
      };
    return { pointer: this.gep(element, place.pointer, [index], random.chance(50)), align };
  }

  widen(index: Operand): Operand {
    const { bits } = index.type as IntType;
    return bits === 64 ? index : this.cast('zext', index, I64);
  }

  private constantStep(place: Place, element: Type, index: number): Operand {
    const { random } = this;
    if (random.chance(50))
      return this.gep(element, place.pointer, [number(random.pick([int(32), I64]), index)], random.chance(60));
    return this.gep(
      struct([array(index + 1, element), element]),
      place.pointer,
      [number(I64, 0), number(int(32), 0), number(I64, index)],
      random.chance(60),
    );
  }
}

/** The greatest power of two that divides both. */
export function greatestPower(align: number, step: number): number {
  let power = 1;
  while (power < align && step % (power * 2) === 0) power *= 2;
  return power;
}

/** A type of exactly so many bytes from one to the next. */
function stepType(bytes: number, taste: number): Type {
  if (taste === 0 && [1, 2, 4, 8].includes(bytes)) return int(bytes * 8);
  if (taste === 1 && bytes % 4 === 0) return bytes === 4 ? struct([int(16), I8]) : array(bytes / 4, int(32));
  return bytes === 1 ? I8 : array(bytes, I8);
}
