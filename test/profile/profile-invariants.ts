// Stage: profile. What must hold in every profile whatever the program did; a list of the sums that do not add up,
// empty if all do.

import { CLASSES, DPROF_RULES, LEVELS, SERVERS } from '../../src/contract/machine.js';
import { COUNTERS, OBJECT_COUNTERS, PREFETCHING_LEVELS } from '../../src/contract/result.js';
import { counterIndex } from '../../src/profile/counters.js';
import { checkFlowSums } from './flow-invariants.js';
import { listObjects } from '../../src/profile/object-source.js';
import type { Profile, TakerColumns } from '../../src/profile/profile.js';

export function listBrokenInvariants(profile: Profile): string[] {
  const { totals, tallies, sharing } = profile;
  const sums = new Float64Array(COUNTERS.length);
  for (let at = 0; at < tallies.counters.length; at++) sums[at % COUNTERS.length] += tallies.counters[at];
  const sum = (name: string): number => sums[counterIndex(name)];

  const broken: string[] = [];
  const expect = (what: string, actual: number, expected: number): void => {
    if (actual !== expected) broken.push(`${what}: ${actual}, not ${expected}`);
  };
  // Lines that were in the caches when a window began leave in it, and were not brought in it.
  const isWhole = profile.window === undefined && profile.runs?.some(({ window }) => window !== undefined) !== true;
  const expectFrom = (what: string, actual: number, least: number): void => {
    if (isWhole) expect(what, actual, least);
    else if (!(actual >= least)) broken.push(`${what}: ${actual}, less than ${least}`);
  };
  expect('loads of all rows', sum('loads'), totals.loads);
  expect('stores of all rows', sum('stores'), totals.stores);
  expect('loads and stores', totals.loads + totals.stores, totals.references);
  LEVELS.forEach((level, index) => {
    const lookups = index === 0 ? totals.references : totals.misses[index - 1];
    expect(`${level} hits and misses`, totals.hits[index] + totals.misses[index], lookups);
    expect(`${level} misses of all rows`, sum(`${level}.missLoads`) + sum(`${level}.missStores`), totals.misses[index]);
    const classes = CLASSES.reduce((total, name) => total + sum(`${level}.${name}`), 0);
    expect(`${level} classes of all rows`, classes, totals.misses[index]);
    const rules = ['invalidation', 'conflict', 'capacity'].reduce(
      (total, name) => total + sum(`${level}.dprof.${name}`),
      0,
    );
    expect(`${level} classes by DProf's rule`, rules, totals.misses[index]);
  });
  const { prefetchIssued = [0, 0], prefetchUseful = [0, 0], prefetchUseless = [0, 0], tlbMisses = [0, 0] } = totals;
  PREFETCHING_LEVELS.forEach((level, index) => {
    expectFrom(
      `${level} prefetches, useful and useless`,
      prefetchUseful[index] + prefetchUseless[index],
      prefetchIssued[index],
    );
    expect(`${level} prefetches of all rows`, sum(`${level}.prefetchIssued`), prefetchIssued[index]);
    expect(`${level} useful prefetches of all rows`, sum(`${level}.prefetchHits`), prefetchUseful[index]);
    expect(`TLB misses of all rows, level ${index + 1}`, sum(`tlb.${level}Misses`), tlbMisses[index]);
  });
  expect(
    'references by server',
    SERVERS.reduce((total, name) => total + sum(`served.${name}`), 0),
    totals.references,
  );
  const pairs = (name: string): number =>
    sharing.misses.reduce((total, misses, row) => total + (CLASSES[sharing.class[row]] === name ? misses : 0), 0);
  for (const name of ['true-sharing', 'false-sharing']) expect(`${name} pairs`, pairs(name), sum(`l1.${name}`));
  expect('cold-sharing pairs', pairs('compulsory'), sum('l1.compulsoryShared'));

  const { evictions, invalidations, unusedBytes, machine } = profile;
  const lines = ({ level, lines: counts }: TakerColumns, of: number): number =>
    counts.reduce((total, count, row) => total + (level[row] === of ? count : 0), 0);
  LEVELS.forEach((level, index) =>
    expect(`${level} evictions by taker and owner`, lines(evictions, index), totals.evictions[index]),
  );
  expect('invalidations by taker and owner', lines(invalidations, 0) + lines(invalidations, 1), totals.invalidations);
  expect('invalidations in the LLC', lines(invalidations, 2), 0);
  const add = (total: number, count: number): number => total + count;
  expectFrom('bytes fetched into L1s', unusedBytes.fetchedBytes.reduce(add, 0), machine.lineBytes * totals.fills[0]);
  unusedBytes.unusedBytes.forEach((bytes, row) => {
    if (!(bytes <= unusedBytes.fetchedBytes[row]))
      broken.push(`unused bytes of row ${row}: ${bytes} of ${unusedBytes.fetchedBytes[row]}`);
  });
  const { locks, lockThreads, lockCallers, lockData } = profile;
  if (locks !== undefined) {
    const acquisitions = locks.acquisitions.reduce(add, 0);
    expect('acquisitions of locks by all threads', lockThreads!.acquisitions.reduce(add, 0), acquisitions);
    expect('acquisitions of locks by all callers', lockCallers!.acquisitions.reduce(add, 0), acquisitions);
    for (const [name, most] of [
      ['references', totals.references],
      ['misses', totals.misses[0]],
      ['trueSharing', sum('l1.true-sharing')],
      ['falseSharing', sum('l1.false-sharing')],
    ] as const) {
      const under = lockData![name].reduce(add, 0);
      if (!(under <= most)) broken.push(`${name} under locks: ${under}, more than ${most}`);
    }
  }
  const ofObjects = new Float64Array(OBJECT_COUNTERS.length);
  for (const { counters } of listObjects(profile))
    counters.value.forEach((value, row) => (ofObjects[counters.counter[row]] += value));
  OBJECT_COUNTERS.forEach((name, counter) => {
    // References to no object are in the tallies only.
    const of = COUNTERS.includes(name) ? sum(name) : totals.misses[0];
    if (!(ofObjects[counter] <= of)) broken.push(`${name} of all objects: ${ofObjects[counter]}, more than ${of}`);
  });
  LEVELS.forEach((level) => {
    const total = (names: readonly string[]): number =>
      names.reduce((sum, name) => sum + ofObjects[OBJECT_COUNTERS.indexOf(`${level}.${name}`)], 0);
    expect(`${level} classes of all objects`, total(CLASSES), total(DPROF_RULES.map((name) => `dprof.${name}`)));
  });
  checkFlowSums(profile, expect, (what, actual, most) => {
    if (!(actual <= most)) broken.push(`${what}: ${actual}, more than ${most}`);
  });
  return broken;
}
