// Addresses of a loop's iterations where their low halves overflow: by a derived address, up and down, and by a stride.

import { expect, it } from 'vitest';
import { LoopPath } from '../../src/trace/loop-path.js';
import type { Path } from '../../src/trace/path-table.js';

/** Two iterations of one record of one word: the coded word, moved by `delta`, and `stride` further each time. */
function addresses(coded: bigint, delta: number, stride: number): bigint[] {
  const path: Path = {
    number: 0,
    records: [0],
    firstWord: [0, 1],
    source: [1],
    delta: [delta],
    codedWords: 2,
    lengths: [],
    isStamped: false,
    loop: { tailRecords: 0, strideSource: [0], stride: [stride] },
    size: 1,
  };
  const loop = new LoopPath();
  const words = [2n, coded];
  loop.begin(path, Uint32Array.from(words, low), Uint32Array.from(words, high), (expected, actual) => {
    throw new Error(`${expected}, not ${actual}`);
  });
  const found: bigint[] = [];
  while (loop.next()) found.push((BigInt(loop.hi[loop.first]) << 32n) | BigInt(loop.lo[loop.first]));
  return found;
}

const low = (word: bigint): number => Number(word & 0xffff_ffffn);
const high = (word: bigint): number => Number(word >> 32n);

it.each([
  ['none', 0x1_0000_1000n, 16, 8],
  ['a derived address upwards', 0x1_ffff_fff8n, 16, 8],
  ['a derived address downwards', 0x2_0000_0008n, -16, 8],
  ['a stride upwards', 0x1_ffff_fff8n, 0, 16],
  ['a stride downwards', 0x2_0000_0008n, 0, -16],
])('overflow of %s', (_, coded, delta, stride) => {
  const first = coded + BigInt(delta);
  expect(addresses(coded, delta, stride)).toEqual([first, first + BigInt(stride)]);
});
