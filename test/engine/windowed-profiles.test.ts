// Windows of random threaded runs whose ended objects go to a file: the native engine's profile is the specification's,
// byte for byte. Made-up runs reach every kind of step; recorded ones have what a recorder writes of closed windows.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { BORDERS, type ReplayWindow } from '../../src/contract/window.js';
import { replayInput } from '../../src/replay/open-trace.js';
import { atLength } from '../at-length.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomMachine } from '../random/random-trace.js';
import { randomWindow } from '../random/random-window.js';
import { build, record, report } from '../recorded/recorded.js';
import { profilePair } from './equal-profiles.js';
import { openWithFlow } from './open-with-flow.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const MADE_UP = Number(process.env.DPROF_SEEDS ?? atLength(30, 4000));
const RECORDED = Number(process.env.DPROF_RUNS ?? atLength(2, 60));
const WINDOWS_PER_RUN = 4;

const folder = mkdtempSync(join(tmpdir(), 'dprof-windowed-'));
const comparison = new Comparison();
afterAll(() => comparison.close());

const spillOf = (random: RandomNumbers): { folder: string; memoryBytes: number } => ({
  folder,
  memoryBytes: random.pick([1, 300, 5000]),
});

test(`${MADE_UP} windows of made-up runs`, () => {
  const cases = new RandomCases();
  let [spilled, empty] = [0, 0];
  for (let seed = FIRST; seed < FIRST + MADE_UP; seed++) {
    const random = new RandomNumbers(seed + 1_234_567);
    const one = cases.at(seed);
    const input = { ...comparison.input(one), window: randomWindow(random, one.run) };
    const pair = profilePair(input, { spill: spillOf(random), workers: random.pick([1, 2, 4]), flow: one.flow });
    expect(pair.native.equals(pair.specified), `seed ${seed}`).toBe(true);
    if (pair.hasSpilled) spilled++;
    if (pair.hasSpilled && pair.references === 0) empty++;
  }
  expect(spilled).toBeGreaterThan(MADE_UP / 5);
  expect(empty).toBeGreaterThan(0); // objects in the file, and nothing counted of them
});

/** A part of the references, whichever end it has; half of the time with a warm-up. */
function anyWindow(random: RandomNumbers, references: number): ReplayWindow {
  const places = BORDERS.map(() => random.below(references + 2)).sort((a, b) => a - b);
  const given = BORDERS.map((name, index) => [name, { kind: 'reference', references: places[index] }] as const);
  return Object.fromEntries(given.filter(() => random.chance(70)));
}

test(`${WINDOWS_PER_RUN} windows of each of ${RECORDED} recordings, which are windows themselves`, () => {
  const program = build('random-threads.c', ['-O1']);
  let [spilled, closed] = [0, 0];
  for (let seed = FIRST; seed < FIRST + RECORDED; seed++) {
    const random = new RandomNumbers(seed + 7_654_321);
    const words = (): string => `${random.between(1, 12_000)}`;
    const flags = [
      ['--for', words()],
      ['--after', words()],
      ['--burst', `${random.between(1, 900)}/1000`],
    ];
    const trace = record(program, [`${seed}`], flags.filter(() => random.chance(60)).flat());
    closed += report(trace, 'data-profile').windows.closed;
    const opened = openWithFlow(trace);
    for (let number = 0; number < WINDOWS_PER_RUN; number++) {
      const schedule = random.pick([{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed }] as const);
      const input = replayInput(opened, randomMachine(seed * WINDOWS_PER_RUN + number), schedule);
      const window = number === 0 ? undefined : anyWindow(random, 20_000);
      const options = { spill: spillOf(random), workers: random.pick([1, 2, 4]), flow: opened.flow };
      const pair = profilePair({ ...input, window }, options);
      expect(pair.native.equals(pair.specified), `seed ${seed}, window ${JSON.stringify(window)}`).toBe(true);
      if (pair.hasSpilled) spilled++;
    }
  }
  expect(spilled).toBe(RECORDED * WINDOWS_PER_RUN);
  expect(closed).toBeGreaterThan(0);
});
