// A made-up engine that is wrong in one way: the minimiser finds the step that shows it, and the drawing says where.

import { afterAll, expect, test } from 'vitest';
import { simulate } from '../../src/sim/simulate.js';
import { RandomCases } from '../random/random-case.js';
import { Comparison, SPECIFICATION, type NamedEngine } from './engines.js';
import { drawCase } from './draw.js';
import { minimise } from './minimise.js';
import { failureOf } from './report.js';

/** Forgets the upgrades: the smallest case is a store by each of two cores, the second of which hits. */
const FORGETFUL: NamedEngine = {
  name: 'forgetful',
  replay: (input) => {
    const result = simulate(input);
    return { ...result, totals: { ...result.totals, upgrades: 0 } };
  },
};
/** Its L1 has a way less than it should. */
const WRONG_SETS: NamedEngine = {
  name: 'one way less',
  replay: (input) => {
    const { l1 } = input.machine;
    return simulate(
      l1.ways === 1
        ? input
        : {
            ...input,
            machine: {
              ...input.machine,
              l1: { ...l1, ways: l1.ways - 1, sizeBytes: (l1.sizeBytes / l1.ways) * (l1.ways - 1) },
            },
          },
    );
  },
};

const comparisons: Comparison[] = [];
const compare = (...engines: NamedEngine[]): Comparison => {
  const comparison = new Comparison(engines);
  comparisons.push(comparison);
  return comparison;
};
afterAll(() => comparisons.forEach((comparison) => comparison.close()));

function firstFailure(cases: RandomCases, comparison: Comparison): number {
  for (let seed = 1; seed < 200; seed++) if (comparison.differences(cases.at(seed)).length > 0) return seed;
  throw new Error('no seed shows it');
}

test(
  'an engine that forgets upgrades is found, and a few steps of two cores are left, of which the last is ' + 'marked',
  () => {
    const comparison = compare(SPECIFICATION, FORGETFUL);
    const cases = new RandomCases();
    const one = cases.at(firstFailure(cases, comparison));
    const smallest = minimise(one, (smaller) => comparison.differences(smaller).length > 0);
    expect(smallest.run.steps.length).toBeLessThanOrEqual(4);
    expect(smallest.machine.cores).toBe(2);
    const drawn = drawCase(smallest, comparison);
    expect(drawn.filter((line) => line.endsWith('<== differ'))).toHaveLength(1);
    expect(drawn.at(-1)).toMatch(
      /^ *W [0-9a-f]+\/\d+:\d+ .*=> .*invalidations.* \| ts: upgrades \| forgetful: not so {3}<== differ$/,
    );
  },
);

test('an engine whose L1 has a way less is found, with as many lines of one set as show it', () => {
  const comparison = compare(SPECIFICATION, WRONG_SETS);
  const cases = new RandomCases();
  const seed = firstFailure(cases, comparison);
  const smallest = minimise(cases.at(seed), (smaller) => comparison.differences(smaller).length > 0);
  expect(smallest.run.steps.length).toBeLessThanOrEqual(4);
  const report = failureOf(seed, cases, comparison) ?? '';
  expect(report).toContain(`npm run fuzz -- --first ${seed} --count 1`);
  expect(report.split('\n').filter((line) => /\| ts: .* \| one way less: .* {3}<== differ$/.test(line))).toHaveLength(
    1,
  );
});

test('engines that agree have nothing to report', () => {
  expect(failureOf(1, new RandomCases(), compare(SPECIFICATION, SPECIFICATION))).toBeUndefined();
});
