// Seeded random traces through the simulator: what must hold for every trace, whatever is in it.

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { listBrokenInvariants } from '../profile/profile-invariants.js';
import { CLASSES, LEVELS, SERVERS, type Schedule } from '../../src/contract/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { randomMachine, randomTrace, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { atLength } from '../at-length.js';

const SEEDS = Array.from({ length: atLength(4, 40) }, (_, seed) => seed);

const RUN = {
  command: [],
  ended: '',
  truncated: false,
  addressRandomisation: false,
  threads: 1,
  refusals: {},
  stampsPerSecond: 1,
};

/** Actions of a run; `npm test` has fewer than is usual. */
const ACTIONS = atLength(200, 400);

const results = new Map<string, ReplayResult>();

/** Replayed once; many tests ask. */
function replayed(seed: number, schedule: Schedule): ReplayResult {
  const key = `${seed} ${schedule.kind}`;
  const result = results.get(key) ?? replay(seed, schedule);
  results.set(key, result);
  return result;
}

function replay(seed: number, schedule: Schedule, actions = ACTIONS): ReplayResult {
  return simulate(replayInput(openTrace(traceFile(randomTrace(seed, { actions }))), randomMachine(seed), schedule));
}

function sum(result: ReplayResult, ...names: string[]): number {
  let total = 0;
  for (let row = 0; row < result.tallies.count; row++) {
    for (const name of names) total += result.tallies.counters[row * COUNTERS.length + COUNTERS.indexOf(name)];
  }
  return total;
}

describe.each([
  { schedule: { kind: 'logical' }, sample: [0, 1] },
  { schedule: { kind: 'recorded' }, sample: [2] },
  { schedule: { kind: 'random', seed: 1 }, sample: [3] },
] as const)('random traces, schedule $schedule.kind', ({ schedule, sample }) => {
  it('tallies add up to the totals, classes to the misses, at every level', () => {
    let misses = 0;
    for (const seed of atLength<readonly number[]>(sample, SEEDS)) {
      const trace = openTrace(traceFile(randomTrace(seed, { actions: ACTIONS })));
      const machine = randomMachine(seed);
      const result = replayed(seed, schedule);
      const { totals } = result;
      expect(totals.references).toBeGreaterThan(100);
      expect(sum(result, 'loads', 'stores')).toBe(totals.references);
      expect(sum(result, 'served.l1', 'served.l2', 'served.llc', 'served.cache', 'served.memory')).toBe(
        totals.references,
      );
      expect(totals.hits[0] + totals.misses[0]).toBe(totals.references);
      LEVELS.forEach((level, index) => {
        if (index > 0) expect(totals.hits[index] + totals.misses[index]).toBe(totals.misses[index - 1]);
        const classes = ['compulsory', 'true-sharing', 'false-sharing', 'conflict', 'capacity'].map(
          (name) => `${level}.${name}`,
        );
        const rules = ['invalidation', 'conflict', 'capacity'].map((name) => `${level}.dprof.${name}`);
        expect(sum(result, ...classes)).toBe(totals.misses[index]);
        expect(sum(result, ...rules)).toBe(totals.misses[index]);
        expect(sum(result, `${level}.missLoads`, `${level}.missStores`)).toBe(totals.misses[index]);
      });
      expect(listBrokenInvariants(buildProfile(result, trace.catalog, { run: RUN, machine, schedule }))).toEqual([]);
      expect(result.sharing.misses.reduce((total, count) => total + count, 0)).toBe(
        sum(result, 'l1.true-sharing', 'l1.false-sharing', 'l1.compulsoryShared'),
      );
      misses += totals.misses[0];
    }
    expect(misses).toBeGreaterThan(1000);
  });

  it('the same trace gives the same result twice', () => {
    for (const seed of atLength<readonly number[]>(sample.slice(0, 1), SEEDS.slice(0, 5)))
      expect(isDeepStrictEqual(replay(seed, schedule, 60), replay(seed, schedule, 60)), `seed ${seed}`).toBe(true);
  });
});

it('random traces meet every rule, class, relation and server somewhere', () => {
  const seen = {
    rules: new Set<number>(),
    relations: new Set<number>(),
    classes: new Set<number>(),
    counters: new Set<string>(),
    kinds: new Set<number>(),
    flags: new Set<number>(),
  };
  let waited = 0;
  let outside = 0;
  let relived = 0;
  for (const seed of SEEDS) {
    const result = replayed(seed, { kind: 'logical' });
    result.tallies.rule.forEach((rule) => seen.rules.add(rule));
    result.sharing.relation.forEach((relation) => seen.relations.add(relation));
    result.sharing.class.forEach((missClass) => seen.classes.add(missClass));
    result.objects.kind.forEach((kind) => seen.kinds.add(kind));
    result.objects.flags.forEach((flags) => seen.flags.add(flags));
    for (const name of COUNTERS) if (sum(result, name) > 0) seen.counters.add(name);
    waited += result.totals.segmentsThatWaited;
    outside += result.totals.outsideLife;
    relived += result.objects.lives.filter((lives) => lives > 1).length;
  }
  expect([...seen.rules].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect([...seen.relations].sort()).toEqual([0, 1, 3]);
  expect([...seen.classes].sort()).toEqual([0, 1, 2]);
  expect([...seen.kinds].sort()).toEqual([0, 1, 2, 3]);
  for (const bit of [1, 2, 4, 8, 16])
    expect(
      [...seen.flags].some((flags) => (flags & bit) !== 0),
      `flag ${bit}`,
    ).toBe(true);
  // These machines are plain.
  expect(COUNTERS.filter((name) => !seen.counters.has(name))).toEqual(
    COUNTERS.filter((name) => /remote|prefetch|tlb/.test(name)),
  );
  expect(waited).toBeGreaterThan(atLength(30, 100));
  expect(outside).toBeGreaterThan(10);
  expect(relived).toBeGreaterThan(10);
});

it('on whole machines the tallies add up too, and every counter is met somewhere', () => {
  const seen = new Set<string>();
  let backInvalidations = 0;
  for (const seed of SEEDS) {
    const result = simulate(
      replayInput(openTrace(traceFile(randomTrace(seed, { actions: 60 }))), randomWholeMachine(seed), {
        kind: 'logical',
      }),
    );
    const { totals } = result;
    expect(sum(result, ...SERVERS.map((server) => `served.${server}`)), `seed ${seed}`).toBe(totals.references);
    LEVELS.forEach((level, index) => {
      expect(totals.hits[index] + totals.misses[index], `seed ${seed}`).toBe(
        index === 0 ? totals.references : totals.misses[index - 1],
      );
      expect(sum(result, ...CLASSES.map((name) => `${level}.${name}`)), `seed ${seed}`).toBe(totals.misses[index]);
    });
    expect(
      result.sharing.misses.reduce((total, count) => total + count, 0),
      `seed ${seed}`,
    ).toBe(sum(result, 'l1.true-sharing', 'l1.false-sharing', 'l1.compulsoryShared'));
    expect([sum(result, 'l1.prefetchIssued'), sum(result, 'l2.prefetchIssued')], `seed ${seed}`).toEqual(
      totals.prefetchIssued,
    );
    expect([sum(result, 'l1.prefetchHits'), sum(result, 'l2.prefetchHits')], `seed ${seed}`).toEqual(
      totals.prefetchUseful,
    );
    expect([sum(result, 'tlb.l1Misses'), sum(result, 'tlb.l2Misses')], `seed ${seed}`).toEqual(totals.tlbMisses);
    for (const name of COUNTERS) if (sum(result, name) > 0) seen.add(name);
    backInvalidations += totals.backInvalidations!;
  }
  expect(COUNTERS.filter((name) => !seen.has(name))).toEqual([]);
  expect(backInvalidations).toBeGreaterThan(1000);
});
