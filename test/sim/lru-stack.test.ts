// Stage: replay. The list with marks against one plain list: each capacity holds what was used last, however many lines
// there are.

import { expect, it } from 'vitest';
import { LruStack } from '../../src/sim/lru-stack.js';
import { RandomNumbers } from '../random/random-numbers.js';

it.each([[[4, 16, 64]], [[1, 2, 3]], [[8, 4, 8]], [[512, 700, 1500]]])(
  'capacities %j hold the lines used last',
  (capacities) => {
    const random = new RandomNumbers(7);
    const stack = new LruStack(capacities);
    const list: number[] = [];
    const wrong: string[] = [];
    const lines = Math.max(...capacities) * 2;
    for (let reference = 0; reference < 6000; reference++) {
      const line = random.below(random.chance(50) ? lines : Math.ceil(lines / 8));
      const depth = list.indexOf(line);
      stack.touch(line);
      for (const capacity of capacities) {
        const isHeld = depth >= 0 && depth < capacity;
        if (isHeld !== stack.missed <= stack.rankOf(capacity))
          wrong.push(`reference ${reference}, line ${line} at depth ${depth}, capacity ${capacity}`);
      }
      if (depth >= 0) list.splice(depth, 1);
      list.unshift(line);
    }
    expect(wrong.slice(0, 3)).toEqual([]);
  },
);
