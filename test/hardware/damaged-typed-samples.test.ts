// Typed samples that someone made to do harm, through every command that takes them. DPROF_DAMAGED_SEEDS asks for more.

import { expect, test } from 'vitest';
import { RandomNumbers } from '../random/random-numbers.js';
import { drawnSamples, packetSamples } from './sampled/sampled-fixture.js';
import { consumeTyped, damageTyped, type Consumed } from './damaged-typed-samples.js';
import { watchLimits } from '../fuzz/limits.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_DAMAGED_SEEDS ?? atLength(30, 150));

test(`${SEEDS} damaged files of typed samples: a result, or one typed error`, async () => {
  const counts: Consumed = { refusedByReader: 0, shown: 0 };
  const wrong: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const random = new RandomNumbers(seed);
    const typed = damageTyped(random.chance(50) ? packetSamples() : drawnSamples(), random);
    const tooMuch = watchLimits();
    try {
      await consumeTyped(typed, random, counts);
    } catch (error) {
      wrong.push(
        `seed ${seed}: ${String((error as Error).stack)
          .split('\n')
          .slice(0, 4)
          .join(' | ')}`,
      );
    }
    const found = tooMuch();
    if (found !== undefined) wrong.push(`seed ${seed}: ${found}`);
  }
  expect(wrong).toEqual([]);
  expect(counts.refusedByReader).toBeGreaterThan(SEEDS / 10);
  expect(counts.shown).toBeGreaterThan(SEEDS / 10);
});
