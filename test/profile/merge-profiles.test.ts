// Stage: test. Profiles of several runs as one: every number the sum of theirs, in whatever order and steps they are
// merged, and refusals of what has no sum.

import { describe, expect, test } from 'vitest';
import { withFrames } from '../../src/views/frames.js';
import { DprofError } from '../../src/base/dprof-error.js';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { listBrokenInvariants } from './profile-invariants.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { joinSchedules } from '../../src/profile/schedule-table.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { buildAddressSet } from '../../src/views/address-set.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { buildSchedules } from '../../src/views/schedules.js';
import { buildSharingView, type SharingSide } from '../../src/views/sharing-rows.js';
import { buildEvictions, buildInvalidations } from '../../src/views/takers.js';
import { buildUnusedBytes } from '../../src/views/unused-bytes.js';
import { randomMachine, randomTrace, randomWholeMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { catalog, facts, handMadeResult } from './hand-made-run.js';
import { ProfileError } from '../../src/profile/profile-error.js';
import { countSchedule } from '../../src/profile/schedule-counts.js';
import type { DataProfileRow } from '../../src/views/data-profile-rows.js';
import { atLength } from '../at-length.js';

const merge = (...profiles: Profile[]): Profile =>
  mergeProfiles(profiles.map((profile, index) => ({ name: `${'abc'[index]}.dprofile`, profile })));
const bytesOf = (profile: Profile): string => Buffer.concat(encodeProfile(profile)).toString('hex');

/** Three runs on one machine, one of them of another program. */
function threeRuns(seed: number): Profile[] {
  const machine = seed % 2 === 0 ? randomMachine(seed) : randomWholeMachine(seed);
  return [seed, seed + 1000, seed + 2000].map((own, index) => {
    const trace = openTrace(traceFile(randomTrace(own, { actions: 80 })));
    const run = {
      command: [index < 2 ? './one' : './two'],
      ended: 'ended',
      truncated: index === 1,
      addressRandomisation: false,
      threads: trace.threads.length,
      refusals: { 'inline assembly': 3 + index },
      stampsPerSecond: 1000 + index,
    };
    return buildProfile(simulate(replayInput(trace, machine, { kind: 'logical' })), trace.catalog, {
      run,
      machine,
      schedule: { kind: 'logical' },
    });
  });
}

/** All numbers of a row, by name; rows of equal keys added. */
const MOST = ['costliest', 'mostMissesAt'];

function sums(
  rows: readonly object[],
  keys: readonly string[],
  leaveOut: readonly string[] = [],
): Record<string, number> {
  const into: Record<string, number> = {};
  const add = (path: string, value: unknown): void => {
    if (typeof value === 'number') into[path] = (into[path] ?? 0) + value;
    else if (value !== null && typeof value === 'object' && !Array.isArray(value))
      for (const [name, field] of Object.entries(value)) add(`${path} ${name}`, field);
  };
  for (const row of rows) {
    const key = JSON.stringify(keys.map((name) => (row as Record<string, unknown>)[name] ?? null));
    // The costliest level and class of a sum is none of its parts', nor is the place of most misses.
    for (const [name, value] of Object.entries(row))
      if (!keys.includes(name) && !leaveOut.includes(name) && !MOST.includes(name)) add(`${key} ${name}`, value);
  }
  return into;
}

describe.each(Array.from({ length: atLength(4, 6) }, (_, seed) => seed))('three random runs, seed %d', (seed) => {
  const runs = threeRuns(seed);
  const [a, b, c] = runs;
  const all = merge(a, b, c);
  // Which frames allocate for others is found from all runs together, so the frames shown are no sums.
  const innermost = (profile: Profile): Profile => withFrames(profile, { innermost: true });

  test('the same bytes in any order and in any steps, through files too', () => {
    const expected = bytesOf(all);
    for (const other of [
      merge(c, b, a),
      merge(b, a, c),
      merge(merge(a, b), c),
      merge(a, merge(b, c)),
      merge(merge(c, a), b),
      merge(decodeProfile(Buffer.from(bytesOf(merge(c, b)), 'hex')), a),
    ])
      expect(bytesOf(other)).toBe(expected);
    expect(decodeProfile(Buffer.from(expected, 'hex'))).toEqual(all);
    expect(bytesOf(merge(a, a, b))).not.toBe(bytesOf(merge(a, b)));
  });

  test('totals and the rows of every view are the sums', () => {
    expect(listBrokenInvariants(all)).toEqual([]);
    for (const name of ['references', 'loads', 'stores', 'instructions', 'invalidations', 'segments'] as const)
      expect(all.totals[name]).toBe(runs.reduce((sum, { totals }) => sum + totals[name], 0));
    expect(all.totals.misses).toEqual(
      [0, 1, 2].map((level) => runs.reduce((sum, { totals }) => sum + totals.misses[level], 0)),
    );
    const check = (
      build: (profile: Profile) => { rows: readonly object[] },
      keys: readonly string[],
      leaveOut?: readonly string[],
    ): void => {
      expect(sums(build(innermost(all)).rows, keys, leaveOut)).toEqual(
        sums(
          runs.flatMap((run) => build(innermost(run)).rows),
          keys,
          leaveOut,
        ),
      );
    };
    check(buildMissClassification, ['type', 'field']);
    check((profile) => buildMissClassification(profile, { by: 'line' }), ['line', 'function']);
    check((profile) => buildMissClassification(profile, { by: 'core' }), ['core']);
    // Threads, call paths, and which places allocate for others, are those of the runs together.
    const place = ({ type, field, variable, function: name, site }: SharingSide): object =>
      Object.values({ type, field, variable, name, site });
    const pairs = (profile: Profile): { rows: object[] } => ({
      rows: buildSharingView(profile).rows.map(({ missed, writer, allocatedBy, ...row }) => ({
        ...row,
        ...{ missed: place(missed), writer: place(writer) },
      })),
    });
    check(pairs, ['class', 'relation', 'missed', 'writer']);
    check(
      buildDataProfile,
      ['type'],
      // How many misses overlap is estimated for the runs together.
      ['averageLatencyCycles', 'averageMissLatencyCycles', 'liveObjects', 'workingSetBytes', 'runCycles'],
    );
    check(buildUnusedBytes, ['type', 'field']);
    for (const build of [buildEvictions, buildInvalidations])
      expect(lines(build(all).rows)).toEqual(lines(runs.flatMap((run) => build(run).rows)));
  });

  test('objects stand side by side; most at once are those of one run', () => {
    const spelled = (profiles: Profile[]): string[] =>
      profiles.flatMap((profile) => buildAddressSet(innermost(profile)).rows.map((row) => JSON.stringify(row))).sort();
    expect(spelled([all])).toEqual(spelled(runs));
    const most = new Map<string, number>();
    // Rows of scalars are told apart by their site.
    const nameOf = ({ type, site, receiver, callPath }: DataProfileRow): string =>
      JSON.stringify([type, site, receiver, callPath?.[0]?.function]);
    for (const row of runs.flatMap((run) => buildDataProfile(innermost(run)).rows as readonly DataProfileRow[]))
      most.set(nameOf(row), Math.max(row.liveObjects, most.get(nameOf(row)) ?? 0));
    expect(new Map(buildDataProfile(innermost(all)).rows.map((row) => [nameOf(row), row.liveObjects]))).toEqual(most);
  });

  test('what it says of its runs', () => {
    const view = buildDataProfile(all);
    expect(view.runs!.map(({ command, instructions }) => [command, instructions]).sort()).toEqual(
      runs.map(({ run, totals }) => [run.command, totals.instructions]).sort(),
    );
    expect([view.truncated, view.threads]).toEqual([true, runs.reduce((sum, { run }) => sum + run.threads, 0)]);
    // The larger count of one program's two runs, and the other program's.
    expect(view.refusals).toEqual({ 'inline assembly': 4 + 5 });
  });
});

function lines(rows: readonly object[]): Record<string, number> {
  const into: Record<string, number> = {};
  for (const { level, taker, owner, lines: count } of rows as readonly {
    level: string;
    taker: string;
    owner: string;
    lines: number;
  }[])
    into[`${level} ${taker} ${owner}`] = (into[`${level} ${taker} ${owner}`] ?? 0) + count;
  return into;
}

const hand = buildProfile(handMadeResult(), catalog, facts);

test('a run merged with itself has all numbers twice, and its averages', () => {
  const [one, two] = [buildDataProfile(hand), buildDataProfile(merge(hand, hand))];
  const row = (view: typeof one): DataProfileRow => view.rows.find(({ type }) => type === 'struct args')!;
  expect([row(one).references, row(two).references]).toEqual([
    { loads: 100, stores: 200 },
    { loads: 200, stores: 400 },
  ]);
  expect([row(one).misses.l1, row(two).misses.l1]).toEqual([
    { loads: 40, stores: 50 },
    { loads: 80, stores: 100 },
  ]);
  for (const name of ['averageLatencyCycles', 'liveObjects', 'workingSetBytes', 'bounce', 'writeShared'] as const)
    expect(row(two)[name]).toEqual(row(one)[name]);
  expect(row(two).missLatencyCycles).toBe(36000);
});

test('of runs under the same schedules the ranges are of their sums', () => {
  const table = (profile: Profile, ...factors: number[]): Profile => {
    const counts = countSchedule(profile);
    const scaled = factors.map((factor, index) => ({
      ...counts,
      schedule: index === 0 ? 'logical' : `random:${index}`,
      run: counts.run.map((count) => count * factor),
      types: new Map(
        [...counts.types].map(([type, fields]) => [
          type,
          new Map([...fields].map(([field, row]) => [field, row.map((count) => count * factor)])),
        ]),
      ),
    }));
    return { ...profile, schedules: joinSchedules(scaled) };
  };
  const [one, other] = [table(hand, 1, 2, 4), table(hand, 1, 9, 1)];
  const merged = buildSchedules(merge(one, other));
  // 60 false-sharing misses: 60 + 60, 120 + 540, 240 + 60.
  expect(merged.ranges.levels.l1['false-sharing']).toEqual({ minimum: 120, median: 300, maximum: 660 });
  expect(bytesOf(merge(other, one))).toBe(bytesOf(merge(one, other)));
  expect(refusal(one, table(hand, 1, 2))).toEqual([
    'a.dprofile and b.dprofile cannot be merged: they were replayed under logical,random:1,random:2 and ' +
      'logical,random:1',
    'replay each trace with the same --schedules',
  ]);
  expect(refusal(hand, one)[0]).toBe(
    'a.dprofile and b.dprofile cannot be merged: they were replayed under one schedule and logical,random:1,random:2',
  );
});

function refusal(...profiles: Profile[]): [message: string, hint: string] {
  try {
    merge(...profiles);
  } catch (error) {
    expect(error).toBeInstanceOf(DprofError);
    return [(error as DprofError).message, (error as DprofError).hint];
  }
  throw new Error('it was accepted');
}

test('what has no sum is refused with what differs', () => {
  const { machine, run } = hand;
  const with_ = (change: Partial<Profile>): Profile => ({ ...hand, ...change });
  expect(refusal(hand, with_({ machine: { ...machine, cores: 7 } }))).toEqual([
    `a.dprofile and b.dprofile cannot be merged: their machines differ in cores, ${machine.cores} and 7`,
    'a machine has as many cores as the trace has threads, unless it says: replay each with the same --cores',
  ]);
  expect(refusal(hand, hand, with_({ machine: { ...machine, l2: { ...machine.l2, ways: 3 } } }))).toEqual([
    `a.dprofile and c.dprofile cannot be merged: their machines differ in l2.ways, ${machine.l2.ways} and 3`,
    'replay each trace with the same machine: --machine and its flags',
  ]);
  expect(
    refusal(
      hand,
      with_({
        machine: { ...machine, tlb: { l1: { entries: 4, ways: 4 }, l2LatencyCycles: 7, walkLatencyCycles: 30 } },
      }),
    )[0],
  ).toBe('a.dprofile and b.dprofile cannot be merged: their machines differ in tlb.l1.entries, none and 4');
  expect(refusal(hand, with_({ schedule: 'random:4' }))[0]).toBe(
    'a.dprofile and b.dprofile cannot be merged: they were replayed under the schedules logical and random:4',
  );
  expect(refusal(hand, with_({ run: { ...run, kernelStores: !run.kernelStores } }))[1]).toBe(
    'replay each trace with --kernel-stores, or none',
  );
  // The name of a machine is no number.
  expect(
    merge(with_({ machine: { ...machine, name: 'b' } }), with_({ machine: { ...machine, name: 'a' } })).machine.name,
  ).toBe('a');
});

test('a file whose runs do not cover its objects is refused', () => {
  const merged = merge(hand, hand);
  const damaged =
    (runs: unknown): (() => Profile) =>
    () =>
      decodeProfile(Buffer.concat(encodeProfile({ ...merged, runs } as Profile)));
  const [first, second] = merged.runs!;
  expect(damaged([first, { ...second, objects: second.objects + 1 }])).toThrow(
    new ProfileError('runs of the profile', 32, `${2 * first.objects} objects`, `${2 * first.objects + 1}`),
  );
  for (const runs of [
    [],
    [first],
    7,
    [first, null],
    [first, { ...second, run: {} }],
    [first, { ...second, instructions: -1 }],
  ])
    expect(damaged(runs), JSON.stringify(runs)).toThrow(ProfileError);
});
