// Stage: test. Samplers, whose draws follow from their definition, and errors by hand; then a program's run, drawn by
// every sampler.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DPROF, run } from '../../cli/command-line.js';
import { unpackBlock } from '../../html/unpack.js';
import { build, folder } from '../histories/history-programs.js';
import { resolveMachine } from '../../../src/machine/parse-machine.js';
import { openTrace, replayInput } from '../../../src/replay/open-trace.js';
import type { AccessObserver } from '../../../src/sim/access-observer.js';
import { simulate } from '../../../src/sim/simulate.js';
import type { DataProfile } from '../../../src/views/data-profile.js';
import type { DrawnSamples, NamedSamples } from '../../../src/hardware/validate/draw-samples.js';
import { compareSamples, type Resampling } from '../../../src/hardware/validate/resample.js';
import { SAMPLER_KINDS, Samplers, type Drawn } from '../../../src/hardware/validate/samplers.js';

/**
 * One thread's segments of four slots and 20 instructions: a load of 4 cycles, a store of 4, a load of 100 that misses,
 * a store of 4.
 */
function draw(name: string, period: number, segments: number, { skid = 0, seed = 1 } = {}): Drawn {
  const samplers = new Samplers(
    { instructions: Uint32Array.of(20), slotCount: Uint16Array.of(4), firstSlot: Uint32Array.of(0) },
    [{ kind: SAMPLER_KINDS.find((kind) => kind.name === name)!, period }],
    skid,
    seed,
    1,
  );
  for (let segment = 0; segment < segments; segment++) {
    samplers.segment(0, 0);
    for (let slot = 0; slot < 4; slot++)
      samplers.access(0, slot % 2 === 1, slot, 0, null, slot === 2 ? 100 : 4, slot === 2, false);
  }
  return samplers.samplers[0].drawn;
}

const bySlot = ({ slot, weight }: Drawn): number[] =>
  [0, 1, 2, 3].map((each) => weight.reduce((sum, count, sample) => sum + (slot[sample] === each ? count : 0), 0));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Within five standard deviations of what the definition expects. */
function expectShares(counts: readonly number[], expected: readonly number[]): void {
  const all = sum(counts);
  counts.forEach((count, slot) =>
    expect(Math.abs(count - all * expected[slot])).toBeLessThanOrEqual(
      5 * Math.sqrt(all * expected[slot] * (1 - expected[slot])) + 1,
    ),
  );
}

test('a period: so many accesses from one sample to the next, within a tenth', () => {
  const { slot, weight } = draw('even', 100, 25_000); // 100,000 accesses
  expect(new Set(weight)).toEqual(new Set([1]));
  expect(Math.abs(slot.length - 1000)).toBeLessThanOrEqual(5);
});

test('even: every access has the same chance', () =>
  expectShares(bySlot(draw('even', 97, 250_000)), [0.25, 0.25, 0.25, 0.25]));
test('loads: stores are never drawn, loads alike', () =>
  expectShares(bySlot(draw('loads', 97, 250_000)), [0.5, 0, 0.5, 0]));
test('latency: in proportion to cycles', () =>
  expectShares(
    bySlot(draw('latency', 997, 100_000)),
    [4, 4, 100, 4].map((cycles) => cycles / 112),
  ));

test('latency: an access that outlasts the period counts as often as the count ran out', () => {
  const { slot, weight } = draw('latency', 10, 10_000);
  expect(Math.max(...weight)).toBeGreaterThanOrEqual(9);
  expectShares(
    bySlot({ slot, weight } as Drawn),
    [4, 4, 100, 4].map((cycles) => cycles / 112),
  );
});

test('skid: an access so many instructions later; slots are five instructions apart', () => {
  // By latency nearly all samples are due at slot 2.
  const due = bySlot(draw('latency', 997, 20_000));
  expect(due[2] / sum(due)).toBeCloseTo(100 / 112, 1);
  const late = new Samplers(
    { instructions: Uint32Array.of(20), slotCount: Uint16Array.of(4), firstSlot: Uint32Array.of(0) },
    [{ kind: { ...SAMPLER_KINDS.find(({ name }) => name === 'latency')!, skids: true }, period: 997 }],
    5,
    1,
    1,
  );
  for (let segment = 0; segment < 20_000; segment++) {
    late.segment(0, 0);
    for (let slot = 0; slot < 4; slot++)
      late.access(0, slot % 2 === 1, slot, 0, null, slot === 2 ? 100 : 4, slot === 2, false);
  }
  // The same draws, each one slot on.
  const [zero, one, two, three] = bySlot(late.samplers[0].drawn);
  expect([one, two, three, zero].every((count, slot) => Math.abs(count - due[slot]) <= 1)).toBe(true);
});

test('one seed draws the same, another another', () => {
  expect(draw('hardware', 500, 2000, { seed: 7, skid: 6 })).toEqual(draw('hardware', 500, 2000, { seed: 7, skid: 6 }));
  expect(draw('hardware', 500, 2000, { seed: 8, skid: 6 })).not.toEqual(
    draw('hardware', 500, 2000, { seed: 7, skid: 6 }),
  );
});

const exact = (type: string, references: number, misses: number, averageLatencyCycles: number) => ({
  type,
  references: { loads: references, stores: 0 },
  misses: { l1: { loads: misses, stores: 0 }, l2: { loads: 0, stores: 0 }, llc: { loads: 0, stores: 0 } },
  servedBy: { l1: references - misses, l2: misses, llc: 0, cache: 0, memory: 0 },
  averageLatencyCycles,
});
const named = (sampler: string, samples: string): NamedSamples => ({
  sampler,
  events: 100,
  period: 10,
  type: Uint32Array.from(samples, (letter) => 'abc'.indexOf(letter.toLowerCase())),
  latency: Float64Array.from(samples, (letter) => (letter === letter.toUpperCase() ? 30 : 5)),
  isMiss: Uint8Array.from(samples, (letter) => Number(letter === letter.toUpperCase())),
  isTransfer: new Uint8Array(samples.length),
  weight: new Float64Array(samples.length).fill(1),
});

test('errors by hand', () => {
  const drawn: DrawnSamples = {
    types: ['a', 'b', 'c'],
    samplers: [named('even', 'aabaBaaaca'), named('latency', 'aabaBaaaca')],
  };
  const {
    exact: all,
    samplers,
    rows,
  } = compareSamples([exact('a', 60, 2, 5), exact('b', 40, 8, 10)], drawn, { trace: 'drawn', seed: 1, skid: 0 });
  expect(all).toEqual({ references: 100, misses: 10, cycles: 700, transfers: 0 });
  const [{ oneIn, measures }, ...others] = samplers[0].curve;
  expect([oneIn, others.length]).toEqual([1, 0]);
  // Sampled: a 70, b 20, c 10 of exact 60, 40, 0.
  expect(measures.references).toMatchObject({ samples: 10, worstType: 'b', lost: [] });
  expect(measures.references.worstPoints).toBeCloseTo(20, 9);
  expect(measures.references.distancePoints).toBeCloseTo(20, 9);
  // One sample missed, of b.
  expect(measures.misses).toMatchObject({ samples: 1, lost: ['a'] });
  expect(measures.misses.worstPoints).toBeCloseTo(20, 9);
  // Latencies: a 35, b 35, c 5 of 75; exact 300 and 400 of 700. Drawn by latency, samples are cycles: 70, 20, 10.
  expect(
    rows
      .filter(({ measure }) => measure === 'cycles')
      .map(({ type, sampledPercent }) => [type, ...Object.values(sampledPercent).map((percent) => percent.toFixed(2))]),
  ).toEqual([
    ['b', '46.67', '20.00'],
    ['a', '46.67', '70.00'],
  ]);
});

test(
  'findings: ten of the largest by exact shares; lost are those that are not among the ten largest of the ' +
    'samples, ties by name',
  () => {
    const letters = 'abcdefghijkl';
    // a 12, b 11, ... l 1: findings are a to j
    const rows = [...letters].map((letter, index) => exact(letter, 12 - index, 0, 4));
    // l and k five times, a to i twice; of j one. Ten largest: k, l, and of those that came twice a to h.
    const drawn = `${'kl'.repeat(5)}${'abcdefghi'.repeat(2)}j`;
    const type = Uint32Array.from(drawn, (letter) => letters.indexOf(letter));
    const own: NamedSamples = {
      sampler: 'even',
      events: 290,
      period: 10,
      type,
      latency: new Float64Array(type.length).fill(4),
      isMiss: new Uint8Array(type.length),
      isTransfer: new Uint8Array(type.length),
      weight: new Float64Array(type.length).fill(1),
    };
    const { samplers } = compareSamples(
      rows,
      { types: [...letters], samplers: [own] },
      { trace: 'drawn', seed: 1, skid: 0 },
    );
    expect(samplers[0].curve[0].measures.references.lost).toEqual(['i', 'j']);
  },
);

test('rank correlation by hand, over all types: three that are in another order, and one that was not seen', () => {
  const judged = (samples: string, rows: readonly [string, number][]): number | null =>
    compareSamples(
      rows.map(([type, references]) => exact(type, references, 0, 4)),
      { types: ['a', 'b', 'c'], samplers: [named('even', samples)] },
      { trace: 'drawn', seed: 1, skid: 0 },
    ).samplers[0].curve[0].measures.references.rankCorrelation;
  // Ranks 3, 2, 1 and 3, 1, 2: 1 - 6 (0 + 1 + 1) / (3 * 8).
  expect(
    judged('aaaaabcccc', [
      ['a', 60],
      ['b', 30],
      ['c', 10],
    ]),
  ).toBeCloseTo(0.5, 12);
  expect(
    judged('aaaaaabbbc', [
      ['a', 60],
      ['b', 30],
      ['c', 10],
    ]),
  ).toBeCloseTo(1, 12);
  expect(
    judged('abbbcccccc', [
      ['a', 60],
      ['b', 30],
      ['c', 10],
    ]),
  ).toBeCloseTo(-1, 12);
  // d was not seen: ranks 4, 3, 2, 1 and 4, 3, 2, 1.
  expect(
    judged('aaaaaabbbc', [
      ['a', 60],
      ['b', 30],
      ['c', 9],
      ['d', 1],
    ]),
  ).toBeCloseTo(1, 12);
  expect(judged('aaaaaaaaaa', [['a', 60]])).toBeNull();
});

test('the curve of a type: what every third sample says, and what chance would', () => {
  // Every third of aabaab... is b.
  const { rows } = compareSamples(
    [exact('a', 60, 0, 4), exact('b', 40, 0, 4)],
    { types: ['a', 'b', 'c'], samplers: [named('even', 'aab'.repeat(20)), named('latency', 'aab'.repeat(20))] },
    { trace: 'drawn', seed: 1, skid: 0 },
  );
  const [{ curve, exactPercent }] = rows.filter(({ measure, type }) => measure === 'references' && type === 'b');
  expect(exactPercent).toBeCloseTo(40, 12);
  expect(Object.keys(curve)).toEqual(['even', 'latency']);
  expect(curve.even.map(({ oneIn, samples, sampledPercent }) => [oneIn, samples, sampledPercent.toFixed(9)])).toEqual([
    [1, 60, '33.333333333'],
    [3, 20, '100.000000000'],
  ]);
  expect(curve.even[1].errorPoints).toBeCloseTo(60, 9);
  expect(curve.even[0].errorPoints).toBeCloseTo(100 / 3 - 40, 9);
  expect(curve.even[1].chancePoints).toBeCloseTo(196 * Math.sqrt((0.4 * 0.6) / 20), 9);
});

test('chance is of as many samples of one weight: two of weight 5 and 35 say as much as 1.28', () => {
  const { rows } = compareSamples(
    [exact('a', 50, 0, 10), exact('b', 50, 0, 10)],
    { types: ['a', 'b', 'c'], samplers: [{ ...named('even', 'ab'), latency: Float64Array.of(5, 35) }] },
    { trace: 'drawn', seed: 1, skid: 0 },
  );
  const [{ curve }] = rows.filter(({ measure }) => measure === 'cycles');
  expect(curve.even[0]).toMatchObject({ samples: 2, sampledPercent: 12.5, errorPoints: -37.5 });
  expect(curve.even[0].chancePoints).toBeCloseTo(196 * Math.sqrt(0.25 / (40 ** 2 / (5 ** 2 + 35 ** 2))), 9);
});

test('samples that say nothing have no error, and show no type', () => {
  const { samplers } = compareSamples(
    [exact('a', 60, 2, 5)],
    { types: ['a', 'b', 'c'], samplers: [named('even', 'aaaaaaaaaa')] },
    { trace: 'drawn', seed: 1, skid: 0 },
  );
  expect(samplers[0].curve[0].measures.misses).toEqual({
    samples: 0,
    worstType: null,
    worstPoints: null,
    distancePoints: null,
    rankCorrelation: null,
    lost: ['a'],
  });
});

test('a program: the types that reports name, shares within the error of so many draws', () => {
  const trace = join(folder, 'resampled.dptrace');
  expect(run(DPROF, 'record', '-o', trace, '--', build('buckets.c', 'dprof-cc'), '400').status).toBe(0);
  const { status, stdout, stderr } = run(
    DPROF,
    'validate',
    '--resample',
    trace,
    '--samples',
    '2000',
    '--seed',
    '3',
    '--format',
    'json',
  );
  expect([status, stderr]).toEqual([0, '']);
  const found = JSON.parse(stdout) as Resampling;
  const profile = JSON.parse(run(DPROF, 'report', trace, '--view', 'data-profile', '--format', 'json').stdout) as {
    totals: { references: number };
    rows: { type: string; references: { loads: number; stores: number } }[];
  };
  expect(found.exact.references).toBe(profile.totals.references);
  const types = new Map(profile.rows.map(({ type, references }) => [type, references.loads + references.stores]));
  const even = found.samplers.find(({ sampler }) => sampler === 'even')!;
  for (const row of found.rows.filter(({ measure }) => measure === 'references')) {
    const share = types.get(row.type)! / profile.totals.references;
    expect(row.exactPercent).toBeCloseTo(100 * share, 6);
    expect(Math.abs(row.sampledPercent.even / 100 - share)).toBeLessThanOrEqual(
      5 * Math.sqrt((share * (1 - share)) / even.samples),
    );
  }
  const again = join(folder, 'resampled.html');
  expect(
    run(DPROF, 'validate', '--resample', trace, '--samples', '2000', '--seed', '3', '--format', 'html', '-o', again),
  ).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(unpackBlock(readFileSync(again, 'utf8'), 'view-0').join('')).toBe(stdout);
});

test('who is told of accesses hears of all misses and of all transfers between cores', () => {
  const trace = join(folder, 'transfers.dptrace');
  expect(run(DPROF, 'record', '-o', trace, '--', build('packets.c', 'dprof-cc'), '20', 'plain').status).toBe(0);
  const opened = openTrace(trace);
  let [accesses, misses, transfers] = [0, 0, 0];
  const observer = {
    access: (...[, , , , , , isMiss, isTransfer]: Parameters<Required<AccessObserver>['access']>) => {
      accesses++;
      misses += Number(isMiss);
      transfers += Number(isTransfer);
    },
  };
  simulate(replayInput(opened, resolveMachine({}, opened.threads.length), { kind: 'logical' }), observer);
  const { totals, rows } = JSON.parse(
    run(DPROF, 'report', trace, '--view', 'data-profile', '--format', 'json').stdout,
  ) as DataProfile;
  // No access here lies on two lines, so accesses are references.
  expect([accesses, misses, transfers]).toEqual([
    totals.references,
    totals.levels.l1.misses,
    rows.reduce((sum, { servedBy }) => sum + servedBy.cache, 0),
  ]);
  expect(transfers).toBeGreaterThan(0);
});

test.each([
  [['--period', '10'], '--period does nothing without --resample'],
  [[], 'nothing to hold x.dptrace against'],
  [['--resample', '--samples', '5', '--period', '5'], '--samples and --period say the same in two ways'],
  [['--resample', '--format', 'html'], '--format html writes a file, and none is named'],
  [['--resample', '-o', 'x.html'], '-o is for --format html, and text is printed'],
  [[import.meta.filename, '--format', 'html', '-o', 'x.html'], 'there is no page of histories'],
  [['--resample', '--skid', '-1'], "--skid: '-1' is not a whole number from 0 to 1000000"],
] as const)('wrong usage: %j', (flags, message) => {
  const { status, stderr } = run(DPROF, 'validate', 'x.dptrace', ...flags);
  expect([status, stderr.split('\n')[0]]).toEqual([2, `dprof: ${message}`]);
});
