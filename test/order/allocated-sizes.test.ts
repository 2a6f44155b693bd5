// A free that does not say its size gives back what was allocated at its address, part or block.

import { expect, test } from 'vitest';
import { AllocatedSizes } from '../../src/order/allocated-sizes.js';
import { Allocator } from '../../src/trace/layout.js';

test('a part and the block that begins at the same address have sizes of their own', () => {
  const sizes = new AllocatedSizes();
  sizes.allocate(0x1000, 4096, Allocator.malloc);
  sizes.allocate(0x1000, 64, Allocator.part);
  expect(sizes.free(0x1000, 0, Allocator.part)).toBe(64);
  expect(sizes.free(0x1000, 0, Allocator.malloc)).toBe(4096);
});

test('what a free says itself comes first, and at least its first byte is given back', () => {
  const sizes = new AllocatedSizes();
  sizes.allocate(0x1000, 4096, Allocator.malloc);
  expect([sizes.free(0x1000, 16, Allocator.malloc), sizes.free(0x1000, 0, Allocator.malloc)]).toEqual([16, 1]);
});
