// The queue of times against a plain list.

import { expect, it } from 'vitest';
import { RandomNumbers } from '../random/random-numbers.js';
import { EarliestFirst } from '../../src/views/earliest-first.js';

it.each([1, 2, 3])('times leave in order, with their weights, seed %i', (seed) => {
  const random = new RandomNumbers(seed);
  const queue = new EarliestFirst();
  let list: { time: number; weight: number }[] = [];
  for (let step = 0; step < 1000; step++) {
    if (random.below(3) > 0) {
      const one = { time: random.below(500), weight: 1 + random.below(9) };
      queue.add(one.time, one.weight);
      list.push(one);
    } else {
      const time = random.below(500);
      queue.removeUpTo(time);
      list = list.filter((one) => one.time > time);
    }
    expect(queue.size).toBe(list.length);
    expect(queue.weight).toBe(list.reduce((sum, { weight }) => sum + weight, 0));
  }
});
