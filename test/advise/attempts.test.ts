// What is said of a problem that has no change: what came nearest, though it may save nothing, or why nothing was
// tried.

import { expect, test } from 'vitest';
import { attemptsFor, bestTried } from '../../src/advise/attempts.js';
import type { Candidate } from '../../src/advise/candidate.js';
import type { Costs } from '../../src/advise/problems.js';
import type { Tried } from '../../src/advise/trial-runner.js';
import { NothingLaidOut } from '../../src/what-if/nothing-laid-out.js';

const costs = (cycles: number): Costs => ({
  cycles,
  instructions: 1000,
  references: 100,
  misses: { l1: 0, l2: 0, llc: 0 },
  costs: new Map(),
  runCycles: 0,
});

type Told = Parameters<typeof attemptsFor>[0];

const problem = (own: Told['class'], rest: Partial<Told> = {}): Told => ({
  class: own,
  isRecord: false,
  name: 'buf',
  allocatedAt: null,
  ...rest,
});

const [pool, pad]: Candidate[] = [
  { text: 'pool it', request: { pool: ['struct node'] } },
  { text: 'pad it', request: { pad: ['struct node=+64'] } },
];
const never = (): undefined => undefined;

const tried = (before: number, after: Readonly<Record<string, number>>): Tried => ({
  before: costs(before),
  trials: new Map(Object.entries(after).map(([key, cycles]) => [key, costs(cycles)])),
});

test.each([
  ['compulsory', {}, 'no change of layout helps what is touched once, only less data'],
  ['true-sharing', {}, 'no change of layout helps bytes that several threads use'],
  ['capacity', {}, 'no rows of it are known that could be longer'],
  ['capacity', { name: null }, 'no variable and no allocation is known to be it'],
  ['false-sharing', {}, 'it is no variable or array whose elements could be moved apart'],
] as const)('%s %j: no change is known', (own, rest, untried) => {
  expect(attemptsFor(problem(own, rest), [], tried(1000, {}), never)).toEqual({ nearest: null, untried });
});

test('what was tried comes near, though it saves nothing', () => {
  const worse = tried(1000, { '--pool struct node': 1100, '--pad struct node=+64': 1020 });
  expect(attemptsFor(problem('capacity'), [pool, pad], worse, never)).toEqual({
    nearest: { text: 'pad it', options: ['--pad', 'struct node=+64'], gainShare: -0.01 },
    untried: null,
  });
});

test('what the run refuses was not tried, and the reason is told', () => {
  const refused = new NothingLaidOut(['struct node'], new Map([['with a flexible array', 2]]));
  expect(attemptsFor(problem('capacity'), [pool, pad], tried(1000, {}), () => refused)).toEqual({
    nearest: null,
    untried: '2 changes cannot be made in this run: 2 objects with a flexible array',
  });
});

test('the best of excerpts is predicted of the whole run', async () => {
  const runner = (before: number, after: Readonly<Record<string, number>>, asked: string[] = []) => ({
    before: () => Promise.resolve(costs(before)),
    known: () => tried(before, after).trials,
    tryAll: (candidates: readonly Candidate[]) => {
      asked.push(...candidates.map(({ text }) => text));
      return Promise.resolve(tried(before, { '--pad struct node=+64': 9_900 }));
    },
  });
  const asked: string[] = [];
  const part = runner(1000, { '--pool struct node': 1100, '--pad struct node=+64': 980 });
  expect(await bestTried([pool, pad], { part, whole: runner(10_000, {}, asked) })).toEqual({
    text: 'pad it',
    options: ['--pad', 'struct node=+64'],
    gainShare: 100 / 11_000,
    cycles: { before: 10_000, after: 9_900 },
  });
  expect(asked).toEqual(['pad it']);
  expect(await bestTried([], { part, whole: part })).toBeNull();
});
