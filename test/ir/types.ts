// Stage: random IR. The types of the modules that are generated, and where their bytes lie (x86-64).

export interface IntType {
  readonly kind: 'int';
  readonly bits: number;
}
export interface FloatType {
  readonly kind: 'float' | 'double';
}
export interface PointerType {
  readonly kind: 'ptr';
}
export interface ManyType {
  readonly kind: 'vector' | 'array';
  readonly count: number;
  readonly of: Type;
}
export interface StructType {
  readonly kind: 'struct';
  readonly fields: readonly Type[];
  readonly packed: boolean;
}
export type Type = IntType | FloatType | PointerType | ManyType | StructType;

export const int = (bits: number): IntType => ({ kind: 'int', bits });
export const I1 = int(1);
export const I8 = int(8);
export const I32 = int(32);
export const I64 = int(64);
export const FLOAT: FloatType = { kind: 'float' };
export const DOUBLE: FloatType = { kind: 'double' };
export const PTR: PointerType = { kind: 'ptr' };
export const vector = (count: number, of: Type): ManyType => ({ kind: 'vector', count, of });
export const array = (count: number, of: Type): ManyType => ({ kind: 'array', count, of });
export const struct = (fields: readonly Type[], packed = false): StructType => ({ kind: 'struct', fields, packed });

export function typeText(type: Type): string {
  switch (type.kind) {
    case 'int':
      return `i${type.bits}`;
    case 'vector':
      return `<${type.count} x ${typeText(type.of)}>`;
    case 'array':
      return `[${type.count} x ${typeText(type.of)}]`;
    case 'struct': {
      const fields = type.fields.map(typeText).join(', ');
      return type.packed ? `<{ ${fields} }>` : `{ ${fields} }`;
    }
    default:
      return type.kind;
  }
}

export const sameType = (a: Type, b: Type): boolean => typeText(a) === typeText(b);

const roundUp = (size: number, unit: number): number => Math.ceil(size / unit) * unit;
const powerAbove = (size: number): number => 2 ** Math.ceil(Math.log2(Math.max(size, 1)));

/** The bytes that a load or store of it touches. */
export function storeBytes(type: Type): number {
  switch (type.kind) {
    case 'int':
      return Math.ceil(type.bits / 8);
    case 'float':
      return 4;
    case 'double':
    case 'ptr':
      return 8;
    case 'vector':
      return type.of.kind === 'int' ? Math.ceil((type.count * type.of.bits) / 8) : type.count * storeBytes(type.of);
    case 'array':
      return type.count * allocBytes(type.of);
    case 'struct':
      return fieldOffset(type, type.fields.length);
  }
}

export function alignment(type: Type): number {
  switch (type.kind) {
    case 'int':
      return Math.min(powerAbove(storeBytes(type)), 16);
    case 'vector':
      return powerAbove(storeBytes(type));
    case 'array':
      return alignment(type.of);
    case 'struct':
      return type.packed ? 1 : Math.max(1, ...type.fields.map(alignment));
    default:
      return storeBytes(type);
  }
}

/** From one of them to the next. */
export function allocBytes(type: Type): number {
  return roundUp(storeBytes(type), alignment(type));
}

/** Offset of field number `index`; behind the last one, the size of the struct. */
export function fieldOffset(type: StructType, index: number): number {
  let offset = 0;
  for (let i = 0; i < index; i++) {
    if (!type.packed) offset = roundUp(offset, alignment(type.fields[i]));
    offset += allocBytes(type.fields[i]);
  }
  const next = index < type.fields.length ? type.fields[index] : type;
  return type.packed ? offset : roundUp(offset, alignment(next));
}

/** Does every byte of it belong to a value? */
export function isDense(type: Type): boolean {
  switch (type.kind) {
    case 'int':
      return type.bits % 8 === 0 && storeBytes(type) === allocBytes(type);
    case 'vector':
    case 'array':
      return isDense(type.of) && storeBytes(type) === type.count * storeBytes(type.of);
    case 'struct':
      return (
        type.fields.every(isDense) &&
        storeBytes(type) === type.fields.reduce((sum, field) => sum + storeBytes(field), 0)
      );
    default:
      return true;
  }
}
