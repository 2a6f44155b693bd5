// Stage: test. Natural loops of drawn control flow graphs, each with its header first.
import { expect, test } from 'vitest';
import { innermostLoops } from '../../src/blocks/innermost-loops.js';
import { draw } from './drawn-flow.js';

const loopsOf = (text: string, targets: readonly number[] = []): number[][] =>
  innermostLoops(draw(text), targets).map((loop) => loop.map(({ address }) => address));

test('no loop, and none of no block', () => {
  expect(loopsOf('1>2,3 2>4 3>4 4.')).toEqual([]);
  expect(innermostLoops([], [])).toEqual([]);
});

test('a block that follows itself', () => {
  expect(loopsOf('1>2 2>2,3 3.')).toEqual([[2]]);
});

test('a loop with a branch in it, left in two places', () => {
  expect(loopsOf('1>2 2>3,7 3>4,5 4>6 5>6,7 6>2 7.')).toEqual([[2, 3, 4, 5, 6]]);
});

test('an iteration begins at the header, wherever that lies', () => {
  // 1 jumps to the test 4 of a loop whose body is 2 and 3.
  expect(loopsOf('1>4 2>3 3>4 4>2,5 5.')).toEqual([[4, 2, 3]]);
});

test('two ways back to one header are one loop', () => {
  expect(loopsOf('1>2 2>3,4 3>2 4>2,5 5.')).toEqual([[2, 3, 4]]);
});

test('of loops in each other, the inner one', () => {
  expect(loopsOf('1>2 2>3 3>4 4>3,5 5>2,6 6.')).toEqual([[3, 4]]);
});

test('two loops, one behind the other, in one around both', () => {
  expect(loopsOf('1>2 2>3 3>3,4 4>5 5>4,6 6>2,7 7.')).toEqual([[3], [4, 5]]);
});

test('a function that begins in a loop', () => {
  expect(loopsOf('1>2,3 2>1 3.')).toEqual([[1, 2]]);
});

test('a circle with two ways in is no loop', () => {
  expect(loopsOf('1>2,3 2>3 3>2,4 4.')).toEqual([]);
});

test('a handler of exceptions is no way into the loop that it leads back to', () => {
  // No way leads to 5.
  expect(loopsOf('1>2 2>3 3>2,4 4. 5>3')).toEqual([[2, 3]]);
});

test('a computed jump may lead to each target', () => {
  const [first, jump, ...others] = draw('1>2 2. 3>2 4>2 5.');
  const loops = innermostLoops([first, { ...jump, isJump: true }, ...others], [3, 4, 5]);
  expect(loops.map((loop) => loop.map(({ address }) => address))).toEqual([[2, 3, 4]]);
});
