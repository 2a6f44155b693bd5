// A column's length against the chunk that it lies in: one byte too many is refused, even if the column says that it is
// empty, so that nothing behind it shows the damage.

import { expect, it } from 'vitest';
import { locateColumn, packColumn, unpackColumn } from '../../src/trace/column.js';

it('a column lies within its chunk', () => {
  const empty = packColumn(new Uint8Array(0));
  const { stored, next } = locateColumn(empty, 0, 100);
  expect([unpackColumn(stored, 104).length, next]).toEqual([0, 8]);
  for (const bytes of [5, 8, 0xffff_ffff]) {
    empty.writeUInt32LE(bytes, 0);
    expect(() => locateColumn(empty, 0, 100)).toThrow(
      `column length at offset 100: expected 4 to 4 bytes, found ${bytes}`,
    );
  }
});
