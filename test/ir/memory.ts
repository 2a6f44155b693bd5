// Stage: random IR. The interpreter's memory: the arena, globals and stack variables, each at a place of its own; keeps
// every reference made to it.
import {
  ARENA,
  ARENA_BYTES,
  COMPARED_BYTES,
  DATA_BYTES,
  DOUBLES,
  DOUBLES_BYTES,
  FLOATS,
  FLOATS_BYTES,
  POINTED_BYTES,
  POINTERS,
  POINTERS_BYTES,
  comparedBytes,
  type Data,
  type IrModule,
} from './module.js';
import { allocBytes, fieldOffset, I8, storeBytes, type Type } from './types.js';

export interface Reference {
  readonly kind: 'r' | 'w' | 'a';
  readonly address: number;
  readonly bytes: number;
}

/** An access outside everything: the generator promises that there is none. */
export class OutOfBounds extends Error {}

const LINE_BYTES = 64;
/**
 * Addresses of the interpreter's globals and stack variables: far from one another, so that an address names one.
 */
export const GLOBALS = 0x2000_0000_0000;
export const STACK = 0x4000_0000_0000;
export const APART = 0x1_0000_0000;

export class Memory {
  readonly references: Reference[] = [];
  readonly #arena = new DataView(new ArrayBuffer(ARENA_BYTES));
  readonly #globals: DataView[];
  readonly #stack: DataView[] = [];
  #variables = 0;

  constructor(private readonly module: IrModule) {
    fillArena(this.#arena);
    this.#globals = module.globals.map(({ type, data, functions }) => {
      const view = new DataView(new ArrayBuffer(allocBytes(type)));
      if (functions) functions.forEach((index, i) => view.setBigUint64(8 * i, BigInt(index), true));
      else Memory.write(view, 0, type, data);
      return view;
    });
  }

  globalAt(index: number): number {
    return GLOBALS + index * APART;
  }

  allocate(bytes: number): number {
    this.#stack[this.#variables] = new DataView(new ArrayBuffer(bytes));
    return STACK + this.#variables++ * APART;
  }

  stackMark(): number {
    return this.#variables;
  }

  /** Variables since then are gone; their numbers are not used again. */
  stackRelease(mark: number): void {
    for (let i = mark; i < this.#variables; i++) delete this.#stack[i];
  }

  peek(address: number, type: Type): Data {
    const [view, offset] = this.find(address, storeBytes(type));
    return Memory.read(view, offset, type);
  }

  load(address: number, type: Type): Data {
    this.reference('r', address, storeBytes(type));
    return this.peek(address, type);
  }

  store(address: number, type: Type, data: Data): void {
    this.reference('w', address, storeBytes(type));
    this.poke(address, type, data);
  }

  update(address: number, type: Type, data: Data): void {
    this.reference('a', address, storeBytes(type));
    this.poke(address, type, data);
  }

  copy(to: number, from: number, bytes: number): void {
    if (bytes === 0) return;
    const [source, sourceAt] = this.find(from, bytes);
    const [target, targetAt] = this.find(to, bytes);
    for (let done = 0; done < bytes; ) {
      const piece = Math.min(bytes - done, LINE_BYTES - ((from + done) % LINE_BYTES));
      this.reference('r', from + done, piece);
      this.reference('w', to + done, piece);
      done += piece;
    }
    new Uint8Array(target.buffer).set(new Uint8Array(source.buffer).slice(sourceAt, sourceAt + bytes), targetAt);
  }

  fill(address: number, byte: number, bytes: number): void {
    if (bytes === 0) return;
    const [view, offset] = this.find(address, bytes);
    for (let done = 0; done < bytes; ) {
      const piece = Math.min(bytes - done, LINE_BYTES - ((address + done) % LINE_BYTES));
      this.reference('w', address + done, piece);
      done += piece;
    }
    new Uint8Array(view.buffer).fill(byte, offset, offset + bytes);
  }

  /** As harness.c computes it. */
  sum(): number {
    const add = (sum: number, view: DataView, bytes: number): number => {
      for (let i = 0; i < bytes; i++) sum = Math.imul(sum ^ view.getUint8(i), 16777619) >>> 0;
      return sum;
    };
    let sum = add(2166136261, this.#arena, COMPARED_BYTES);
    for (const global of this.module.globals) sum = add(sum, this.#globals[global.index], comparedBytes(global));
    return sum;
  }

  private poke(address: number, type: Type, data: Data): void {
    const [view, offset] = this.find(address, storeBytes(type));
    Memory.write(view, offset, type, data);
  }

  private reference(kind: Reference['kind'], address: number, bytes: number): void {
    if (bytes > 0) this.references.push({ kind, address, bytes });
  }

  private find(address: number, bytes: number): [DataView, number] {
    const found: [DataView | undefined, number] =
      address >= STACK
        ? [this.#stack[Math.floor((address - STACK) / APART)], (address - STACK) % APART]
        : address >= GLOBALS
          ? [this.#globals[Math.floor((address - GLOBALS) / APART)], (address - GLOBALS) % APART]
          : [this.#arena, address - ARENA];
    const [view, offset] = found;
    if (!view || offset < 0 || offset + bytes > view.byteLength)
      throw new OutOfBounds(`${bytes} bytes at ${address.toString(16)}`);
    return [view, offset];
  }

  static read(view: DataView, at: number, type: Type): Data {
    switch (type.kind) {
      case 'int': {
        let value = 0n;
        for (let i = storeBytes(type) - 1; i >= 0; i--) value = (value << 8n) | BigInt(view.getUint8(at + i));
        return BigInt.asUintN(type.bits, value);
      }
      case 'ptr':
        return view.getBigUint64(at, true);
      case 'float':
        return view.getFloat32(at, true);
      case 'double':
        return view.getFloat64(at, true);
      case 'struct':
        return type.fields.map((field, i) => Memory.read(view, at + fieldOffset(type, i), field));
      default: {
        if (type.kind === 'vector' && type.of.kind === 'int' && type.of.bits < 8) {
          const bits = Memory.read(view, at, { ...I8, bits: storeBytes(type) * 8 }) as bigint;
          return Array.from({ length: type.count }, (_, i) => (bits >> BigInt(i)) & 1n);
        }
        const step = type.kind === 'vector' ? storeBytes(type.of) : allocBytes(type.of);
        return Array.from({ length: type.count }, (_, i) => Memory.read(view, at + i * step, type.of));
      }
    }
  }

  static write(view: DataView, at: number, type: Type, data: Data): void {
    switch (type.kind) {
      case 'int':
        for (let i = 0, rest = data as bigint; i < storeBytes(type); i++, rest >>= 8n)
          view.setUint8(at + i, Number(rest & 255n));
        return;
      case 'ptr':
        view.setBigUint64(at, data as bigint, true);
        return;
      case 'float':
        view.setFloat32(at, data as number, true);
        return;
      case 'double':
        view.setFloat64(at, data as number, true);
        return;
      case 'struct':
        type.fields.forEach((field, i) =>
          Memory.write(view, at + fieldOffset(type, i), field, (data as readonly Data[])[i]),
        );
        return;
      default: {
        const parts = data as readonly Data[];
        if (type.kind === 'vector' && type.of.kind === 'int' && type.of.bits < 8) {
          const bits = parts.reduce<bigint>((sum, bit, i) => sum | ((bit as bigint) << BigInt(i)), 0n);
          Memory.write(view, at, { ...I8, bits: storeBytes(type) * 8 }, bits);
          return;
        }
        const step = type.kind === 'vector' ? storeBytes(type.of) : allocBytes(type.of);
        parts.forEach((part, i) => Memory.write(view, at + i * step, type.of, part));
      }
    }
  }
}

function fillArena(view: DataView): void {
  let state = 1;
  for (let i = 0; i < DATA_BYTES; i++)
    view.setUint8(i, (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
  for (let i = 0; i < DOUBLES_BYTES / 8; i++)
    view.setFloat64(DOUBLES - ARENA + 8 * i, (((i * 37) % 101) - 50) / 4, true);
  for (let i = 0; i < FLOATS_BYTES / 4; i++) view.setFloat32(FLOATS - ARENA + 4 * i, (((i * 37) % 101) - 50) / 4, true);
  for (let i = 0; i < POINTERS_BYTES / 8; i++) {
    view.setBigUint64(
      POINTERS - ARENA + 8 * i,
      BigInt(ARENA + (((i * 712) % (DATA_BYTES - POINTED_BYTES)) & ~7)),
      true,
    );
  }
}
