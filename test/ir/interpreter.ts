// Stage: random IR. A module -> what it gives, what it leaves in memory and every reference that it makes, by running
// it instruction by instruction.
import { Memory, type Reference } from './memory.js';
import type { Data, Instruction, IrModule, Operand, Routine, Block } from './module.js';
import { ARENA } from './module.js';
import { allocBytes, fieldOffset, type ManyType, type Type } from './types.js';

/** The seed is no good: too long, or (which would be the generator's mistake) not defined. */
export class NotRunnable extends Error {}

export interface Run {
  readonly given: bigint;
  readonly left: number;
  readonly references: readonly Reference[];
  /** Bases of the stack variables that the module noted, in order. */
  readonly notes: readonly number[];
  readonly memory: Memory;
}

const LONGEST_RUN = 400_000;
const MOST_REFERENCES = 150_000;
const DEEPEST_CALL = 40;

export function interpret(module: IrModule): Run {
  const interpreter = new Interpreter(module);
  const given = interpreter.call(module.routines.at(-1)!, [BigInt(ARENA)], 0);
  const { memory, notes } = interpreter;
  return { given, left: memory.sum(), references: memory.references, notes, memory };
}

const unsigned = (value: bigint, bits: number): bigint => BigInt.asUintN(bits, value);
const signed = (value: Data, bits: number): bigint => BigInt.asIntN(bits, value as bigint);
const bitsOf = (type: Type): number => (type.kind === 'int' ? type.bits : 64);

class Interpreter {
  readonly memory: Memory;
  readonly notes: number[] = [];
  #steps = 0;

  constructor(private readonly module: IrModule) {
    this.memory = new Memory(module);
  }

  call(routine: Routine, args: readonly Data[], depth: number): bigint {
    if (depth > DEEPEST_CALL) throw new NotRunnable('calls too deep');
    const frame = new Frame(this.module, this.memory);
    routine.parameters.forEach((parameter, i) => frame.set(parameter.id, args[i]));
    const mark = this.memory.stackMark();
    let from: Block | null = null;
    for (let block = routine.blocks[0]; ; ) {
      const incoming: [number, Data][] = [];
      for (const i of block.instructions) {
        if (i.op !== 'phi') break;
        const edge = i.incoming.find((candidate) => candidate.block === from);
        if (!edge) throw new NotRunnable('a phi without an edge');
        incoming.push([i.result!.id, frame.get(edge.value)]);
      }
      for (const [id, data] of incoming) frame.set(id, data);
      for (const i of block.instructions) {
        if (++this.#steps > LONGEST_RUN || this.memory.references.length > MOST_REFERENCES)
          throw new NotRunnable('too long');
        if (i.op === 'phi') continue;
        const data = this.execute(i, frame, depth);
        if (i.result) frame.set(i.result.id, data!);
      }
      if (++this.#steps > LONGEST_RUN) throw new NotRunnable('too long');
      from = block;
      const end = block.terminator!;
      if (end.op === 'return') {
        this.memory.stackRelease(mark);
        return frame.get(end.value) as bigint;
      }
      if (end.op === 'branch') block = end.to;
      else if (end.op === 'if') block = frame.get(end.condition) === 0n ? end.no : end.yes;
      else {
        const on = frame.get(end.on);
        block = end.cases.find(({ value }) => value === on)?.to ?? end.otherwise;
      }
    }
  }

  private execute(i: Exclude<Instruction, { op: 'phi' }>, frame: Frame, depth: number): Data | null {
    const { memory } = this;
    const at = (operand: Operand): number => Number(frame.get(operand) as bigint);
    switch (i.op) {
      case 'binary':
        return lanewise(i.a.type, [frame.get(i.a), frame.get(i.b)], (type, [a, b]) => binary(i.which, type, a, b));
      case 'cast':
        return cast(i.which, i.a.type, i.result!.type, frame.get(i.a));
      case 'compare':
        return lanewise(i.a.type, [frame.get(i.a), frame.get(i.b)], (type, [a, b]) =>
          compare(i.which, type, a, b) ? 1n : 0n,
        );
      case 'select': {
        const condition = frame.get(i.condition),
          a = frame.get(i.a),
          b = frame.get(i.b);
        if (!Array.isArray(condition)) return condition === 0n ? b : a;
        return condition.map((bit, lane) => ((bit === 0n ? b : a) as readonly Data[])[lane]);
      }
      case 'load':
        return memory.load(at(i.pointer), i.result!.type);
      case 'store':
        memory.store(at(i.pointer), i.value.type, frame.get(i.value));
        return null;
      case 'gep':
        return gep(i, frame);
      case 'alloca':
        return BigInt(memory.allocate(allocBytes(i.allocated)));
      case 'extractvalue':
        return (frame.get(i.a) as readonly Data[])[i.index];
      case 'insertvalue':
        return frame.parts(i.a).with(i.index, frame.get(i.value));
      case 'extractelement':
        return (frame.get(i.a) as readonly Data[])[at(i.index)];
      case 'insertelement':
        return frame.parts(i.a).with(at(i.index), frame.get(i.value));
      case 'shuffle': {
        const both = [...frame.parts(i.a), ...frame.parts(i.b)];
        return i.lanes.map((lane) => both[lane]);
      }
      case 'copy':
        memory.copy(at(i.to), at(i.from), at(i.bytes));
        return null;
      case 'fill':
        memory.fill(at(i.to), at(i.byte), at(i.bytes));
        return null;
      case 'masked':
        return this.masked(i, frame);
      case 'update': {
        const old = memory.peek(at(i.pointer), i.value.type) as bigint;
        memory.update(
          at(i.pointer),
          i.value.type,
          update(i.which, bitsOf(i.value.type), old, frame.get(i.value) as bigint),
        );
        return old;
      }
      case 'exchange': {
        const old = memory.peek(at(i.pointer), i.value.type);
        const isSame = old === frame.get(i.expected);
        memory.update(at(i.pointer), i.value.type, isSame ? frame.get(i.value) : old);
        return [old, isSame ? 1n : 0n];
      }
      case 'call': {
        const callee = typeof i.callee === 'number' ? i.callee : at(i.callee);
        return this.call(
          this.module.routines[callee],
          i.args.map((a) => frame.get(a)),
          depth + 1,
        );
      }
      case 'note':
        this.notes.push(at(i.pointer));
        return null;
    }
  }

  private masked({ which, pointer, mask, value }: Extract<Instruction, { op: 'masked' }>, frame: Frame): Data | null {
    const { of } = value.type as ManyType;
    const where = frame.get(pointer),
      active = frame.get(mask) as readonly Data[],
      values = frame.get(value) as readonly Data[];
    const place = (lane: number): number =>
      Number(Array.isArray(where) ? where[lane] : (where as bigint) + BigInt(lane * allocBytes(of)));
    const isLoad = which === 'load' || which === 'gather';
    const loaded = values.map((old, lane) => {
      if (active[lane] === 0n) return old;
      if (isLoad) return this.memory.load(place(lane), of);
      this.memory.store(place(lane), of, old);
      return old;
    });
    return isLoad ? loaded : null;
  }
}

class Frame {
  readonly #values = new Map<number, Data>();

  constructor(
    private readonly module: IrModule,
    private readonly memory: Memory,
  ) {}

  set(id: number, data: Data): void {
    this.#values.set(id, data);
  }

  get(operand: Operand): Data {
    switch (operand.kind) {
      case 'value': {
        const data = this.#values.get(operand.id);
        if (data === undefined) throw new NotRunnable(`%v${operand.id} has no value`);
        return data;
      }
      case 'constant':
        return operand.data;
      case 'global':
        return BigInt(this.memory.globalAt(operand.index));
      case 'function':
        return BigInt(this.module.routines[operand.index].index);
      case 'poison':
        throw new NotRunnable('poison is looked at');
    }
  }

  parts(operand: Operand): Data[] {
    if (operand.kind !== 'poison') return [...frozen(this.get(operand))];
    const { type } = operand;
    return new Array<Data>(type.kind === 'struct' ? type.fields.length : (type as ManyType).count).fill(0n);
  }
}

const frozen = (data: Data): readonly Data[] => data as readonly Data[];

/** The operation on each lane of vectors, or on the values themselves. */
function lanewise(type: Type, operands: readonly Data[], on: (type: Type, operands: readonly Data[]) => Data): Data {
  if (type.kind !== 'vector') return on(type, operands);
  return frozen(operands[0]).map((_, lane) =>
    on(
      type.of,
      operands.map((operand) => frozen(operand)[lane]),
    ),
  );
}

function binary(which: string, type: Type, x: Data, y: Data): Data {
  if (type.kind === 'float' || type.kind === 'double') {
    const [a, b] = [x as number, y as number];
    const exact = which === 'fadd' ? a + b : which === 'fsub' ? a - b : a * b;
    return type.kind === 'float' ? Math.fround(exact) : exact;
  }
  const bits = bitsOf(type);
  const [a, b] = [x as bigint, y as bigint];
  if (['shl', 'lshr', 'ashr'].includes(which) && b >= BigInt(bits)) throw new NotRunnable('a shift too far');
  switch (which) {
    case 'add':
      return unsigned(a + b, bits);
    case 'sub':
      return unsigned(a - b, bits);
    case 'mul':
      return unsigned(a * b, bits);
    case 'and':
      return a & b;
    case 'or':
      return a | b;
    case 'xor':
      return a ^ b;
    case 'shl':
      return unsigned(a << b, bits);
    case 'lshr':
      return a >> b;
    case 'ashr':
      return unsigned(signed(a, bits) >> b, bits);
    case 'udiv':
    case 'urem':
      if (b === 0n) throw new NotRunnable('a division by zero');
      return which === 'udiv' ? a / b : a % b;
    default:
      throw new Error(`binary ${which}`);
  }
}

function cast(which: string, from: Type, to: Type, data: Data): Data {
  if (from.kind === 'vector' && to.kind === 'vector' && which !== 'bitcast')
    return frozen(data).map((lane) => cast(which, from.of, to.of, lane));
  switch (which) {
    case 'freeze':
    case 'zext':
    case 'fpext':
      return data;
    case 'trunc':
      return unsigned(data as bigint, bitsOf(to));
    case 'sext':
      return unsigned(signed(data, bitsOf(from)), bitsOf(to));
    case 'sitofp':
      return to.kind === 'float' ? Math.fround(Number(signed(data, bitsOf(from)))) : Number(signed(data, bitsOf(from)));
    case 'bitcast': {
      const bytes = new DataView(new ArrayBuffer(16));
      Memory.write(bytes, 0, from, data);
      return Memory.read(bytes, 0, to);
    }
    default:
      throw new Error(`cast ${which}`);
  }
}

function compare(which: string, type: Type, a: Data, b: Data): boolean {
  const isSigned = which.startsWith('s') && type.kind === 'int';
  const x = isSigned ? signed(a, bitsOf(type)) : a,
    y = isSigned ? signed(b, bitsOf(type)) : b;
  switch (which) {
    case 'eq':
      return x === y;
    case 'ne':
    case 'une':
      return x !== y;
    case 'ult':
    case 'slt':
    case 'olt':
      return x < y;
    case 'ule':
    case 'sle':
      return x <= y;
    case 'ugt':
    case 'sgt':
      return x > y;
    case 'uge':
    case 'sge':
    case 'oge':
      return x >= y;
    default:
      throw new Error(`compare ${which}`);
  }
}

function update(which: string, bits: number, old: bigint, value: bigint): bigint {
  const less = signed(old, bits) < signed(value, bits);
  switch (which) {
    case 'xchg':
      return value;
    case 'nand':
      return unsigned(~(old & value), bits);
    case 'max':
      return less ? value : old;
    case 'min':
      return less ? old : value;
    case 'umax':
      return old < value ? value : old;
    case 'umin':
      return old < value ? old : value;
    default:
      return binary(which, { kind: 'int', bits }, old, value) as bigint;
  }
}

/** A vector of indices gives a vector of pointers. */
function gep(i: Extract<Instruction, { op: 'gep' }>, frame: Frame): Data {
  const indices = i.indices.map((index) => ({ type: index.type, data: frame.get(index) }));
  const lanes = indices.find(({ type }) => type.kind === 'vector')?.type as ManyType | undefined;
  const base = frame.get(i.base) as bigint;
  const address = (lane: number): bigint => {
    let at = base;
    let type: Type = i.element;
    indices.forEach((index, position) => {
      const number =
        index.type.kind === 'vector'
          ? signed(frozen(index.data)[lane], bitsOf(index.type.of))
          : signed(index.data, bitsOf(index.type));
      if (position > 0 && type.kind === 'struct') {
        at += BigInt(fieldOffset(type, Number(number)));
        type = type.fields[Number(number)];
        return;
      }
      if (position > 0) type = (type as ManyType).of;
      at += number * BigInt(allocBytes(type));
    });
    return unsigned(at, 64);
  };
  return lanes ? Array.from({ length: lanes.count }, (_, lane) => address(lane)) : address(0);
}
