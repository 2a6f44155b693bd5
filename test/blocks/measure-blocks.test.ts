// Stage: test. Blocks on several cores at once: each answer is at the place of its block.

import { expect, test } from 'vitest';
import { measureBlocks } from '../../src/blocks/measure-blocks.js';
import { BLOCKS } from './measured-blocks.js';

test('answers come in the order of the blocks, however many there are', async () => {
  const hexes = Array.from({ length: 100 }, (_, index) => `0f31${'90'.repeat(index % 37)}`); // refused at once
  let done = 0;
  const answers = await measureBlocks(BLOCKS, hexes, () => done++);
  expect(answers.map(({ hex }) => hex)).toEqual(hexes);
  expect(done).toBe(100);
});

test('no block, no answer', async () => {
  expect(await measureBlocks(BLOCKS, [])).toEqual([]);
});

test('a program that ends early is told of', async () => {
  await expect(measureBlocks('/bin/false', ['90', '4801d8'])).rejects.toThrow('dprof-blocks ended with 1 at block 90');
});
