// Stage: test. Samples drawn as rows, and every number of the views that follows from them, calculated by hand.

import { expect, test } from 'vitest';
import { decodeProfile } from '../../../src/profile/profile-reader.js';
import { encodeProfile } from '../../../src/profile/profile-writer.js';
import { mergeProfiles } from '../../../src/profile/merge-profiles.js';
import { chooseStyle } from '../../../src/report/text-style.js';
import { renderText } from '../../../src/report/text-report.js';
import { buildView, viewsOf } from '../../../src/views/views.js';
import { drawTypedSamples } from '../drawn-samples.js';
import { drawnHistories, drawnSamples, packetSamples, profileOf, rowOf, viewOf } from './sampled-fixture.js';

const packets = profileOf([packetSamples()]);
const near = (...bounds: number[]): unknown => bounds.map((bound) => expect.closeTo(bound, 0));

test('data profile: sums of periods, each with its interval', () => {
  const row = rowOf(viewOf(packets, 'data-profile'), 'struct packet');
  expect(row.references).toEqual({ loads: 100 * 20_000, stores: 25 * 50_000 });
  // five stores of 25 say nothing, and none of the others missed
  expect(row.misses.l1).toEqual({ loads: 40 * 20_000, stores: null });
  expect(row.misses.l2).toEqual({ loads: 40 * 20_000, stores: null });
  // nobody says whether the LLC had what another core gave
  expect(row.misses.llc).toEqual({ loads: null, stores: null });
  expect(row.servedBy).toEqual({
    l1: 60 * 20_000 + 20 * 50_000,
    l2: 0,
    llc: 0,
    cache: 40 * 20_000,
    memory: 0,
    unknown: 5 * 50_000,
  });
  expect(row.unknown).toEqual({
    l1: { stores: 250_000 },
    l2: { stores: 250_000 },
    llc: { loads: 800_000, stores: 250_000 },
  });
  // 40 samples of 20,000: normal, 1.96 sqrt(40) 20,000. 5 samples of 50,000: Garwood's 1.6235 and 11.6683.
  expect(row.intervals.misses.l1.loads).toEqual(near(552_082, 1_047_918));
  expect(row.intervals.servedBy.unknown).toEqual(near(81_174, 583_417));
  expect(row.intervals.servedBy.memory).toEqual(near(0, 3.688879454 * 50_000));
  expect(row.intervals.servedBy.cache).toEqual(row.intervals.misses.l1.loads);
  // (40 * 300 + 60 * 4) / 100; every latency but those of the stores is known.
  expect(row.averageLatencyCycles).toBeCloseTo(122.4, 9);
  const deviation = Math.sqrt((40 * (300 - 122.4) ** 2 + 60 * (4 - 122.4) ** 2) / 99 / 100);
  expect(row.intervals.averageLatencyCycles).toEqual([
    expect.closeTo(122.4 - 1.959964 * deviation, 4),
    expect.closeTo(122.4 + 1.959964 * deviation, 4),
  ]);
  expect(row.averageMissLatencyCycles).toBe(300);
});

test('shares: of all L1 misses and of references whose outcome is known, by Wilson with the samples that count', () => {
  const { intervals } = rowOf(viewOf(packets, 'data-profile'), 'struct packet');
  // 40 of 44 samples of one period.
  expect(intervals.share.ofL1Misses).toEqual([expect.closeTo(0.78841, 5), expect.closeTo(0.96408, 5)]);
  // 800,000 of 3,000,000 known ones; (3 * 10^6)^2 / (100 * 20,000^2 + 20 * 50,000^2) = 100 samples.
  expect(intervals.share.missRate).toEqual([expect.closeTo(0.18981, 5), expect.closeTo(0.36079, 5)]);
});

test('objects are counted, and exact; of types whose objects nobody counted they are null', () => {
  const view = viewOf(packets, 'data-profile');
  expect(rowOf(view, 'struct packet')).toMatchObject({
    liveObjects: 2,
    workingSetBytes: 96,
    frees: 1,
    bounce: true,
    writeShared: false,
    sampledObjects: { sampled: 2, bounced: 1, writeShared: 0 },
  });
  expect(rowOf(view, 'struct other')).toMatchObject({
    liveObjects: null,
    workingSetBytes: null,
    frees: null,
    bounce: null,
    sampledObjects: null,
  });
});

test('what no sample can say is null, with its reason, and never 0', () => {
  const view = viewOf(packets, 'data-profile');
  expect(view.totals).toMatchObject({
    invalidations: null,
    upgrades: null,
    writeBacks: null,
    evictions: null,
    instructions: null,
    nanoseconds: 1e9,
  });
  expect(rowOf(view, 'struct packet')).toMatchObject({
    transfers: null,
    missesBeforeFirstUse: null,
    freesOnOtherCore: null,
  });
  expect(view.sampled.unknown).toMatchObject({
    'misses.l2.stores': 'no sample of a store says whether it missed the L2',
    'misses.llc.stores': 'no sample of a store says whether it missed the LLC',
    writeBacks: expect.stringContaining('samples see accesses'),
    classes: expect.stringContaining('dprof history --type NAME'),
  });
  expect(view.sampled.unknown).not.toHaveProperty(['misses.l1.stores']);
});

test('loads alone: stores are unknown, not none', () => {
  const loads = drawTypedSamples({
    types: [{ name: 'int[]' }],
    rows: [{ what: 'int[]', at: 'sum a.c:3', samples: 9, latency: 4 }],
  });
  const profile = profileOf([{ ...loads, events: [loads.events[0]] }]);
  const view = viewOf(profile, 'data-profile');
  expect([view.rows[0].references, view.rows[0].misses.l1]).toEqual([
    { loads: 180_000, stores: null },
    { loads: 0, stores: null },
  ]);
  expect(view.totals).toMatchObject({ references: 180_000, loads: 180_000, stores: null });
  expect(view.sampled.unknown['references.stores']).toBe('no event sampled stores');
});

test('neither load nor store: a reference of no kind, in no level', () => {
  const typed = packetSamples();
  typed.rows.dataSource.fill(0n);
  const view = viewOf(profileOf([typed]), 'data-profile');
  expect(view.totals).toMatchObject({ references: 3_650_000, loads: 0, stores: 0, unknown: 3_650_000 });
  expect(rowOf(view, 'struct packet').references).toEqual({ loads: 0, stores: 0, unknown: 3_250_000 });
  expect(view.typing.references.of).toBe(3_650_000);
  expect(view.typing.references.groups).toEqual({ named: 3_330_000, heapBySite: 0, scalar: 0, untyped: 320_000 });
});

test('samples that say nothing of misses, as page faults are: every view is text all the same', () => {
  const typed = packetSamples();
  typed.rows.dataSource.fill(0n);
  const profile = profileOf([
    {
      ...typed,
      events: typed.events.map((event, index) => ({
        ...event,
        name: `page-faults-${index}`,
        source: 'other' as const,
      })),
    },
  ]);
  const text = renderText(new Map(viewsOf(profile).map((name) => [name, buildView(profile, name, {})])), {
    top: 20,
    style: chooseStyle({}, {}),
  });
  expect(text).toContain('\nmisses       L1 -, L2 -, LLC - of ~3.65M ±18% references\n');
  expect(/^struct packet .*$/m.exec(text)?.[0].split(/ {2,}/).slice(0, 6)).toEqual([
    'struct packet',
    '-',
    '-',
    '-',
    '~3.25M ±19%',
    '-',
  ]);
});

test('fields sum up to their type, functions and cores to the whole, and every interval holds its estimate', () => {
  for (const profile of [packets, profileOf([drawnSamples()], { histories: drawnHistories() })]) {
    const classified = viewOf(profile, 'miss-classification');
    const add = (rows: any[], of: (row: any) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
    for (const whole of classified.rows.filter(({ field, type }: any) => field === null && type !== '(untyped)')) {
      const fields = classified.rows.filter(({ type, field }: any) => type === whole.type && field !== null);
      expect(add(fields, ({ levels }) => levels.l1.misses)).toBe(whole.levels.l1.misses);
      expect(add(fields, ({ references }) => references.loads + references.stores)).toBe(
        whole.references.loads + whole.references.stores,
      );
    }
    for (const by of ['function', 'core', 'line', 'field'] as const) {
      expect(add(viewOf(profile, 'miss-classification', { by }).rows, ({ levels }) => levels.l1.misses ?? 0)).toBe(
        classified.totals.levels.l1.misses,
      );
    }
    for (const name of viewsOf(profile)) {
      const view = viewOf(profile, name);
      let checked = 0;
      const check = (values: any, intervals: any): void => {
        for (const [key, interval] of Object.entries<any>(intervals ?? {})) {
          if (key === 'total' || key === 'share' || interval === null) continue;
          if (!Array.isArray(interval)) check(values[key], interval);
          else {
            expect(values[key], `${name} ${key}`).not.toBeNull();
            expect(interval[0] - 1e-6).toBeLessThanOrEqual(values[key]);
            expect(values[key]).toBeLessThanOrEqual(interval[1] + 1e-6);
            checked++;
          }
        }
      };
      for (const row of view.rows) {
        check(row, row.intervals);
        for (const part of [...(row.steps ?? []), ...(row.nodes ?? []), ...(row.edges ?? [])])
          check(part, part.intervals);
      }
      check(view.totals, view.totals.intervals);
      expect(checked).toBeGreaterThan(0);
    }
  }
});

test('several runs are added: counts and variances, exact lives too', () => {
  const once = rowOf(viewOf(packets, 'data-profile'), 'struct packet');
  const view = viewOf(profileOf([packetSamples(), packetSamples()]), 'data-profile');
  const twice = rowOf(view, 'struct packet');
  expect(twice.misses.l1.loads).toBe(2 * once.misses.l1.loads);
  expect(twice.intervals.misses.l1.loads).toEqual(
    near(1_600_000 - 1.959964 * 20_000 * Math.sqrt(80), 1_600_000 + 1.959964 * 20_000 * Math.sqrt(80)),
  );
  expect(twice).toMatchObject({
    liveObjects: 2,
    workingSetBytes: 96,
    frees: 2,
    averageLatencyCycles: expect.closeTo(122.4, 9),
  });
  expect([view.totals.nanoseconds, view.sampled.samples, view.ended]).toEqual([
    2e9,
    290,
    '2 runs: exited with status 0',
  ]);
});

test('samples of another build are refused with both ids, histories of another program with both names', () => {
  expect(() => profileOf([packetSamples(), packetSamples({ buildId: 'bb22' })])).toThrow(
    'X1 and X2 are of different builds of program: aa11 and bb22',
  );
  expect(() => profileOf([packetSamples()], { histories: drawnHistories() })).toThrow(
    'X1 is of program, and Y of drawn',
  );
});

test('the file keeps all of it', () => {
  const profile = profileOf([drawnSamples()], { histories: drawnHistories() });
  const back = decodeProfile(Buffer.concat(encodeProfile(profile)));
  expect(back.sampled).toEqual(profile.sampled);
  for (const name of viewsOf(profile)) expect(viewOf(back, name)).toEqual(viewOf(profile, name));
});

test('profiles from samples cannot be merged: their samples can', () => {
  expect(() =>
    mergeProfiles([
      { name: 'a', profile: packets },
      { name: 'b', profile: packets },
    ]),
  ).toThrow('a is a profile from samples, and its intervals cannot be added');
});

test.each([
  [
    'variance',
    (profile: any) => ({
      tallies: { ...profile.sampled.tallies, variance: profile.sampled.tallies.variance.slice(1) },
    }),
    /sampled\.tallies\.variance.*expected \d+ rows/,
  ],
  [
    'samples',
    (profile: any) => ({
      tallies: { ...profile.sampled.tallies, samples: profile.sampled.tallies.samples.map(() => NaN) },
    }),
    /sampled\.tallies\.samples, row 0,.*a number from 0 on, found NaN/,
  ],
  [
    'lives',
    (profile: any) => ({ lives: { ...profile.sampled.lives, type: Uint32Array.of(99) } }),
    /sampled\.lives\.type, row 0,.*an index below/,
  ],
  [
    'facts',
    (profile: any) => ({ facts: { ...profile.sampled.facts, unknown: { latency: 5 } } }),
    /sampling of the profile/,
  ],
  ['events', (profile: any) => ({ facts: { ...profile.sampled.facts, events: null } }), /sampling of the profile/],
])('a damaged profile is refused: %s', (_, damage, message) => {
  expect(() =>
    decodeProfile(Buffer.concat(encodeProfile({ ...packets, sampled: { ...packets.sampled!, ...damage(packets) } }))),
  ).toThrow(message);
});
