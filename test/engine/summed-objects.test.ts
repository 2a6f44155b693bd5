// Sums of objects in the place of very many objects: the native engine's profile is the specification's, byte for byte;
// what is summed by site, and all that is not of objects, is as if each object had its row.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ReplayInput } from '../../src/contract/input.js';
import { closeObjects, countObjects } from '../../src/profile/object-source.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import type { Profile } from '../../src/profile/profile.js';
import { sumSites } from '../../src/views/site-misses.js';
import { atLength } from '../at-length.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomWindow } from '../random/random-window.js';
import { profilePair, RUN } from './equal-profiles.js';
import { replayNatively } from './replay-natively.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const MADE_UP = Number(process.env.DPROF_SEEDS ?? atLength(40, 4000));

const folder = mkdtempSync(join(tmpdir(), 'dprof-summed-'));
const comparison = new Comparison();
afterAll(() => comparison.close());

/** A random run, or a window of one. */
function inputOf(seed: number): ReplayInput {
  const one = new RandomCases().at(seed);
  const random = new RandomNumbers(seed + 7_654_321);
  const input: ReplayInput = { ...comparison.input(one), flow: undefined };
  return random.chance(40) ? { ...input, window: randomWindow(random, one.run) } : input;
}

test(`${MADE_UP} made-up runs, by both engines`, () => {
  let summed = 0;
  for (let seed = FIRST; seed < FIRST + MADE_UP; seed++) {
    const random = new RandomNumbers(seed);
    const input = { ...inputOf(seed), mostObjects: random.pick([1, 5, 30]) };
    const spill = { folder, memoryBytes: 1 << 20 };
    const pair = profilePair(input, { spill, workers: random.pick([1, 2, 4]) });
    expect(pair.native.equals(pair.specified), `seed ${seed}`).toBe(true);
    if (replayNatively(input).objectsAreSums) summed++;
  }
  expect(summed).toBeGreaterThan(MADE_UP / 2);
});

/** By type, site and variable: what all objects have together. */
function bySite(profile: Profile): Map<string, unknown> {
  const { strings, types } = profile;
  return new Map(
    sumSites(profile).map(({ type, site, variable, references, counters }) => [
      `${strings[types.name[type]]} ${site} ${variable}`,
      [references, ...counters],
    ]),
  );
}

test('sums by site, tallies and sharing pairs are those of all objects, in however little memory', () => {
  let [spilled, pairs] = [0, 0];
  for (let seed = FIRST; seed < FIRST + MADE_UP; seed++) {
    const input = inputOf(seed);
    const profileOf = (asked: Partial<ReplayInput>): Profile =>
      buildProfile(replayNatively({ ...input, ...asked }, 2), input.catalog, {
        run: RUN,
        machine: input.machine,
        schedule: input.schedule,
        mostSharedCounts: input.sharedVariables?.mostCounts,
        ...(input.cpus && { cpus: [{ cpu: 0, core: 0 }] }),
      });
    const each = profileOf({});
    for (const memoryBytes of [1, 3000]) {
      const sums = profileOf({ mostObjects: 3, spill: { folder, memoryBytes } });
      if (sums.objectSource !== undefined) spilled++;
      expect(countObjects(sums), `seed ${seed}`).toBeLessThanOrEqual(countObjects(each));
      expect(bySite(sums), `seed ${seed}`).toEqual(bySite(each));
      expect([sums.tallies, sums.sharing, sums.strings]).toEqual([each.tallies, each.sharing, each.strings]);
      closeObjects(sums);
    }
    pairs += each.sharing.misses.length;
  }
  expect(spilled).toBeGreaterThan(MADE_UP / 4);
  expect(pairs).toBeGreaterThan(MADE_UP);
});

test('as many objects as there may be are told apart', () => {
  const input = inputOf(FIRST);
  const { count } = replayNatively(input).objects;
  const asked = (mostObjects: number): unknown => replayNatively({ ...input, mostObjects }).objectsAreSums;
  expect([asked(count), asked(count - 1)]).toEqual([undefined, true]);
});
