// Findings stand in the order of what they bring, not of what they cost; those in words, which nobody can predict,
// last.

import { expect, test } from 'vitest';
import { byGain } from '../../src/advise/advise.js';

const finding = (name: string, cycles: number, saved: number | null) => {
  const after = { before: 1000, after: 1000 - (saved ?? 0), low: 0, high: 0 };
  return { name, problem: { cycles }, change: saved === null ? null : { predicted: { cycles: after } } };
};

test('what brings most is first; then words, the costliest first', () => {
  const findings = [
    finding('cheap words', 45, null),
    finding('little', 600, 50),
    finding('dear words', 242, null),
    finding('much', 100, 90),
  ];
  expect([...findings].sort(byGain).map(({ name }) => name)).toEqual(['much', 'little', 'dear words', 'cheap words']);
});
