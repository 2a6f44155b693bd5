// The progress of advice: a step and one percentage, which only grows and never says that all is done before it is.

import { expect, test } from 'vitest';
import { ADVICE_STEPS, ReplayWork } from '../../src/advise/advice-progress.js';
import { AdviseProgress } from '../../src/cli/advise-progress.js';
import { RandomNumbers } from '../random/random-numbers.js';

const percentOf = (text: string): number => Number(/(\d+)% of all/.exec(text)![1]);

test.each(Array.from({ length: 20 }, (_, seed) => seed))('seed %i: whatever turns up, it only grows', (seed) => {
  const random = new RandomNumbers(seed);
  const progress = new AdviseProgress('run.dptrace', () => 3);
  let last = 0;
  const look = (): void => {
    const percent = percentOf(progress.describe(1));
    expect(percent).toBeGreaterThanOrEqual(last);
    expect(percent).toBeLessThan(100);
    last = percent;
  };
  for (const step of ADVICE_STEPS) {
    progress.begin(step);
    look();
    for (let round = random.below(6); round > 0; round--) {
      const work = 1 + random.below(1000);
      if (random.below(3) > 0) progress.expect(work); // some of it is a surprise
      const replay = new ReplayWork(progress, work);
      for (let part = 0; part <= 4; part++) {
        replay.upTo(part - 1, 4); // below zero: a pass ahead of it
        look();
      }
      replay.end();
      look();
    }
  }
});

test('in words', () => {
  const progress = new AdviseProgress('run.dptrace', () => 12);
  progress.begin('look');
  progress.expect(1);
  expect(progress.describe(10.4)).toBe('step 1 of 3: looking through run.dptrace, 0% of all, 10 s');
  progress.begin('try');
  progress.expect(10);
  expect(progress.describe(20)).toBe('step 2 of 3: trying 12 changes, 25% of all, 20 s');
  progress.begin('predict');
  expect(progress.describe(30)).toBe('step 3 of 3: predicting what they bring to the whole run, 75% of all, 30 s');
});
