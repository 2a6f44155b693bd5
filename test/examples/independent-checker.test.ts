// Stage: test. The independent reader itself, on references whose outcome is plain to see.
import { expect, test } from 'vitest';
import { IndependentChecker } from './independent-checker.js';

function check(...lines: string[]) {
  const checker = new IndependentChecker();
  for (const line of lines) checker.readLine(line);
  return checker.totals;
}

test('a reference across two lines counts twice, and once per line only the first time', () => {
  const totals = check('0 r 103c 8', '0 r 103c 8');
  expect(totals.references).toBe(4);
  expect(totals.levels.l1).toEqual({
    hits: 2,
    misses: 2,
    classes: { compulsory: 2, 'true-sharing': 0, 'false-sharing': 0, conflict: 0, capacity: 0 },
  });
});

test(
  'a store to other bytes of the line makes the next load a false-sharing miss, one to the same bytes a ' +
    'true-sharing miss',
  () => {
    const totals = check('0 r 1000 8', '1 w 1008 8', '0 r 1000 8', '1 a 1000 4', '0 r 1000 8');
    expect(totals.levels.l1.classes).toMatchObject({ compulsory: 2, 'false-sharing': 1, 'true-sharing': 1 });
    expect(totals.invalidations).toBe(2);
    // core 1's second store hits its L1 while core 0 has the line again
    expect(totals.upgrades).toBe(1);
  },
);

test('nine lines of one set conflict in eight ways', () => {
  const lines = Array.from({ length: 9 }, (_, way) => `0 r ${(0x10000 + way * 4096).toString(16)} 8`);
  expect(check(...lines, ...lines).levels.l1.classes).toMatchObject({ compulsory: 9, conflict: 9, capacity: 0 });
});

test('513 lines in turn are one too many for 512', () => {
  const lines = Array.from({ length: 513 }, (_, line) => `0 r ${(0x10000 + line * 64).toString(16)} 8`);
  const totals = check(...lines, ...lines);
  // only the set with nine lines misses again, by then after 512 other lines
  expect(totals.levels.l1.classes).toMatchObject({ compulsory: 513, conflict: 0, capacity: 9 });
  expect(totals.levels.l2.hits).toBe(9);
});
