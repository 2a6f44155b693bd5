// Windows of random runs: parts that follow one another add up to the whole in either engine, and what a window says
// does not depend on how an engine lays its references out. (That both engines agree on windows, engines-agree.test.ts
// and `npm run fuzz` say.)

import { afterAll, expect, test } from 'vitest';
import type { ReplayInput } from '../../src/contract/input.js';
import type { ReplayResult } from '../../src/contract/result.js';
import type { Border } from '../../src/contract/window.js';
import { replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from './replay-natively.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { writeRun } from '../random/made-up-run.js';
import { randomMachine, randomRun } from '../random/random-trace.js';
import { randomWindow } from '../random/random-window.js';
import { traceFile } from '../random/trace-file.js';
import { additiveCounts, flagsOf, sum, unequal } from './additive.js';
import { differences } from './equal-results.js';
import { openWithFlow } from './open-with-flow.js';
import { atLength } from '../at-length.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const LOOPS = atLength(14, 40);
const SEEDS = Number(process.env.DPROF_WINDOW_SEEDS ?? atLength(6, 60));

const comparison = new Comparison();
afterAll(() => comparison.close());

type Engine = (input: ReplayInput) => ReplayResult;

/** Puts the border that is reached first before the other; one that is never reached lies at the end. */
function inOrder(input: ReplayInput, borders: readonly Border[]): Border[] {
  const place = (border: Border): number => {
    const { window, totals } = replayNatively({ ...input, window: { to: border } });
    return window?.to
      ? window.to.references + window.to.time * 2 ** 20
      : totals.references + totals.instructions * 2 ** 20 + 1;
  };
  return borders
    .map((border) => ({ border, at: place(border) }))
    .sort((a, b) => a.at - b.at)
    .map(({ border }) => border);
}

function partsOf(engine: Engine, input: ReplayInput, [x, y]: readonly Border[]): ReplayResult[] {
  return [{ to: x }, { from: x, to: y }, { from: y }].map((window) => engine({ ...input, window }));
}

test.each<[string, Engine]>([
  ['ts', simulate],
  ['native', (input) => replayNatively(input, 1)],
])(`%s: [0, X), [X, Y) and [Y, end) add up to the whole, in ${SEEDS} random cases`, (_, engine) => {
  const cases = new RandomCases();
  let parted = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const random = new RandomNumbers(seed + 9_999_999);
    const one = { ...cases.at(seed), window: undefined };
    const input = comparison.input(one);
    const anyBorder = (): Border =>
      randomWindow(random, one.run).from ?? { kind: 'reference', references: random.between(1, 60) };
    const borders = inOrder(input, [anyBorder(), anyBorder()]);
    const whole = engine(input);
    const parts = partsOf(engine, input, borders);
    expect(unequal(sum(parts.map(additiveCounts)), additiveCounts(whole)).slice(0, 8), `seed ${seed}`).toEqual([]);
    const flags = parts.map(flagsOf);
    expect(
      flagsOf(whole).map((_flags, object) => flags.reduce((all, own) => all | (own[object] ?? 0), 0)),
      `seed ${seed}`,
    ).toEqual(flagsOf(whole));
    if (parts.every(({ totals }) => totals.references > 0)) parted++;
  }
  expect(parted).toBeGreaterThan(SEEDS / 5);
});

test('a window from the beginning to the end is the whole; the parts say where they begin and end', () => {
  const cases = new RandomCases();
  for (let seed = FIRST; seed < FIRST + 20; seed++) {
    const input = comparison.input({ ...cases.at(seed), window: undefined });
    const { window, ...windowed } = replayNatively({ ...input, window: {} });
    expect(windowed).toEqual(replayNatively(input));
    expect(window).toEqual({ warmUp: null, from: null, to: null });
    const half: Border = { kind: 'reference', references: Math.ceil(windowed.totals.references / 2) };
    const [first, second] = [{ to: half }, { from: half }].map((part) => replayNatively({ ...input, window: part }));
    if (windowed.totals.references > 0) expect(first.window?.to).toEqual(second.window?.from);
    if (windowed.totals.references > 0) expect(first.window?.to?.references).toBe(first.totals.references);
  }
});

test('a warm-up of nothing gives the numbers of a program that began there, but for objects and order', () => {
  const cases = new RandomCases();
  for (let seed = FIRST; seed < FIRST + 40; seed++) {
    const input = comparison.input({ ...cases.at(seed), window: undefined });
    const at: Border = { kind: 'reference', references: 20 };
    const [cold, warm] = [{ warmUp: at, from: at }, { from: at }].map((window) => replayNatively({ ...input, window }));
    expect(cold.totals.references, `seed ${seed}`).toBe(warm.totals.references);
    expect(cold.totals.instructions, `seed ${seed}`).toBe(warm.totals.instructions);
    expect([...cold.objects.lifetime], `seed ${seed}`).toEqual([...warm.objects.lifetime]);
    expect([...cold.objects.references], `seed ${seed}`).toEqual([...warm.objects.references]);
  }
});

test(
  'borders within long loops of a thread for itself on one core lie where the specification puts them, with and ' +
    'without a warm-up',
  () => {
    let within = 0;
    for (let seed = 7001; seed < 7001 + LOOPS; seed++) {
      const random = new RandomNumbers(seed);
      const run = randomRun(seed, { actions: 1 + (seed % 12), longLoops: true });
      const trace = openWithFlow(traceFile(writeRun(run)));
      const alone = {
        ...replayInput(trace, { ...randomMachine(seed), cores: 1, coresPerLlc: 1 }, { kind: 'logical' }),
        threads: trace.threads.slice(0, 1),
      };
      const { references } = replayNatively(alone).totals;
      const [first, second, third] = [0, 0, 0]
        .map(() => random.below(references + 1))
        .sort((a, b) => a - b)
        .map((count): Border => ({ kind: 'reference', references: count }));
      for (const window of [
        { from: first, to: second },
        { warmUp: first, from: second, to: third },
      ]) {
        const result = replayNatively({ ...alone, window });
        expect(differences(simulate({ ...alone, window }), result, 'ts', 'native').slice(0, 8), `seed ${seed}`).toEqual(
          [],
        );
        if (result.totals.references > 0 && result.totals.references < references) within++;
      }
    }
    expect(within).toBeGreaterThan(LOOPS);
  },
);

test('a run without steps has a border before all steps, and no other', () => {
  const one = new RandomCases().at(FIRST);
  const border = (references: number): Border => ({ kind: 'reference', references });
  const empty = { ...one, cpus: undefined, run: { ...one.run, steps: [] } };
  for (const window of [{ to: border(0) }, { from: border(0), to: border(1) }, { from: border(1) }])
    expect(comparison.differences({ ...empty, window }), JSON.stringify(window)).toEqual([]);
  expect(replayNatively(comparison.input({ ...empty, window: { from: border(0), to: border(1) } })).window).toEqual({
    warmUp: null,
    from: { references: 0, time: 0 },
    to: null,
  });
});
