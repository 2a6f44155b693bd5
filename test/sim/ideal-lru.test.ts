// Stage: replay. The ideal cache against one plain list: it holds the lines used last, however many lines there are.

import { expect, it } from 'vitest';
import { IdealLru } from '../../src/sim/ideal-lru.js';
import { RandomNumbers } from '../random/random-numbers.js';

it.each([1, 2, 8, 64, 700])('%i lines: it holds the lines used last', (lineCount) => {
  const random = new RandomNumbers(7);
  const ideal = new IdealLru(lineCount);
  const list: number[] = [];
  const wrong: string[] = [];
  for (let reference = 0; reference < 6000; reference++) {
    const line = random.below(random.chance(50) ? 2 * lineCount : Math.ceil(lineCount / 8));
    const depth = list.indexOf(line);
    if (ideal.touch(line) !== (depth >= 0 && depth < lineCount))
      wrong.push(`reference ${reference}, line ${line} at depth ${depth}`);
    if (depth >= 0) list.splice(depth, 1);
    list.unshift(line);
  }
  expect(wrong.slice(0, 3)).toEqual([]);
});
