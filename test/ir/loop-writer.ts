// Stage: random IR. Loops: what they count and how, where they are left, and accesses at places that follow from the
// count.
import type { Block, Operand, Predicate, Value } from './module.js';
import { constant, greatestPower, number, type FunctionWriter, type Place } from './function-writer.js';
import {
  allocBytes,
  alignment,
  array,
  I32,
  I64,
  I8,
  int,
  PTR,
  storeBytes,
  struct,
  type IntType,
  type Type,
} from './types.js';

/** An integer and between what it stays. */
interface Index {
  readonly value: Value;
  readonly lo: number;
  readonly hi: number;
}

interface Shape {
  readonly type: IntType;
  readonly start: number;
  readonly step: number;
  /** Rounds, at most. */
  readonly most: number;
  /** As it is if the program knows it only when it runs. */
  readonly isDynamic: boolean;
  readonly test: 'top' | 'middle' | 'bottom';
}

type WriteStatements = (f: FunctionWriter, depth: number, count: number) => void;

export function writeLoop(f: FunctionWriter, depth: number, statements: WriteStatements): void {
  const before = f.volatilePercent;
  f.volatilePercent = 1;
  new LoopWriter(f, depth, statements).run();
  f.volatilePercent = before;
}

const ELEMENTS: readonly Type[] = [
  I8,
  int(16),
  I32,
  I32,
  I64,
  I64,
  struct([I32, I32]),
  struct([I64, int(16), int(16), I32]),
  array(3, I32),
];

class LoopWriter {
  readonly #shape: Shape;
  readonly #header: Block;
  readonly #after: Block;
  #counter!: Value;
  #total!: Value;
  /** The value of `#total` where the next instruction comes. */
  #sum!: Operand;
  #next!: Value;
  #bound!: Operand;
  #indices: Index[] = [];
  readonly #back: { block: Block; value: Operand }[] = [];
  readonly #leaving: { block: Block; value: Operand }[] = [];
  #stride: Index | null = null;
  #walking: { pointer: Value; element: number; place: Place } | null = null;
  #wrapping: Value | null = null;

  constructor(
    private readonly f: FunctionWriter,
    private readonly depth: number,
    private readonly statements: WriteStatements,
  ) {
    this.#shape = chooseShape(f, depth);
    this.#header = f.newBlock();
    this.#after = f.newBlock();
  }

  run(): void {
    const { f } = this;
    const { random } = f;
    const { type, start, test } = this.#shape;
    const isLast = (): boolean => random.chance(50);
    this.#bound = this.writeBound();
    if (random.chance(25))
      this.#stride = { value: f.binary('and', f.integer(type.bits), number(type, 3)), lo: 0, hi: 3 };
    const walked = random.chance(30) ? this.chooseWalk() : null;
    const wrapped = random.chance(15) ? f.integer(8) : null;
    const entering = this.enter();
    f.start(this.#header);
    this.#counter = f.phi(
      type,
      entering.map((block) => ({ block, value: number(type, start) })),
    );
    this.#total = f.phi(
      I64,
      entering.map((block) => ({ block, value: f.values.find((v) => v.type === I64) ?? number(I64, block.id) })),
    );
    const walk =
      walked &&
      f.phi(
        PTR,
        entering.map((block) => ({ block, value: walked.place.pointer })),
      );
    this.#wrapping =
      wrapped &&
      f.phi(
        I8,
        entering.map((block) => ({ block, value: wrapped })),
      );
    if (walk) this.#walking = { pointer: walk, element: walked.element, place: walked.place };
    this.#sum = this.#total;
    this.#indices = [this.range(this.#counter)];
    const writeSteps = (): (Value | null)[] => {
      this.#next = this.writeNext();
      const stepped = walk && f.gep(I8, walk, [number(I64, walked.element)], false);
      return [stepped, this.#wrapping && f.binary('add', this.#wrapping, number(I8, random.pick([1, 3, 250])))];
    };
    f.scoped(() => {
      const early = random.chance(50) ? writeSteps() : null;
      if (isLast()) this.accesses(random.between(1, 2));
      if (test === 'top') this.testHere();
      this.accesses(random.between(0, 3));
      this.extras();
      if (test === 'middle') this.testHere();
      if (random.chance(25)) this.leaveEarly();
      if (early && random.chance(15)) this.continueEarly();
      this.accesses(random.between(1, 2));
      const [stepped, rewrapped] = early ?? writeSteps();
      const latch = f.block;
      if (test === 'bottom') {
        const again = this.againAt(this.#next);
        this.#leaving.push({ block: latch, value: number(I32, this.#leaving.length) });
        f.branchIf(again, this.#header, this.#after);
      } else f.branch(this.#header);
      this.#back.push({ block: latch, value: this.#sum });
      const close = (phi: Value, value: (from: Operand) => Operand): void => {
        const found = this.#header.instructions.find(({ result }) => result === phi)!;
        if (found.op === 'phi')
          for (const { block, value: sum } of this.#back) found.incoming.push({ block, value: value(sum) });
      };
      close(this.#counter, () => this.#next);
      close(this.#total, (sum) => sum);
      if (walk) close(walk, () => stepped!);
      if (this.#wrapping) close(this.#wrapping, () => rewrapped!);
    });
    f.start(this.#after);
    f.keep(f.phi(I32, this.#leaving));
    f.keep(this.#total);
    f.keep(this.#counter);
  }

  /** The blocks from which the loop is entered. Two of them: a loop without a block of its own before it. */
  private enter(): Block[] {
    const { f } = this;
    const first = f.block;
    if (!f.random.chance(15)) {
      f.branch(this.#header);
      return [first];
    }
    const detour = f.newBlock();
    f.branchIf(f.bit(), detour, this.#header);
    f.start(detour);
    f.branch(this.#header);
    return [first, detour];
  }

  /** The value of the counter when the loop ends. */
  private writeBound(): Operand {
    const { f } = this;
    const { type, start, step, most, isDynamic, test } = this.#shape;
    if (!isDynamic) return number(type, start + step * most);
    const bits = Math.floor(Math.log2(most + 1));
    let rounds: Operand = f.below(type.bits, bits);
    if (test === 'bottom') rounds = f.binary('or', rounds, number(type, 1));
    return f.binary('add', f.binary('mul', rounds, number(type, step)), number(type, start));
  }

  private writeNext(): Value {
    const { f } = this;
    const { type, start, step, most } = this.#shape;
    if (step < 0 && f.random.chance(30))
      return f.binary('sub', this.#counter, number(type, -step), this.flagsOf(start, start + step * most, false));
    return f.binary('add', this.#counter, number(type, step), this.flagsOf(start, start + step * most, step > 0));
  }

  /** Flags of an operation whose operands and result stay between the two, which are inside the signed range. */
  private flagsOf(a: number, b: number, mayBeUnsigned: boolean): string[] {
    const { random } = this.f;
    return [
      ...(mayBeUnsigned && Math.min(a, b) >= 0 && random.chance(50) ? ['nuw'] : []),
      ...(random.chance(50) ? ['nsw'] : []),
    ];
  }

  private range(value: Value): Index {
    const { start, step, most } = this.#shape;
    const end = start + step * most;
    return { value, lo: Math.min(start, end), hi: Math.max(start, end) };
  }

  private againAt(value: Value): Operand {
    const { f } = this;
    const { step, start, most, isDynamic, type } = this.#shape;
    const mayBeUnsigned = Math.min(start, start + step * most) >= 0;
    const predicates: Predicate[] =
      step > 0
        ? ['ne', 'slt', ...(mayBeUnsigned ? (['ult'] as const) : [])]
        : ['ne', 'sgt', ...(mayBeUnsigned ? (['ugt'] as const) : [])];
    const which = f.random.pick(predicates);
    // Between two values of the counter is as good, where they are compared by size.
    const isBetween = !isDynamic && which !== 'ne' && f.random.chance(40);
    const bound =
      isBetween && most > 0
        ? number(type, start + step * most - Math.sign(step) * f.random.below(Math.abs(step)))
        : this.#bound;
    return f.compare(which, value, bound);
  }

  private testHere(): void {
    const { f } = this;
    const inside = f.newBlock();
    const again = this.againAt(this.#counter);
    this.#leaving.push({ block: f.block, value: number(I32, this.#leaving.length) });
    f.branchIf(again, inside, this.#after);
    f.start(inside);
  }

  /** To where the loop ends, to a block on the way there, or out of the function. */
  private leaveEarly(): void {
    const { f } = this;
    const { random } = f;
    const { type, start, step, most } = this.#shape;
    const inside = f.newBlock();
    const own = f.newBlock();
    const isShared = random.chance(40);
    const target = isShared ? this.#after : own;
    const at = number(type, start + step * random.below(most + 1));
    if (random.chance(30)) {
      const cases = [...new Set([random.below(40), random.below(40), 41])].map((value) => ({
        value: BigInt(value),
        to: target,
      }));
      const on = f.binary('and', this.#counter, number(type, 63));
      f.block.terminator = { op: 'switch', on, cases, otherwise: inside };
      // One phi edge for each way in.
      if (isShared) for (const _ of cases) this.#leaving.push({ block: f.block, value: number(I32, 7) });
    } else {
      const condition = random.chance(50)
        ? f.compare('eq', this.#counter, at)
        : f.compare('eq', f.binary('and', this.#sum, number(I64, 31)), number(I64, random.below(32)));
      f.branchIf(condition, target, inside);
      if (isShared) this.#leaving.push({ block: f.block, value: number(I32, 9) });
    }
    if (!isShared) {
      f.start(own);
      f.scoped(() => this.statements(f, 3, 1));
      if (random.chance(25)) f.block.terminator = { op: 'return', value: this.#sum };
      else {
        this.#leaving.push({ block: f.block, value: number(I32, 11) });
        f.branch(this.#after);
      }
    }
    f.start(inside);
  }

  private continueEarly(): void {
    const { f } = this;
    const inside = f.newBlock();
    const { test } = this.#shape;
    if (test === 'bottom') {
      // The bound is tested on this way too.
      const mayGo = f.newBlock();
      f.branchIf(f.compare('eq', f.binary('and', this.#sum, number(I64, 3)), number(I64, 0)), mayGo, inside);
      f.start(mayGo);
      this.#leaving.push({ block: mayGo, value: number(I32, 13) });
      f.branchIf(this.againAt(this.#next), this.#header, this.#after);
      this.#back.push({ block: mayGo, value: this.#sum });
    } else {
      f.branchIf(f.compare('eq', f.binary('and', this.#sum, number(I64, 3)), number(I64, 0)), this.#header, inside);
      this.#back.push({ block: f.block, value: this.#sum });
    }
    f.start(inside);
  }

  /** Writes extras, most of which make the loop one that is not recorded once. */
  private extras(): void {
    const { f, depth } = this;
    const { random } = f;
    if (random.chance(70)) return;
    if (random.chance(50)) {
      const [inner, behind] = [f.newBlock(), f.newBlock()];
      f.branchIf(f.compare('ne', f.binary('and', this.#sum, number(I64, 5)), number(I64, 0)), inner, behind);
      f.start(inner);
      if (random.chance(70)) f.scoped(() => this.statements(f, depth + 1, 1));
      f.branch(behind);
      f.start(behind);
      return;
    }
    f.scoped(() => {
      this.pushRow();
      f.keep(this.#counter);
      if (depth < 2 && random.chance(60)) writeLoop(f, depth + 1, this.statements);
      else this.statements(f, depth + 1, random.between(1, 2));
    });
  }

  /** A row of a matrix, by this loop's counter: what an inner loop walks along. */
  private pushRow(): void {
    const { f } = this;
    const row = array(f.random.pick([8, 17, 32]), I32);
    const at = this.affine(row);
    if (at)
      f.places.push({
        pointer: at.pointer,
        bytes: allocBytes(row),
        align: greatestPower(at.align, allocBytes(row)),
        content: 'data',
        knowsLine: at.place.knowsLine,
      });
  }

  private chooseWalk(): { place: Place; element: number } | null {
    const { f } = this;
    const element = f.random.pick([1, 2, 4, 8, 8, 12, 24]);
    const place = f.find(({ content }) => content === 'data', element * (this.#shape.most + 1) + 16);
    return place ? { place, element } : null;
  }

  private accesses(count: number): void {
    for (let i = 0; i < count; i++) this.access();
  }

  private access(): void {
    const { f } = this;
    const { random } = f;
    const walking = this.#walking;
    if (walking && random.chance(60)) {
      const type = random.pick([I8, I32, I64]);
      const natural = greatestPower(greatestPower(walking.place.align, walking.element), alignment(type));
      const offset = random.below(2) * 8;
      if (!f.dialect.isWhole && natural < alignment(type)) return;
      this.touch(
        type,
        offset === 0 ? walking.pointer : f.gep(I8, walking.pointer, [number(I64, offset)], random.chance(50)),
        natural,
      );
      return;
    }
    const element = random.pick(ELEMENTS);
    if (this.#wrapping && random.chance(60)) {
      const place = f.find(({ content }) => content === 'data', 256 * allocBytes(element));
      if (!place) return;
      const isSigned = random.chance(50);
      const wide = f.cast(isSigned ? 'sext' : 'zext', this.#wrapping, I64);
      const index = isSigned ? f.binary('add', wide, number(I64, 128)) : wide;
      this.touchElement(
        element,
        f.gep(element, place.pointer, [index], false),
        greatestPower(place.align, allocBytes(element)),
      );
      return;
    }
    const at = this.affine(element);
    if (at) this.touchElement(element, at.pointer, at.align);
  }

  /** Somewhere in a place, in steps of the element's size by the counter times something. */
  private affine(element: Type): { pointer: Value; align: number; place: Place } | null {
    const { f } = this;
    const { random } = f;
    const index = random.pick(this.#indices);
    const stride = this.#stride && index.lo >= 0 && random.chance(40) ? this.#stride : null;
    const times = stride ? stride.hi : random.pick([1, 1, 1, 1, 2, 3, -1, -2]);
    const ends = [index.lo * times, index.hi * times, ...(stride ? [0] : [])];
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const bytes = allocBytes(element);
    const needed = (high - low + 1) * bytes;
    const place = f.find(
      ({ content, align }) => content === 'data' && (f.dialect.isWhole || align >= alignment(element)),
      needed,
    );
    if (!place) return null;
    const spare = Math.floor((place.bytes - needed) / bytes);
    const add = random.below(Math.min(spare, 20) + 1) - low;
    const limit = 2 ** ((index.value.type as IntType).bits - 1);
    const fits = [low, high, low + add, high + add, add, times].every((value) => value >= -limit && value < limit);
    const isNarrow = fits && random.chance(60);
    const isNonNegative = index.lo >= 0;
    const widen = (value: Operand, isSafe: boolean): Operand =>
      (value.type as IntType).bits === 64 ? value : f.cast(isSafe && random.chance(50) ? 'zext' : 'sext', value, I64);
    let at: Operand = isNarrow ? index.value : widen(index.value, isNonNegative);
    const type = at.type as IntType;
    const flags = (isSafe: boolean): string[] => [
      ...(isSafe && random.chance(40) ? ['nuw'] : []),
      ...(random.chance(60) ? ['nsw'] : []),
    ];
    if (stride) at = f.binary('mul', at, isNarrow ? stride.value : widen(stride.value, true), flags(true));
    else if (times !== 1)
      at =
        random.chance(30) && times === 2
          ? f.binary('shl', at, number(type, 1), flags(isNonNegative))
          : f.binary('mul', at, number(type, times), flags(isNonNegative && times > 0));
    // One part of the distance before the index, the other within it.
    const before = random.chance(40) ? add : random.chance(30) ? 1 : 0;
    const fitsBefore =
      !isNarrow ||
      [low + add - before, high + add - before, add - before].every((value) => value >= -limit && value < limit);
    const inBase = fitsBefore ? before : 0;
    if (add - inBase !== 0) at = f.binary('add', at, number(type, add - inBase), random.chance(60) ? ['nsw'] : []);
    if (isNarrow && random.chance(70)) at = widen(at, low + add - inBase >= 0);
    const base = inBase === 0 ? place.pointer : f.gep(element, place.pointer, [number(I64, inBase)], false);
    const pointer = f.gep(element, base, [at], inBase === 0 && random.chance(60));
    return { pointer, align: greatestPower(place.align, bytes), place };
  }

  private touchElement(element: Type, pointer: Value, align: number): void {
    const { f } = this;
    const { random } = f;
    if (element.kind === 'int') {
      this.touch(element, pointer, align);
      return;
    }
    if (element.kind === 'struct') {
      const member = random.below(element.fields.length);
      const field = element.fields[member] as IntType;
      const at = f.gep(element, pointer, [number(I32, 0), number(I32, member)], random.chance(70));
      this.touch(field, at, greatestPower(align, storeBytes(field)));
      return;
    }
    if (element.kind === 'array') {
      if (random.chance(30)) f.store(f.load(element, pointer, align), pointer, align);
      else
        this.touch(
          I32,
          f.gep(element, pointer, [number(I32, 0), number(I32, random.below(element.count))], true),
          greatestPower(align, 4),
        );
    }
  }

  private touch(type: IntType, pointer: Value, align: number): void {
    const { f } = this;
    const { random } = f;
    if (!f.dialect.isWhole && align < alignment(type)) return;
    switch (random.below(3)) {
      case 0:
        this.add(f.load(type, pointer, align));
        return;
      case 1:
        f.store(
          random.chance(50) ? this.narrow(this.#sum, type) : constant(type, BigInt(random.below(100))),
          pointer,
          align,
        );
        return;
      default: {
        const old = f.load(type, pointer, align);
        f.store(f.binary('add', old, this.narrow(this.#sum, type)), pointer, align);
        this.add(old);
      }
    }
  }

  private narrow(value: Operand, type: IntType): Operand {
    return type.bits === 64 ? value : this.f.cast('trunc', value, type);
  }

  private add(value: Value): void {
    const { f } = this;
    const wide = (value.type as IntType).bits === 64 ? value : f.cast('zext', value, I64);
    this.#sum = f.binary(f.random.pick(['add', 'xor', 'sub']), this.#sum, wide);
  }
}

function chooseShape(f: FunctionWriter, depth: number): Shape {
  const { random } = f;
  const test = random.pick(['top', 'middle', 'bottom', 'bottom'] as const);
  const least = test === 'bottom' ? 1 : 0;
  const most = random.pick([
    least,
    1,
    2,
    3,
    random.between(4, 12),
    random.between(4, 12),
    random.between(13, 40),
    depth === 0 ? random.between(100, 250) : random.between(2, 6),
  ]);
  const isDynamic = most > 0 && random.chance(45);
  const bits = random.pick([16, 32, 32, 32, 64, 64, ...(most < 40 ? [8] : [])]);
  const step = random.pick([1, 1, 1, -1, -1, 2, -2, ...(most < 30 ? [3, -3] : [])]);
  const reach = step * most;
  const start = random.pick([
    step > 0 ? 0 : -reach,
    step > 0 ? 0 : -reach,
    step > 0 ? random.between(0, 9) : -reach + random.below(9),
    random.between(-12, 5),
  ]);
  return { type: int(bits), start, step, most, isDynamic, test };
}
