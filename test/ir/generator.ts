// Stage: random IR. A seed -> a module whose computation is defined: every access is inside its memory, nothing is
// looked at that was not written.
import { RandomNumbers } from '../random/random-numbers.js';
import * as accesses from './access-writer.js';
import { constant, FunctionWriter, number, type Dialect, type Place } from './function-writer.js';
import { writeLoop } from './loop-writer.js';
import {
  ARENA,
  DATA_BYTES,
  DOUBLES,
  DOUBLES_BYTES,
  FLOATS,
  FLOATS_BYTES,
  HOLES,
  POINTERS,
  POINTERS_BYTES,
  type Data,
  type Global,
  type IrModule,
  type Operand,
  type Routine,
  type Value,
} from './module.js';
import {
  allocBytes,
  alignment,
  array,
  I32,
  I64,
  I8,
  int,
  PTR,
  type ManyType,
  type StructType,
  type Type,
} from './types.js';

/** Bytes that every function may rely on behind its first parameter. */
const GIVEN_BYTES = 512;
const PARAMETERS: readonly Type[] = [PTR, I64, I32];
const ATTRIBUTES = [[], ['nounwind'], ['noinline'], ['noinline', 'nounwind']];

export const WHOLE: Dialect = { isWhole: true };
export const BUILDER: Dialect = { isWhole: false };

export function generateModule(seed: number, dialect: Dialect): IrModule {
  const random = new RandomNumbers(seed);
  const globals = Array.from({ length: random.between(1, 4) }, (_, index) => makeGlobal(random, index, dialect));
  const routines: Routine[] = [];
  const count = random.between(1, 6);
  for (let index = 0; index < count; index++) {
    const isEntry = index === count - 1;
    if (index === 2 && random.chance(60))
      globals.push({
        index: globals.length,
        type: array(2, PTR),
        data: [0n, 0n],
        isLocal: random.chance(50),
        functions: [0, 1],
      });
    const attributes = isEntry ? [] : random.pick(ATTRIBUTES);
    const f = new FunctionWriter(random, dialect, index, isEntry ? [PTR] : PARAMETERS, attributes);
    new BodyWriter(f, routines, globals).run();
    routines.push(f.routine);
  }
  return { routines, globals };
}

function makeGlobal(random: RandomNumbers, index: number, dialect: Dialect): Global {
  const isLocal = random.chance(50);
  if (random.chance(25)) {
    const type = array(16, random.pick(accesses.HOLED));
    return { index, type, data: zero(type), isLocal, functions: null };
  }
  const of = int(random.pick([8, 16, 32, 64]));
  const length = random.pick([16, 64, 100, 300]);
  const data = Array.from({ length }, () => BigInt(random.below(dialect.isWhole ? 200 : 2)));
  return { index, type: array(length, of), data, isLocal, functions: null };
}

export function zero(type: Type): Data {
  switch (type.kind) {
    case 'struct':
      return type.fields.map(zero);
    case 'array':
    case 'vector':
      return new Array<Data>(type.count).fill(zero(type.of));
    case 'float':
    case 'double':
      return 0;
    default:
      return 0n;
  }
}

class BodyWriter {
  constructor(
    private readonly f: FunctionWriter,
    private readonly callees: readonly Routine[],
    private readonly globals: readonly Global[],
  ) {}

  run(): void {
    const { f } = this;
    const { random } = f;
    const [pointer, ...others] = f.routine.parameters;
    this.addArena(pointer);
    this.addGlobals();
    f.values.push(...others);
    for (let i = random.below(3); i > 0; i--) this.addVariable();
    if (others.length && random.chance(35)) this.recurse(pointer, others[1]);
    this.statements(0, random.between(5, 16));
    this.finish(pointer);
  }

  private addArena(given: Value): void {
    const { f } = this;
    const isEntry = f.routine.parameters.length === 1;
    const fixed = (address: number): Operand => constant(PTR, BigInt(address));
    const whole = { align: 64, knowsLine: true };
    f.places.push(
      {
        pointer: given,
        bytes: isEntry ? DATA_BYTES : GIVEN_BYTES,
        content: 'data',
        knowsLine: true,
        align: isEntry ? 64 : 8,
      },
      { pointer: fixed(ARENA + 1024), bytes: DATA_BYTES - 1024, content: 'data', ...whole },
      { pointer: fixed(DOUBLES), bytes: DOUBLES_BYTES, content: 'doubles', ...whole },
      { pointer: fixed(FLOATS), bytes: FLOATS_BYTES, content: 'floats', ...whole },
      { pointer: fixed(POINTERS), bytes: POINTERS_BYTES, content: 'pointers', ...whole },
      ...accesses.HOLED.map(
        (holes, i): Place => ({ pointer: fixed(HOLES + 1024 * i), bytes: 1024, content: { holes }, ...whole }),
      ),
    );
  }

  private addGlobals(): void {
    for (const { index, type, functions } of this.globals) {
      if (functions) continue;
      const { of } = type as ManyType;
      const content = of.kind === 'struct' ? { holes: of } : 'data';
      const align = this.f.dialect.isWhole ? 64 : alignment(type);
      this.f.places.push({
        pointer: { kind: 'global', index, type: PTR },
        bytes: allocBytes(type),
        align,
        content,
        knowsLine: this.f.dialect.isWhole,
      });
    }
  }

  private addVariable(): void {
    const { f } = this;
    const { random, dialect } = f;
    const holes = random.chance(25) ? random.pick(accesses.HOLED) : null;
    const of = holes ?? random.pick([I8, I32, I64]);
    const length = holes ? random.between(2, 4) : random.pick([1, 4, 16, 40]);
    const type = length === 1 ? of : array(length, of);
    const knowsLine = dialect.isWhole && random.chance(50);
    const align = knowsLine
      ? 64
      : dialect.isWhole
        ? random.pick([alignment(type), 8, 16].filter((a) => a >= alignment(type)))
        : alignment(type);
    const pointer = f.emit({ op: 'alloca', allocated: type, align }, PTR);
    if (random.chance(60)) f.emitVoid({ op: 'note', pointer });
    if (holes) accesses.fillHoled(f, pointer, holes as StructType, length);
    else if (knowsLine)
      f.emitVoid({
        op: 'fill',
        to: pointer,
        byte: number(I8, random.below(256)),
        bytes: number(I64, allocBytes(type)),
      });
    else
      for (let i = 0; i < length; i++)
        f.store(
          f.integer((of as { bits: number } & Type).bits),
          f.gep(of, pointer, [number(I64, i)], true),
          alignment(of),
        );
    f.places.push({ pointer, bytes: allocBytes(type), align, content: holes ? { holes } : 'data', knowsLine });
  }

  statements(depth: number, count: number): void {
    for (let i = 0; i < count; i++) this.statement(depth);
  }

  private statement(depth: number): void {
    const { f } = this;
    const { isWhole } = f.dialect;
    const choices: readonly [number, () => void][] = [
      [10, () => accesses.scalarLoad(f)],
      [10, () => accesses.scalarStore(f)],
      [6, () => accesses.arithmetic(f)],
      [4, () => accesses.aggregate(f)],
      [4, () => accesses.holed(f)],
      [4, () => accesses.block(f)],
      [4, () => accesses.pointer(f)],
      [2, () => accesses.pickPlace(f)],
      [4, () => accesses.floating(f)],
      [isWhole ? 5 : 0, () => accesses.vectors(f)],
      [isWhole ? 4 : 0, () => accesses.atomic(f)],
      [depth < 3 ? 5 : 0, () => this.ifElse(depth)],
      [depth < 3 ? 3 : 0, () => this.choose(depth)],
      [
        depth === 0 ? 24 : depth === 1 ? 3 : 0,
        () => writeLoop(f, depth, (_, deeper, count) => this.statements(deeper, count)),
      ],
      [depth === 0 ? 4 : 1, () => this.call()],
      [depth < 3 ? 1 : 0, () => this.returnEarly()],
      [depth === 0 && isWhole ? 1 : 0, () => this.tangle()],
    ];
    let at = f.random.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, write] of choices) {
      if (at < weight) return write();
      at -= weight;
    }
  }

  private ifElse(depth: number): void {
    const { f } = this;
    const { random } = f;
    const [yes, no, behind] = [f.newBlock(), f.newBlock(), f.newBlock()];
    const hasElse = random.chance(50);
    const before = f.block;
    f.branchIf(f.bit(), yes, hasElse ? no : behind);
    const give = (): Value => {
      this.statements(depth + 1, random.between(1, 3));
      return f.cast('trunc', f.binary('add', f.integer(64), number(I64, 1)), I32);
    };
    const incoming = [yes, ...(hasElse ? [no] : [])].map((block) => {
      f.start(block);
      const value = f.scoped(give);
      const end = { block: f.block, value: value as Operand };
      f.branch(behind);
      return end;
    });
    if (!hasElse) incoming.push({ block: before, value: number(I32, 5) });
    f.start(behind);
    f.keep(f.phi(I32, incoming));
  }

  /** A switch; some of its cases are one, some fall through to the next. */
  private choose(depth: number): void {
    const { f } = this;
    const { random } = f;
    const type = int(random.pick([8, 32, 64]));
    const on = f.below(type.bits, 3);
    const arms = Array.from({ length: random.between(2, 4) }, () => f.newBlock());
    const behind = f.newBlock();
    const values = [0, 1, 2, 3, 4, 5, 6].slice(0, random.between(2, 7));
    const cases = values.map((value) => ({ value: BigInt(value), to: random.pick(arms.slice(1)) }));
    f.block.terminator = { op: 'switch', on, cases, otherwise: arms[0] };
    arms.forEach((arm, i) => {
      f.start(arm);
      f.scoped(() => this.statements(depth + 1, random.between(1, 2)));
      f.branch(i + 1 < arms.length && random.chance(40) ? arms[i + 1] : behind);
    });
    f.start(behind);
  }

  private returnEarly(): void {
    const { f } = this;
    const [leave, stay] = [f.newBlock(), f.newBlock()];
    f.branchIf(f.compare('eq', f.below(32, 4), number(I32, f.random.below(16))), leave, stay);
    f.start(leave);
    f.scoped(() => this.statements(3, 1));
    f.block.terminator = { op: 'return', value: f.scoped(() => f.integer(64)) };
    f.start(stay);
  }

  /** Two blocks that lead to one another, entered at either: a cycle without a header. */
  private tangle(): void {
    const { f } = this;
    const { random } = f;
    const [one, two, behind] = [f.newBlock(), f.newBlock(), f.newBlock()];
    const before = f.block;
    const place = f.find(({ content, bytes }) => content === 'data' && bytes >= 256, 256)!;
    f.branchIf(f.bit(), one, two);
    const begin = number(I64, random.between(1, 15));
    f.start(one);
    const left = f.value(I64);
    const first = f.phi(I64, [
      { block: before, value: begin },
      { block: two, value: left },
    ]);
    f.store(f.cast('trunc', first, I32), f.gep(I32, place.pointer, [first], false), Math.min(place.align, 4));
    f.branch(two);
    f.start(two);
    const second = f.phi(I64, [
      { block: before, value: begin },
      { block: one, value: first },
    ]);
    f.load(I32, f.gep(I32, place.pointer, [second], true), Math.min(place.align, 4));
    f.block.instructions.push({
      op: 'binary',
      which: 'sub',
      a: second,
      b: number(I64, 1),
      flags: ['nsw'],
      result: left,
    });
    f.branchIf(f.compare('sgt', left, number(I64, 0)), one, behind);
    f.start(behind);
  }

  private handed(mayBeLocal: boolean): Operand {
    const { f } = this;
    const isLocal = ({ pointer }: Place): boolean => pointer.kind === 'value' && pointer !== f.routine.parameters[0];
    const place = f.find(
      (p) => p.content === 'data' && p.knowsLine && p.align >= 8 && (mayBeLocal || !isLocal(p)),
      GIVEN_BYTES,
    )!;
    return place.pointer;
  }

  private call(): void {
    const { f } = this;
    const { random } = f;
    const table = this.globals.find(({ functions }) => functions);
    if (this.callees.length === 0) return;
    const args = [this.handed(true), f.integer(64), f.integer(32)];
    if (table && random.chance(40)) {
      const at = f.gep(
        array(2, PTR),
        { kind: 'global', index: table.index, type: PTR },
        [number(I64, 0), f.below(64, 1)],
        true,
      );
      f.keep(f.emit({ op: 'call', callee: f.load(PTR, at, 8), args, tail: '' }, I64));
      return;
    }
    f.keep(f.emit({ op: 'call', callee: random.below(this.callees.length), args, tail: '' }, I64));
  }

  /** As deep as the last two bits of the third parameter say. */
  private recurse(pointer: Value, depth: Value): void {
    const { f } = this;
    const [again, behind] = [f.newBlock(), f.newBlock()];
    const left = f.binary('and', depth, number(I32, 3));
    const before = f.block;
    f.branchIf(f.compare('ne', left, number(I32, 0)), again, behind);
    f.start(again);
    const given = f.emit(
      {
        op: 'call',
        callee: f.routine.index,
        args: [pointer, f.integer(64), f.binary('sub', left, number(I32, 1))],
        tail: '',
      },
      I64,
    );
    f.branch(behind);
    f.start(behind);
    f.keep(
      f.phi(I64, [
        { block: before, value: number(I64, 3) },
        { block: again, value: given },
      ]),
    );
  }

  private finish(pointer: Value): void {
    const { f } = this;
    const { random } = f;
    const isEntry = f.routine.parameters.length === 1;
    if (this.callees.length === 0 || random.chance(60)) {
      f.block.terminator = { op: 'return', value: f.integer(64) };
      return;
    }
    const mustBeTail = f.dialect.isWhole && !isEntry && random.chance(50);
    const tail = mustBeTail ? 'musttail ' : f.dialect.isWhole && random.chance(50) ? 'tail ' : '';
    const args = [isEntry ? this.handed(false) : pointer, f.integer(64), f.integer(32)];
    const value = f.emit({ op: 'call', callee: random.below(this.callees.length), args, tail }, I64);
    f.block.terminator = { op: 'return', value };
  }
}
