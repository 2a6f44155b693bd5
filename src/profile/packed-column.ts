// Stage: file -> profile. A column behind LZ4; what it claims is checked before it is unpacked.

import lz4 from 'lz4-napi';
import type { ByteSource } from './byte-source.js';
import { ELEMENTS, type ColumnArray, type Element } from '../base/table-description.js';
import { ProfileError } from './profile-error.js';

/** LZ4 packs at most 255 bytes into one; what claims more is not LZ4. */
export const MOST_BYTES_PER_BYTE = 255;

export function readColumn(
  file: ByteSource,
  name: string,
  element: Element,
  length: number,
  offset: number,
  storedBytes: number,
): ColumnArray {
  const most = file.length - offset;
  if (!Number.isSafeInteger(storedBytes) || storedBytes < 0 || storedBytes > most)
    throw new ProfileError(`column ${name}`, offset, `${storedBytes} bytes`, `${most}`);
  return unpackColumn(file.read(offset, storedBytes), name, element, length, offset);
}

export function unpack(packed: Buffer): Buffer {
  if (packed.length < 4 || packed.readUInt32LE(0) > packed.length * MOST_BYTES_PER_BYTE)
    throw new RangeError('not LZ4');
  return lz4.uncompressSync(packed);
}

function unpackColumn(stored: Buffer, name: string, element: Element, length: number, offset: number): ColumnArray {
  const array = ELEMENTS[element];
  if (length === 0 && stored.length === 0) return new array(0);
  const bytes = length * array.BYTES_PER_ELEMENT;
  let raw: Buffer | undefined;
  try {
    raw = unpack(stored);
  } catch {
    throw new ProfileError(
      `column ${name}`,
      offset,
      `${bytes} bytes behind LZ4`,
      `${stored.length} bytes that are not`,
    );
  }
  if (raw.length !== bytes) throw new ProfileError(`column ${name}`, offset, `${bytes} bytes`, `${raw.length}`);
  // A copy: LZ4's buffer need not be aligned for the element.
  const column = new array(length);
  new Uint8Array(column.buffer).set(raw);
  return column;
}
