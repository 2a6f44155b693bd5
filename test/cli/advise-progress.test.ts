// The progress of advice: one percentage that only grows, through all steps, however much work turns up.

import { expect, test } from 'vitest';
import { ADVICE_STEPS, ReplayWork } from '../../src/advise/advice-progress.js';
import { AdviseProgress } from '../../src/cli/advise-progress.js';
import { RandomNumbers } from '../random/random-numbers.js';

function percentOf(line: string): number {
  return Number(/, (\d+)% of all, /.exec(line)![1]);
}

test('the step, the changes, the percentage', () => {
  let changes = 0;
  const progress = new AdviseProgress('run.dptrace', () => changes);
  expect(progress.describe(1)).toBe('step 1 of 3: looking through run.dptrace, 0% of all, 1 s');
  progress.begin('try');
  expect(progress.describe(9)).toBe('step 2 of 3: trying changes, 25% of all, 9 s, about 27 s left');
  changes = 12;
  progress.expect(12);
  progress.done(6);
  expect(progress.describe(20)).toBe('step 2 of 3: trying 12 changes, 45% of all, 20 s, about 25 s left');
  progress.begin('predict');
  expect(progress.describe(30)).toBe('step 3 of 3: trying them on the whole run, 75% of all, 30 s, about 10 s left');
});

test('it never goes back, and is not done before the end', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = new RandomNumbers(seed);
    const progress = new AdviseProgress('run.dptrace', () => 1);
    let last = 0;
    for (const step of ADVICE_STEPS) {
      progress.begin(step);
      for (let times = 0; times < 40; times++) {
        if (random.below(2) === 0) progress.expect(random.below(1000));
        else progress.done(random.below(300));
        const percent = percentOf(progress.describe(times));
        expect(percent).toBeGreaterThanOrEqual(last);
        expect(percent).toBeLessThan(100);
        last = percent;
      }
    }
  }
});

test('a replay is done as far as it says, once', () => {
  const told: number[] = [];
  const work = new ReplayWork({ done: (part) => void told.push(part) }, 100);
  work.upTo(-5, 10);
  work.upTo(5, 10);
  work.upTo(4, 10);
  work.upTo(0, 0);
  work.end();
  work.end();
  expect(told).toEqual([50, 50]);
});
