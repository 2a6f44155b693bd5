// Bytes of an object before and anew: elements with padding, bytes in front of them and behind, a flexible array, and a
// member that changes itself.

import { describe, expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { ObjectLayout } from '../../src/what-if/object-layout.js';
import { NOWHERE, typeLayout, type Part } from '../../src/what-if/type-layout.js';

/** `fields`: [where it begins, bytes, where it begins anew]. */
function layout(
  oldBytes: number,
  newBytes: number,
  fields: readonly (readonly [number, number, number])[],
  parts: readonly (readonly [number, Part])[] = [],
  flexible: [number, number] = [NO_INDEX, NO_INDEX],
): ReturnType<typeof typeLayout> {
  const at = new Int32Array(oldBytes).fill(NOWHERE);
  for (const [from, bytes, to] of fields) for (let byte = 0; byte < bytes; byte++) at[from + byte] = to + byte;
  return typeLayout(oldBytes, newBytes, at, new Map(parts.map(([from, part]) => [from, [part]])), flexible);
}

describe('char a; long b; char c to long b; char a, c', () => {
  // 24 bytes become 16; three elements, 8 bytes in front of them, and 5 behind
  const type = layout(24, 16, [
    [0, 1, 8],
    [8, 8, 0],
    [16, 1, 9],
  ]);
  const object = ObjectLayout.of(type, 8 + 72 + 5, 8)!;

  test('size and single accesses', () => {
    expect(object.newSize).toBe(8 + 48 + 5);
    expect(object.offsetOf(0, 8)).toBe(0); // in front
    expect(object.offsetOf(8, 1)).toBe(8 + 8); // a of the first
    expect(object.offsetOf(8 + 24 + 8, 8)).toBe(8 + 16); // b of the second
    expect(object.offsetOf(8 + 24 + 12, 4)).toBe(8 + 16 + 4); // its upper half
    expect(object.offsetOf(8 + 48 + 16, 1)).toBe(8 + 32 + 9); // c of the third
    expect(object.offsetOf(80, 5)).toBe(56); // behind
    expect(object.offsetOf(8, 16)).toBe(NOWHERE); // a and b
    expect(object.offsetOf(9, 1)).toBe(NOWHERE); // padding
    expect(object.offsetOf(4, 8)).toBe(NOWHERE); // what is in front, and a
  });

  test('blocks: fields without padding, or whole elements with it', () => {
    expect(object.pieces(8, 48, false)).toEqual([
      { from: 0, bytes: 1, newOffset: 16, newBytes: 1 },
      { from: 8, bytes: 8, newOffset: 8, newBytes: 8 },
      { from: 16, bytes: 1, newOffset: 17, newBytes: 1 },
      { from: 24, bytes: 1, newOffset: 32, newBytes: 1 },
      { from: 32, bytes: 8, newOffset: 24, newBytes: 8 },
      { from: 40, bytes: 1, newOffset: 33, newBytes: 1 },
    ]);
    expect(object.pieces(8, 72, true)).toEqual([{ from: 0, bytes: 72, newOffset: 8, newBytes: 48 }]);
    expect(object.pieces(8 + 16, 8 + 24, true)).toEqual([
      { from: 0, bytes: 1, newOffset: 17, newBytes: 1 },
      { from: 8, bytes: 24, newOffset: 24, newBytes: 16 },
    ]);
    expect(object.pieces(0, 85, true)).toEqual([{ from: 0, bytes: 85, newOffset: 0, newBytes: 61 }]);
  });
});

test('a member that changes is copied whole, with its own padding', () => {
  // struct { int n; struct { char a; long b; } in; }: `in` at 8 of 24 goes to 0, and b before a
  const type = layout(
    24,
    24,
    [
      [0, 4, 16],
      [8, 1, 8],
      [16, 8, 0],
    ],
    [[8, { bytes: 16, at: 0, newBytes: 16 }]],
  );
  const object = ObjectLayout.of(type, 24, 0)!;
  expect(object.pieces(8, 16, true)).toEqual([{ from: 0, bytes: 16, newOffset: 0, newBytes: 16 }]);
  expect(object.pieces(8, 16, false)).toEqual([
    { from: 0, bytes: 1, newOffset: 8, newBytes: 1 },
    { from: 8, bytes: 8, newOffset: 0, newBytes: 8 },
  ]);
});

test('a flexible array follows its struct, allocated as sizeof and its bytes, or from its offset on', () => {
  // char kind; long length; char bytes[] with bytes at 16 of 24, then at 9 of 16
  const type = layout(
    24,
    16,
    [
      [0, 1, 8],
      [8, 8, 0],
    ],
    [],
    [16, 9],
  );
  const object = ObjectLayout.of(type, 24 + 30, 0)!;
  expect(object.newSize).toBe(16 + 30);
  expect(object.offsetOf(16, 30)).toBe(9);
  expect(object.offsetOf(20, 1)).toBe(13);
  expect(ObjectLayout.of(type, 18, 0)!.newSize).toBe(11);
});

test('an object that is smaller than its type has no layout', () => {
  expect(ObjectLayout.of(layout(24, 16, [[0, 24, 0]]), 23, 0)).toBeNull();
  expect(ObjectLayout.of(layout(24, 16, [[0, 24, 0]]), 30, 8)).toBeNull();
});
