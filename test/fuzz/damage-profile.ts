// A whole profile with something in it changed, by a seed, and its checksum mended: what a hostile writer can do. A
// value of the directory, or elements of a column behind LZ4, so that what the packing would refuse gets past it.

import { crc32 } from 'node:zlib';
import lz4 from 'lz4-napi';
import { ELEMENTS, type ColumnEntry } from '../../src/profile/profile-format.js';
import type { RandomNumbers } from '../random/random-numbers.js';
import { HEADER_BYTES } from '../../src/profile/profile-error.js';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const NUMBERS = [0, 1, 2, -1, 0.5, 3e9, 2 ** 31, 2 ** 32 - 1, 2 ** 53, 1e300, -1e300, NaN, Infinity];
const TEXTS = [
  '',
  'x',
  '__proto__',
  'constructor',
  'l1',
  'random:7',
  '\u001b[31m',
  '\u202e',
  '\0',
  '../../etc/passwd',
  '=1+1',
  '<script>',
  '\ud800',
  'x'.repeat(10_000),
];

export interface PackedProfile {
  readonly header: Buffer;
  readonly directory: { columns: ColumnEntry[]; chunks: { storedBytes: number[] }[] } & Record<string, Json>;
  /** As they lie in the file: those of the directory's list, then those of the chunks. */
  readonly packed: readonly Buffer[];
}

export function takeApart(file: Buffer): PackedProfile {
  const header = Buffer.from(file.subarray(0, HEADER_BYTES));
  const end = HEADER_BYTES + header.readUInt32LE(12);
  const directory = JSON.parse(
    lz4.uncompressSync(file.subarray(HEADER_BYTES, end)).toString(),
  ) as PackedProfile['directory'];
  const packed: Buffer[] = [];
  let at = end;
  for (const bytes of [
    ...directory.columns.map(({ storedBytes }) => storedBytes),
    ...directory.chunks.flatMap(({ storedBytes }) => storedBytes),
  ]) {
    packed.push(file.subarray(at, at + bytes));
    at += bytes;
  }
  return { header, directory, packed };
}

export function putTogether({ header: original, directory, packed }: PackedProfile): Buffer {
  const header = Buffer.from(original);
  const list = lz4.compressSync(Buffer.from(JSON.stringify(directory)));
  header.writeUInt32LE(list.length, 12);
  header.writeBigUInt64LE(BigInt(packed.reduce((sum, { length }) => sum + length, 0)), 16);
  header.writeUInt32LE(
    [list, ...packed].reduce((sum, part) => crc32(part, sum), crc32(header.subarray(0, 28))),
    28,
  );
  return Buffer.concat([header, list, ...packed]);
}

/** One to three changes. */
export function damageProfile(whole: PackedProfile, random: RandomNumbers): Buffer {
  const directory = structuredClone(whole.directory);
  const packed = [...whole.packed];
  for (let count = random.between(1, 3); count > 0; count--) {
    if (random.chance(50)) damageValue(directory as Json, random);
    else damageColumn({ ...whole, directory, packed }, packed, random);
  }
  return putTogether({ header: whole.header, directory, packed });
}

/** Replaces, leaves out or doubles a value of the directory, wherever it lies. */
function damageValue(root: Json, random: RandomNumbers): void {
  let owner = root;
  for (;;) {
    const keys = Object.keys(owner as object);
    if (keys.length === 0) return;
    const key = random.pick(keys);
    const value = (owner as Record<string, Json>)[key];
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0 && random.chance(90)) {
      owner = value;
      continue;
    }
    if (random.chance(10)) {
      if (Array.isArray(owner)) owner.splice(Number(key), 1);
      else delete (owner as Record<string, Json>)[key];
    } else if (Array.isArray(owner) && random.chance(10)) owner.push(structuredClone(value));
    else (owner as Record<string, Json>)[key] = otherValue(value, random);
    return;
  }
}

function otherValue(value: Json, random: RandomNumbers): Json {
  if (typeof value === 'number' && random.chance(70)) return random.pick(NUMBERS);
  if (typeof value === 'string' && random.chance(70)) return random.pick(TEXTS);
  return random.pick<Json>([null, true, random.pick(NUMBERS), random.pick(TEXTS), [], {}, [null], [[]], { length: 3 }]);
}

/** Elements replaced, or rows left out or added, and the list says so. */
function damageColumn({ directory }: PackedProfile, packed: Buffer[], random: RandomNumbers): void {
  if (!Array.isArray(directory.columns)) return;
  const filled = directory.columns.flatMap((entry, index) =>
    Object.hasOwn(ELEMENTS, entry?.element) && (packed[index]?.length ?? 0) > 0 ? [index] : [],
  );
  if (filled.length === 0) return;
  const index = random.pick(filled);
  const entry = directory.columns[index];
  const array = ELEMENTS[entry.element];
  const raw = Uint8Array.from(lz4.uncompressSync(packed[index]));
  let column = new array(raw.buffer, 0, Math.floor(raw.length / array.BYTES_PER_ELEMENT));
  const row = random.below(column.length);
  const choice = random.below(10);
  if (choice === 0) column = column.slice(0, row);
  else if (choice === 1) column = new array([...column, column[row]]);
  else
    for (let count = random.between(1, 4); count > 0; count--)
      column[random.below(column.length)] = random.pick(NUMBERS);
  packed[index] =
    column.length === 0
      ? Buffer.alloc(0)
      : lz4.compressSync(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  directory.columns[index] = { ...entry, length: column.length, storedBytes: packed[index].length };
}
