// Stage: random IR. Single statements that access memory: scalars, vectors, aggregates, blocks, atomics, pointers,
// floating point.
import type { Operand, UpdateOp } from './module.js';
import { POINTED_BYTES } from './module.js';
import { constant, number, type FunctionWriter, type Place } from './function-writer.js';
import {
  allocBytes,
  alignment,
  array,
  DOUBLE,
  fieldOffset,
  FLOAT,
  I1,
  I32,
  I64,
  I8,
  int,
  PTR,
  storeBytes,
  struct,
  vector,
  type ManyType,
  type StructType,
  type Type,
} from './types.js';

const isData = ({ content }: Place): boolean => content === 'data';
const HAS_LINE = (place: Place): boolean => isData(place) && place.knowsLine;

/** An access of a type somewhere in raw bytes, aligned as it should be or not at all. */
function somewhere(f: FunctionWriter, type: Type): { pointer: Operand; align: number } | null {
  const natural = alignment(type);
  const place = f.find(
    (candidate) => isData(candidate) && (f.dialect.isWhole || candidate.align >= natural),
    storeBytes(type),
  );
  if (!place) return null;
  const isAligned = !f.dialect.isWhole || f.random.chance(70);
  const found = f.within(place, storeBytes(type), isAligned ? natural : 1);
  return { pointer: found.pointer, align: isAligned ? Math.max(found.align, 1) : found.align };
}

export function scalarLoad(f: FunctionWriter): void {
  const type = int(f.random.pick([8, 16, 32, 32, 64, 64, ...(f.dialect.isWhole ? [24, 128] : [])]));
  const at = somewhere(f, type);
  if (at) f.keep(f.load(type, at.pointer, at.align, type.bits !== 24));
}

export function scalarStore(f: FunctionWriter): void {
  const type = int(f.random.pick([8, 16, 32, 32, 64, 64, ...(f.dialect.isWhole ? [1, 24, 128] : [])]));
  const at = somewhere(f, type);
  if (at)
    f.store(type.bits === 1 ? f.bit() : f.integer(type.bits), at.pointer, at.align, type.bits >= 8 && type.bits !== 24);
}

export function arithmetic(f: FunctionWriter): void {
  const { random } = f;
  const type = int(random.pick([8, 16, 32, 64]));
  const a = f.integer(type.bits);
  const which = random.pick([
    'add',
    'sub',
    'mul',
    'and',
    'or',
    'xor',
    'shl',
    'lshr',
    'ashr',
    ...(f.dialect.isWhole ? (['udiv', 'urem'] as const) : []),
  ] as const);
  let b = f.integer(type.bits);
  if (which === 'shl' || which === 'lshr' || which === 'ashr') b = f.binary('and', b, number(type, type.bits - 1));
  if (which === 'udiv' || which === 'urem') b = f.binary('or', b, number(type, 1));
  const result = f.binary(which, a, b);
  if (f.dialect.isWhole && random.chance(10)) {
    f.keep(f.cast('freeze', result, type));
    return;
  }
  f.keep(random.chance(20) ? f.emit({ op: 'select', condition: f.bit(), a: result, b: a }, type) : result);
}

const DENSE: readonly Type[] = [
  array(3, int(16)),
  array(4, I64),
  struct([I32, int(16), int(16), I64]),
  struct([array(2, I8), int(16), array(1, I32)]),
  struct([I64, struct([I32, I32])]),
];
const PACKED: readonly Type[] = [struct([I8, I32, int(16)], true), struct([int(16), I64], true)];
export const HOLED: readonly Type[] = [
  struct([I8, I32, int(16)]),
  struct([I64, I8]),
  struct([int(16), array(3, I8), I64, I8]),
];

/** A value of the type, built up member by member. */
function build(f: FunctionWriter, type: Type): Operand {
  if (type.kind === 'int') return f.integer(type.bits);
  const members =
    type.kind === 'struct' ? type.fields : new Array<Type>((type as ManyType).count).fill((type as ManyType).of);
  let whole: Operand = { kind: 'poison', type };
  members.forEach(
    (member, index) => (whole = f.emit({ op: 'insertvalue', a: whole, value: build(f, member), index }, type)),
  );
  return whole;
}

function takeApart(f: FunctionWriter, value: Operand): void {
  let { type } = value;
  let part = value;
  while (type.kind === 'struct' || type.kind === 'array') {
    const index: number = f.random.below(type.kind === 'struct' ? type.fields.length : type.count);
    type = type.kind === 'struct' ? type.fields[index] : type.of;
    part = f.emit({ op: 'extractvalue', a: part, index }, type);
  }
  if (part.kind === 'value') f.keep(part);
}

export function aggregate(f: FunctionWriter): void {
  const type = f.random.pick(f.dialect.isWhole ? [...DENSE, ...PACKED] : DENSE);
  const at = somewhere(f, type);
  if (!at) return;
  if (f.random.chance(50)) takeApart(f, f.load(type, at.pointer, at.align));
  else f.store(build(f, type), at.pointer, at.align);
}

/** Structs with padding: as a whole or by member, never by byte. */
export function holed(f: FunctionWriter): void {
  const place = f.find(({ content }) => typeof content === 'object', 1);
  if (!place || typeof place.content !== 'object') return;
  const type = place.content.holes as StructType;
  const count = Math.floor(place.bytes / allocBytes(type));
  const bits = Math.floor(Math.log2(count));
  const index = f.random.chance(50) ? number(I64, f.random.below(count)) : f.below(64, bits);
  const { random } = f;
  if (random.chance(40)) {
    const pointer = f.gep(type, place.pointer, [index], random.chance(60));
    if (random.chance(50)) f.store(build(f, type), pointer, alignment(type));
    else takeApart(f, f.load(type, pointer, alignment(type)));
    return;
  }
  const member = random.below(type.fields.length);
  let field = type.fields[member];
  const path: Operand[] = [index, number(I32, member)];
  if (field.kind === 'array') {
    path.push(f.widen(number(I64, random.below(field.count))));
    field = field.of;
  }
  const pointer = f.gep(type, place.pointer, path, random.chance(70));
  const { bits: width } = field as { bits: number } & Type;
  if (random.chance(50)) f.store(f.integer(width), pointer, alignment(field));
  else f.keep(f.load(field, pointer, alignment(field)));
}

/** Every member of every struct, so that nothing is looked at before it was written. */
export function fillHoled(f: FunctionWriter, pointer: Operand, type: StructType, count: number): void {
  for (let i = 0; i < count; i++) {
    if (f.random.chance(50)) {
      f.store(build(f, type), f.gep(type, pointer, [number(I64, i)], true), alignment(type));
      continue;
    }
    type.fields.forEach((field, member) => {
      const at = f.gep(I8, pointer, [number(I64, i * allocBytes(type) + fieldOffset(type, member))], true);
      f.store(build(f, field), at, alignment(field));
    });
  }
}

export function block(f: FunctionWriter): void {
  const { random } = f;
  const [to, from] = [
    f.find(HAS_LINE, 16),
    f.find((place) => place.content !== 'pointers' && typeof place.content !== 'object' && place.knowsLine, 16),
  ];
  if (!to || !from) return;
  const most = Math.min(to.bytes, from.bytes, 400);
  const known = random.below(Math.min(most, random.chance(30) ? 400 : 40) + 1);
  const bits = Math.floor(Math.log2(most + 1));
  const isDynamic = random.chance(40);
  const bytes = isDynamic ? f.below(64, Math.min(bits, 6)) : number(I64, known);
  const reach = isDynamic ? 2 ** Math.min(bits, 6) - 1 : known;
  const target = f.within(to, reach).pointer;
  if (random.chance(35)) f.emitVoid({ op: 'fill', to: target, byte: f.integer(8), bytes });
  else
    f.emitVoid({
      op: 'copy',
      which:
        !isDynamic && f.dialect.isWhole && random.chance(20) && to !== from && known < 64 && !mayMeet(to, from)
          ? 'memcpy.inline'
          : mayMeet(to, from)
            ? 'memmove'
            : 'memcpy',
      to: target,
      from: f.within(from, reach).pointer,
      bytes,
    });
}

/** memcpy is for memory apart. Two places of raw bytes may be one; of floating point and raw bytes never. */
const mayMeet = (a: Place, b: Place): boolean => a.content === b.content;

export function pointer(f: FunctionWriter): void {
  const { random } = f;
  const place = f.find(({ content }) => content === 'pointers', 8);
  if (!place) return;
  const { pointer: slot } = f.within(place, 8, 8);
  if (random.chance(30)) {
    const shared = f.find((candidate) => isData(candidate) && candidate.knowsLine && inArena(candidate), POINTED_BYTES);
    if (shared && shared.align >= 8) f.store(shared.pointer, slot, 8);
    return;
  }
  const loaded = f.load(PTR, slot, 8);
  f.places.push({ pointer: loaded, bytes: POINTED_BYTES, align: 8, content: 'data', knowsLine: true });
}

/**
 * A pointer that was loaded from memory points into the arena; so does the first parameter. Others may be gone, or
 * elsewhere in each build.
 */
const inArena = ({ pointer: at }: Place): boolean => at.kind === 'constant';

export function pickPlace(f: FunctionWriter): void {
  const [a, b] = [f.find(isData, 32), f.find(isData, 32)];
  if (!a || !b || a === b || a.align < 1) return;
  const chosen = f.emit({ op: 'select', condition: f.bit(), a: a.pointer, b: b.pointer }, PTR);
  f.places.push({
    pointer: chosen,
    bytes: Math.min(a.bytes, b.bytes),
    align: Math.min(a.align, b.align),
    content: 'data',
    knowsLine: a.knowsLine && b.knowsLine,
  });
}

/** Only what is computed from small integers meets arithmetic, so no NaN ever comes about. */
export function floating(f: FunctionWriter): void {
  const { random } = f;
  const type = random.chance(50) ? DOUBLE : FLOAT;
  const place = f.find(({ content }) => content === (type === DOUBLE ? 'doubles' : 'floats'), storeBytes(type));
  if (!place) return;
  const { pointer: at } = f.within(place, storeBytes(type), storeBytes(type));
  const small = (): Operand => f.cast('sitofp', f.integer(random.pick([8, 16])), type);
  if (random.chance(50)) {
    const value = f.binary(
      random.pick(['fadd', 'fsub', 'fmul']),
      small(),
      random.chance(50) ? constant(type, random.pick([0.5, -2, 1.25])) : small(),
    );
    f.store(value, at, storeBytes(type));
    return;
  }
  const loaded = f.load(type, at, storeBytes(type));
  if (random.chance(50)) f.keep(f.cast('bitcast', loaded, int(storeBytes(type) * 8)));
  else f.keep(f.cast('zext', f.compare(random.pick(['olt', 'oge', 'une']), loaded, small()), I32));
}

export function vectors(f: FunctionWriter): void {
  const { random } = f;
  const of = int(random.pick([8, 16, 32, 64]));
  const type = vector(random.pick([2, 3, 4, 8]), of);
  const at = somewhere(f, type);
  if (!at) return;
  const lanes = (): number[] => Array.from({ length: type.count }, () => random.below(2 * type.count));
  const loaded = f.load(type, at.pointer, at.align);
  const splat = f.emit(
    {
      op: 'insertelement',
      a: constant(
        type,
        Array.from({ length: type.count }, (_, i) => BigInt(i)),
      ),
      value: f.integer(of.bits),
      index: number(I32, random.below(type.count)),
    },
    type,
  );
  const mixed = f.binary(
    random.pick(['add', 'xor', 'mul', 'sub']),
    loaded,
    f.emit({ op: 'shuffle', a: splat, b: loaded, lanes: lanes() }, type),
  );
  const index = type.count === 3 ? number(I64, random.below(3)) : f.below(64, Math.log2(type.count));
  f.keep(f.emit({ op: 'extractelement', a: mixed, index }, of));
  const mask = random.chance(50)
    ? f.compare(random.pick(['slt', 'ugt', 'ne']), loaded, splat)
    : constant(
        vector(type.count, I1),
        Array.from({ length: type.count }, () => BigInt(random.below(2))),
      );
  const target = somewhere(f, type);
  if (!target) return;
  switch (random.below(5)) {
    case 0:
      f.store(mixed, target.pointer, target.align);
      return;
    case 1:
      f.emitVoid({ op: 'masked', which: 'store', pointer: target.pointer, mask, value: mixed });
      return;
    case 2:
      takeLane(f, f.emit({ op: 'masked', which: 'load', pointer: target.pointer, mask, value: mixed }, type), type, of);
      return;
    default:
      spread(f, type, mask, mixed);
  }
}

function takeLane(f: FunctionWriter, from: Operand, { count }: ManyType, of: Type): void {
  f.keep(f.emit({ op: 'extractelement', a: from, index: number(I32, f.random.below(count)) }, of));
}

/** Gather and scatter: to lanes anywhere in the place. Two lanes may meet: the later one counts. */
function spread(f: FunctionWriter, type: ManyType, mask: Operand, value: Operand): void {
  const { random } = f;
  const place = f.find(isData, 8 * storeBytes(type.of));
  if (!place) return;
  const bits = Math.min(Math.floor(Math.log2(place.bytes / storeBytes(type.of))), 8);
  const wide = vector(type.count, I64);
  const bytes = storeBytes(type.of) * 8;
  const indices = bytes === 64 ? value : f.cast('zext', value, wide);
  const limit = constant(wide, new Array<bigint>(type.count).fill(BigInt(2 ** bits - 1)));
  const pointers = f.gep(type.of, place.pointer, [f.binary('and', indices, limit)], random.chance(50));
  if (random.chance(50)) f.emitVoid({ op: 'masked', which: 'scatter', pointer: pointers, mask, value });
  else takeLane(f, f.emit({ op: 'masked', which: 'gather', pointer: pointers, mask, value }, type), type, type.of);
}

const UPDATES: readonly UpdateOp[] = ['xchg', 'add', 'sub', 'and', 'nand', 'or', 'xor', 'max', 'min', 'umax', 'umin'];

export function atomic(f: FunctionWriter): void {
  const { random } = f;
  const type = int(random.pick([8, 16, 32, 64]));
  const place = f.find((candidate) => isData(candidate) && candidate.align >= alignment(type), storeBytes(type));
  if (!place) return;
  const { pointer: at, align } = f.within(place, storeBytes(type), storeBytes(type));
  if (align < alignment(type)) return;
  if (random.chance(70)) {
    const old = f.emit(
      {
        op: 'update',
        which: random.pick(UPDATES),
        pointer: at,
        value: f.integer(type.bits),
        ordering: random.pick(['monotonic', 'acq_rel', 'seq_cst']),
      },
      type,
    );
    if (random.chance(60)) f.keep(old);
    return;
  }
  const expected = random.chance(50) ? f.load(type, at, align) : f.integer(type.bits);
  const pair = f.emit(
    { op: 'exchange', pointer: at, expected, value: f.integer(type.bits), ordering: 'seq_cst' },
    struct([type, I1]),
  );
  if (random.chance(70)) f.keep(f.emit({ op: 'extractvalue', a: pair, index: 0 }, type));
}
