// Stage: test. Paths from histories and what samples say of their steps, classes by a backward search, and the
// simulated working set, all small enough to be done by hand.

import { expect, test } from 'vitest';
import type { Histories } from '../../../src/hardware/histories/histories.js';
import { LineCache } from '../../../src/hardware/sampled/line-cache.js';
import { simulateWorkingSet, type PlayedType } from '../../../src/hardware/sampled/simulate-working-set.js';
import { resolveMachine } from '../../../src/machine/parse-machine.js';
import type { DrawnObject } from '../../../src/hardware/sampled/sampled-objects.js';
import { drawTypedSamples, type DrawnRow } from '../drawn-samples.js';
import { drawHistories } from '../histories/drawn-histories.js';
import { drawnHistories, drawnSamples, packetSamples, profileOf, rowOf, viewOf } from './sampled-fixture.js';

const drawn = profileOf([drawnSamples()], { histories: drawnHistories() });

test('path traces: frequencies by histories, hits and latencies by samples at the same place', () => {
  const { rows, flow } = viewOf(drawn, 'path-traces');
  expect(flow).toMatchObject({ lives: 300, distinctPaths: 2 });
  // Two of three histories, of 300 objects; Wilson of 2 in 3 is 0.20766 to 0.93851.
  expect(rows.map(({ frequency, histories, ofHistories }: any) => [frequency, histories, ofHistories])).toEqual([
    [200, 2, 3],
    [100, 1, 3],
  ]);
  expect(rows[0].intervals.frequency).toEqual([expect.closeTo(62.298, 2), expect.closeTo(281.552, 2)]);
  const steps = rows[0].steps.map(
    ({
      function: name,
      coreChange,
      offsets,
      references,
      averageTimeSinceAllocationNanoseconds: time,
      averageTimeSinceAllocationInstructions: none,
    }: any) => [name, coreChange, offsets, references, time, none],
  );
  expect(steps).toEqual([
    ['init', false, [0, 16], 400, 10, null],
    ['lock', true, [0, 8], 400, 30, null],
    ['read', false, [8, 16], 200, 40, null],
    ['lock', true, [0, 8], 200, 50, null],
  ]);
  // The lock: 60 loads of 20,000 come from another core; 40 loads and 40 stores of 50,000 hit: 1.2 M of 4 M.
  expect(rows[0].steps[1]).toMatchObject({
    hit: { l1: 0.7, l2: 0, llc: 0, cache: 0.3, memory: 0 },
    averageLatencyCycles: (60 * 200 + 40 * 5) / 100,
    samples: { served: 140, timed: 100 },
  });
  expect(rows[0].steps[1].intervals.hit.cache).toEqual([expect.closeTo(0.23026, 5), expect.closeTo(0.38042, 5)]);
  expect(rows[0].steps[0]).toMatchObject({
    hit: { l1: 1 },
    averageLatencyCycles: null,
    samples: { served: 80, timed: 0 },
  });
});

test('a step that no sample met says so', () => {
  const samples = drawnSamples();
  const unmet = {
    ...samples,
    places: samples.places.map((place) => (place.function === 'read' ? { ...place, function: 'elsewhere' } : place)),
  };
  const { rows } = viewOf(profileOf([unmet], { histories: drawnHistories() }), 'path-traces');
  expect(rows[0].steps[2]).toMatchObject({
    function: 'read',
    references: 200,
    hit: null,
    averageLatencyCycles: null,
    samples: { served: 0, timed: 0 },
  });
});

test('data flow: the graph of the paths, objects with the intervals of their share of the histories', () => {
  const [{ nodes, edges, objects }] = viewOf(drawn, 'data-flow').rows;
  expect(objects).toBe(300);
  expect(nodes.map(({ kind, function: name, objects: count }: any) => [kind, name, count])).toEqual([
    ['allocation', null, 300],
    ['step', 'init', 300],
    ['step', 'lock', 200],
    ['step', 'read', 200],
    ['step', 'lock', 200],
    ['step', 'read', 100],
    ['free', null, 300],
  ]);
  expect(nodes[2].intervals.objects).toEqual([expect.closeTo(62.298, 2), expect.closeTo(281.552, 2)]);
  expect(edges.filter(({ coreChanges }: any) => coreChanges > 0).map(({ objects: count }: any) => count)).toEqual([
    200, 200,
  ]);
});

test('classes: backwards to the last access of the same core; what another core stored since', () => {
  const view = viewOf(drawn, 'miss-classification');
  // lock: its misses follow the store of init, or each other's; read by another core of what init stored: each true
  // sharing. Nothing is unclear.
  const lock = rowOf(view, 'struct drawn', 'f0').levels.l1;
  expect(lock).toMatchObject({
    misses: 1_200_000,
    classes: { compulsory: null, 'true-sharing': 1_200_000, 'false-sharing': 0, conflict: 0, capacity: 0 },
    dprofRule: { invalidation: 1_200_000, conflict: 0, capacity: 0 },
  });
  expect(lock).not.toHaveProperty('unclassified');
});

/** One type of two fields on one line; all samples miss, but of what is stored. */
function classesOf(histories: Histories, rows: readonly DrawnRow[]): Record<string, Record<string, number>> {
  const typed = drawTypedSamples({
    types: [
      {
        name: 'struct drawn',
        bytes: 16,
        fields: [
          { path: 'f0', offset: 0, bytes: 8 },
          { path: 'f1', offset: 8, bytes: 8 },
        ],
      },
    ],
    rows,
    objects: [{ type: 'struct drawn', address: 0x4000, born: 1000 }],
  });
  const view = viewOf(
    profileOf([{ ...typed, run: { ...typed.run, command: ['drawn'] } }], { histories }),
    'miss-classification',
    { by: 'function' },
  );
  return Object.fromEntries(
    view.rows.map(({ function: name, levels: { l1 } }: any) => [
      name,
      { ...l1.classes, unclassified: l1.unclassified },
    ]),
  );
}

const load = (what: string, at: string): DrawnRow => ({
  what: `struct drawn.${what}`,
  at: `${at} drawn.c:1`,
  from: 'L3',
  samples: 10,
  latency: 50,
});
const store = (what: string, at: string): DrawnRow => ({
  what: `struct drawn.${what}`,
  at: `${at} drawn.c:1`,
  op: 'store',
  from: 'L1',
  samples: 10,
});

test('another field of the line, stored by another core: false sharing', () => {
  const classes = classesOf(drawHistories([[0, 1]], ["0: 0 look, 1 count', 0 again"]), [
    load('f0', 'look'),
    store('f1', 'count'),
    load('f0', 'again'),
  ]);
  expect(classes.again).toMatchObject({ 'false-sharing': 200_000, 'true-sharing': 0, capacity: 0 });
  expect(classes.look).toMatchObject({ capacity: 200_000, 'false-sharing': 0 });
});

test(
  'a load of another core is no invalidation; an access of which nobody knows whether it stores leaves the miss ' +
    'unclassified',
  () => {
    const histories = drawHistories([[0, 1]], ["0: 0 look, 1 count', 0 again"]);
    expect(classesOf(histories, [load('f0', 'look'), load('f1', 'count'), load('f0', 'again')]).again).toMatchObject({
      capacity: 200_000,
    });
    expect(classesOf(histories, [load('f0', 'look'), load('f0', 'again')]).again).toMatchObject({
      capacity: 0,
      unclassified: 200_000,
    });
  },
);

test('what its own core referenced last is no invalidation, however it was stored before', () => {
  const classes = classesOf(drawHistories([[0, 1]], ["0: 0 count', 0 look, 0 again"]), [
    store('f0', 'count'),
    load('f0', 'look'),
    load('f0', 'again'),
  ]);
  expect(classes.look).toMatchObject({ 'true-sharing': 200_000, capacity: 0 });
  expect(classes.again).toMatchObject({ 'true-sharing': 0, capacity: 200_000 });
});

test('a loop of two cores: the first access by what came before, the others by what the other core does again', () => {
  const classes = classesOf(
    drawHistories([[0, 1]], ["0: 0 mine, 0 theirs', 0 mine, 0 theirs', 0 mine, 0 theirs', 0 mine, 0 theirs'"]),
    [load('f0', 'mine'), store('f0', 'theirs')],
  );
  // The first of four accesses comes before any store.
  expect(classes.mine).toMatchObject({ 'true-sharing': 150_000, capacity: 50_000 });
});

test('conflict: the share of the lines that lie in crowded sets of the simulated L1', () => {
  // 40 objects 4096 bytes apart, one line each: all in set 0 of 64, of 8 ways.
  const typed = drawTypedSamples({
    types: [
      {
        name: 'struct drawn',
        bytes: 16,
        fields: [
          { path: 'f0', offset: 0, bytes: 8 },
          { path: 'f1', offset: 8, bytes: 8 },
        ],
      },
    ],
    rows: [load('f0', 'look')],
    objects: Array.from({ length: 40 }, (_, at) => ({
      type: 'struct drawn',
      address: 0x10000 + 4096 * at,
      born: 1000,
    })),
  });
  const profile = profileOf([{ ...typed, run: { ...typed.run, command: ['drawn'] } }], {
    histories: drawHistories([[0, 1]], ['0: 0 look']),
  });
  expect(rowOf(viewOf(profile, 'miss-classification'), 'struct drawn', null).levels.l1.classes).toMatchObject({
    conflict: 200_000,
    capacity: 0,
  });
  const { sets } = viewOf(profile, 'working-set');
  expect(sets.l1.overfull).toEqual([0]);
  expect(sets.l1.linesPerSet[0]).toBeCloseTo(40, 9);
});

test('samples alone do not know why they missed', () => {
  const { levels } = rowOf(viewOf(profileOf([packetSamples()]), 'miss-classification'), 'struct packet', null);
  expect(levels.l1).toMatchObject({
    misses: 800_000,
    classes: { compulsory: null, 'true-sharing': null, conflict: null, capacity: null },
    dprofRule: { invalidation: null },
    unclassified: 800_000,
  });
  expect(() => viewOf(profileOf([packetSamples()]), 'path-traces')).toThrow(
    'samples alone have no paths, so no path-traces',
  );
  expect(() => viewOf(profileOf([packetSamples()]), 'sharing')).toThrow('samples say nothing of sharing');
});

const machine = resolveMachine({ l1: '128/2', l2: '256/2', llc: '256/2' }, 1);

test('a cache of one set and two ways: the line used longest ago leaves; time counts from where it is told', () => {
  const cache = new LineCache(machine.l1, 64, 10);
  expect([cache.touch(1, 0, 0), cache.touch(2, 1, 20), cache.touch(1, 0, 25), cache.touch(3, 2, 30)]).toEqual([
    false,
    false,
    true,
    false,
  ]);
  cache.remove(1, 1, 40);
  cache.finish(50);
  expect(Object.fromEntries(cache.lineTime)).toEqual({ 0: 30, 1: 10, 2: 20 });
});

test('the lines of an object that is larger than any cache are removed together', () => {
  const cache = new LineCache(machine.l1, 64, 0);
  cache.touch(1, 0, 0);
  cache.touch(2 ** 40, 1, 20);
  cache.remove(2, 2 ** 57, 40);
  cache.finish(50);
  expect(Object.fromEntries(cache.lineTime)).toEqual({ 0: 50, 1: 20 });
});

test('objects of 1 GiB are played as fast as others', () => {
  const typed = drawnSamples();
  typed.objects.bytes.fill(1n << 30n);
  expect(profileOf([typed], { histories: drawnHistories() }).sampled!.facts.simulation).toMatchObject({
    repetitions: 20,
  });
});

function object(address: number, born: number, died: number): DrawnObject {
  return {
    type: 0,
    address,
    bytes: 128,
    born,
    died,
    end: died === -1 ? 100 : died,
    kind: 0,
    site: 0,
    freeSite: 0,
    thread: 0,
    core: 0,
    samples: 0,
  };
}

function play(types: readonly PlayedType[], seed = 1): NonNullable<ReturnType<typeof simulateWorkingSet>> {
  return simulateWorkingSet({ types, machine, runNs: 100, seed, repetitions: 20 })!;
}

const both = {
  weight: 1,
  isAssumed: false,
  steps: [
    { offset: 0, bytes: 8, time: 0, elsewhere: false },
    { offset: 64, bytes: 8, time: 10, elsewhere: false },
  ],
};

test('working set: lines come with the accesses of the path and leave at the free', () => {
  // One object of two lines from 20 to 60: the first is there for 40, the second for 30 of 100.
  const { residentLines, setLines, bins, objects, windowNs } = play([
    { type: 0, allocations: 1, objects: [object(0x1000, 20, 60)], paths: [both] },
  ]);
  expect(residentLines.map((level) => level.get(0))).toEqual(
    Array.from({ length: 3 }, () => ({
      mean: expect.closeTo(0.7, 12),
      interval: [expect.closeTo(0.7, 12), expect.closeTo(0.7, 12)],
    })),
  );
  expect([[...setLines[0]], [...setLines[1]]].map((lines) => lines.map((count) => Math.round(count)))).toEqual([
    [2],
    [1, 1],
  ]);
  expect([...bins[1].get(0)!.objects].map((count) => Math.round(count))).toEqual([1, 1]);
  expect([objects, windowNs]).toEqual([1, 100]);
});

test('objects are drawn among those that are known, paths by their frequency; a seed draws the same again', () => {
  const type: PlayedType = {
    type: 0,
    allocations: 4,
    objects: [object(0x1000, 0, 50), object(0x2000, 30, 100), object(0x3040, 10, 15)],
    paths: [
      { ...both, weight: 3 },
      { ...both, weight: 1, steps: [] },
    ],
  };
  const [once, again, other] = [play([type]), play([type]), play([type], 2)];
  expect(again).toEqual(once);
  expect(other).not.toEqual(once);
  expect(once.objects).toBe(4);
  const { mean, interval } = once.residentLines[0].get(0)!;
  expect(interval[0]).toBeLessThanOrEqual(mean);
  expect(mean).toBeLessThanOrEqual(interval[1]);
});

test('a path that is assumed touches each sampled offset once, evenly over the life', () => {
  const steps = [
    { offset: 0, bytes: 1, time: 0, elsewhere: false },
    { offset: 64, bytes: 1, time: 0.5, elsewhere: false },
  ];
  expect(
    play([
      { type: 0, allocations: 1, objects: [object(0x1000, 20, 60)], paths: [{ weight: 1, isAssumed: true, steps }] },
    ]).residentLines[0].get(0)!.mean,
  ).toBeCloseTo(0.6, 12);
});

test('more objects at a time than can be played: no simulation, and the reason', () => {
  const many: PlayedType = { type: 0, allocations: 300_000, objects: [object(0x1000, 0, -1)], paths: [both] };
  expect(simulateWorkingSet({ types: [many], machine, runNs: 100, seed: 1, repetitions: 1 })).toBeNull();
});

test('working set: counted numbers are exact, lines have the spread of the simulation', () => {
  const view = viewOf(drawn, 'working-set');
  expect(rowOf(view, 'struct drawn')).toMatchObject({
    objects: 300,
    averageLiveObjects: 2.5,
    peakLiveObjects: 3,
    averageLiveBytes: 40,
    peakLiveBytes: 48,
    averageLifetimeNanoseconds: 2000,
    averageLifetimeInstructions: null,
    missesPerSet: null,
    averageFreedLines: null,
    exact: expect.arrayContaining(['peakLiveObjects', 'averageLiveBytes']),
  });
  expect(view.rows.map(({ type }: any) => type)).toEqual(['struct drawn']);
  expect(view.sampled.simulation).toMatchObject({
    seed: 1,
    repetitions: 20,
    objects: 300,
    windowNs: 999_999_000 + 1000,
    withoutPaths: [],
    withoutObjects: [],
  });
});
