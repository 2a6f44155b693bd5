// Stage: test. The views of the run in hand-made-run.ts, number by number.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { joinSchedules } from '../../src/profile/schedule-table.js';
import { CLASSES, LEVELS } from '../../src/contract/machine.js';
import { buildAddressSet } from '../../src/views/address-set.js';
import { closestNames } from '../../src/base/closest-names.js';
import { buildDataProfile, type DataProfile } from '../../src/views/data-profile.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { summariseLives } from '../../src/views/object-lives.js';
import type { ObjectMissRow } from '../../src/views/object-misses.js';
import { buildSharingView } from '../../src/views/sharing-rows.js';
import { buildEvictions, buildInvalidations } from '../../src/views/takers.js';
import { buildUnusedBytes } from '../../src/views/unused-bytes.js';
import type { ClassifiedBy, View, ViewOptions } from '../../src/views/view.js';
import { filterRows, requireNames } from '../../src/views/row-filter.js';
import { buildView, VIEW_NAMES, VIEWS } from '../../src/views/views.js';
import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';
import { countSchedule } from '../../src/profile/schedule-counts.js';
import type { MissClassificationRow } from '../../src/views/miss-rows.js';

/** Rules of memory and pools. */
const NO_MEMORY = { behind: 0, beside: 0, pool: 0 };
const alone = handMadeFlowProfile();
const profile = { ...alone, schedules: joinSchedules([countSchedule(alone)]) };

test('the data profile lists types by estimated cycles, then by L1 misses, then by name', () => {
  const { rows } = buildDataProfile(profile);
  expect(rows.map((row) => [row.type, row.misses.l1.loads + row.misses.l1.stores])).toEqual([
    ['struct args', 90],
    ['struct node', 12],
    ['heap-48@make', 4],
    ['int', 4],
    ['(untyped)', 1],
    ['long[]', 1],
  ]);
});

test('a row of the data profile has the keys and numbers of the interface', () => {
  expect(buildDataProfile(profile).rows[0]).toEqual({
    type: 'struct args',
    namedBy: 'declared',
    namedByReferences: { declared: 300, access: 0, vote: 0, site: 0, none: 0 },
    site: null,
    receiver: null,
    callPath: [],
    references: { loads: 100, stores: 200 },
    misses: { l1: { loads: 40, stores: 50 }, l2: { loads: 40, stores: 50 }, llc: { loads: 40, stores: 50 } },
    servedBy: { l1: 210, l2: 0, llc: 0, cache: 0, memory: 90 },
    averageLatencyCycles: (210 * 4 + 90 * 200) / 300,
    averageMissLatencyCycles: 200,
    liveObjects: 1,
    workingSetBytes: 8,
    memoryObjects: 0,
    bounce: true,
    writeShared: true,
    transfers: 90,
    orderBoundTransfers: 0,
    orderBound: false,
    missLatencyCycles: 18000,
    // 90 that memory served: 14 - 4, 50 - 14 and 200 - 50 cycles each; 60 of them by false sharing.
    levelCycles: { l1: 900, l2: 3240, llc: 13500 },
    costliest: { level: 'llc', class: 'false-sharing', cycles: 9000, share: 9000 / 17640 },
    mostMissesAt: {
      site: 'main.c:12',
      function: 'worker',
      cycles: 12000,
      misses: 60,
      share: 12000 / 18000,
      callPath: [{ function: 'worker', site: 'main.c:12' }],
    },
    missesBeforeFirstUse: 0,
    missesAfterLastUse: 0,
    frees: 0,
    freesOnOtherCore: 0,
    runCycles: 1764,
  });
});

test('a type sums up what its objects met before and after use, and how many were freed, and where', () => {
  const row = buildDataProfile(profile).rows.find(({ type }) => type === 'struct node');
  expect(row).toMatchObject({ missesBeforeFirstUse: 4, missesAfterLastUse: 2, frees: 2, freesOnOtherCore: 1 });
});

test('rows stand by estimated cycles, and those of equal cycles keep the order of misses and names', () => {
  const result = handMadeResult();
  const at = COUNTERS.indexOf('missLatencyCycles');
  // Every row 100 cycles, but a struct node's 5,000.
  const counters = Float64Array.from(result.tallies.counters, (value, index) =>
    index % COUNTERS.length !== at ? value : Math.floor(index / COUNTERS.length) === 3 ? 5000 : 0,
  );
  const ranked = buildProfile({ ...result, tallies: { ...result.tallies, counters } }, catalog, facts);
  const view = buildDataProfile(ranked);
  expect(view.rows.map((row) => row.type)).toEqual([
    'struct node',
    'struct args',
    'heap-48@make',
    'int',
    '(untyped)',
    'long[]',
  ]);
  const types = buildMissClassification(ranked).rows as readonly MissClassificationRow[];
  expect(types.filter(({ field }) => field === null).map(({ type }) => type)).toEqual(view.rows.map((row) => row.type));
  const byMisses = buildView(ranked, 'data-profile', { sort: 'misses' }) as DataProfile;
  expect([byMisses.sort, byMisses.rows[0].type]).toEqual(['l1-misses', 'struct args']);
  expect(view).not.toHaveProperty('sort');
});

test('a type is order-bound if one of its transfers is', () => {
  const orderBound = (bound: number): boolean => {
    const profile = buildProfile(handMadeResult(), catalog, facts);
    const counters = profile.tallies.counters.map((value) => value);
    const column = COUNTERS.indexOf('orderBoundTransfers');
    for (let at = column; at < counters.length; at += COUNTERS.length) if (counters[at] > 0) counters[at] = bound;
    const { rows } = buildDataProfile({ ...profile, tallies: { ...profile.tallies, counters } });
    return rows.find((row) => row.type === 'int')!.orderBound;
  };
  expect([orderBound(1), orderBound(0)]).toEqual([true, false]);
});

test('live objects are the most at once; the working set weighs bytes by how long they lived', () => {
  const rows = Object.fromEntries(
    buildDataProfile(profile).rows.map((row) => [row.type, [row.liveObjects, row.workingSetBytes]]),
  );
  expect(rows['struct node']).toEqual([2, (16 * 500 + 16 * 200 + 48 * 100) / 1000]);
  expect(rows['heap-48@make']).toEqual([1, (48 * 700) / 1000]);
  expect(rows['long[]']).toEqual([1, (64 * 90) / 1000]);
});

function peakOf(lives: readonly (readonly [born: number, died: number])[]): number {
  const result: ReplayResult = handMadeResult();
  const count = lives.length;
  const { objects } = result;
  const first = Object.fromEntries(
    Object.entries(objects).map(([name, column]) => [name, typeof column === 'number' ? count : column.slice(0, 1)]),
  );
  const repeat = Object.fromEntries(
    Object.entries(first).map(([name, column]) => [
      name,
      typeof column === 'number' ? count : new (column.constructor as Float64ArrayConstructor)(count).fill(column[0]),
    ]),
  );
  const table = {
    ...repeat,
    bornAt: Float64Array.from(lives, ([born]) => born),
    diedAt: Float64Array.from(lives, ([, died]) => died),
  };
  const built = buildProfile({ ...result, objects: table as unknown as ReplayResult['objects'] }, catalog, facts);
  return Math.max(...summariseLives(built).map((life) => life.peak));
}

test('an object that dies as another is born makes room for it', () => {
  expect(
    peakOf([
      [0, 5],
      [5, 9],
    ]),
  ).toBe(1);
  expect(
    peakOf([
      [0, 6],
      [5, 9],
    ]),
  ).toBe(2);
});

test('objects that live for an instant only are counted, one at a time', () => {
  expect(
    peakOf([
      [5, 5],
      [5, 5],
    ]),
  ).toBe(1);
  expect(
    peakOf([
      [0, 9],
      [5, 5],
      [5, 5],
    ]),
  ).toBe(2);
  expect(
    peakOf([
      [0, 5],
      [5, 5],
      [5, -1],
    ]),
  ).toBe(2);
});

test('miss classification has a row per type, its fields below it, each with classes that sum up to its misses', () => {
  const { rows } = buildMissClassification(profile);
  expect(rows.map((row) => [row.type, row.field])).toEqual([
    ['struct args', null],
    ['struct args', 'sx'],
    ['struct args', 'sy'],
    ['struct node', null],
    ['struct node', 'next'],
    ['heap-48@make', null],
    ['int', null],
    ['int', 'counter'],
    ['(untyped)', null],
    ['long[]', null],
    ['long[]', 'totals'],
  ]);
  expect(rows[1]).toEqual({
    type: 'struct args',
    site: null,
    receiver: null,
    callPath: [],
    field: 'sx',
    references: { loads: 100, stores: 100 },
    missLatencyCycles: 12000,
    levelCycles: { l1: 600, l2: 2160, llc: 9000 },
    costliest: { level: 'llc', class: 'false-sharing', cycles: 9000, share: 9000 / 11760 },
    mostMissesAt: {
      site: 'main.c:12',
      function: 'worker',
      cycles: 12000,
      misses: 60,
      share: 1,
      callPath: [{ function: 'worker', site: 'main.c:12' }],
    },
    levels: Object.fromEntries(
      LEVELS.map((level) => [
        level,
        {
          misses: 60,
          classes: { compulsory: 0, 'true-sharing': 0, 'false-sharing': 60, conflict: 0, capacity: 0 },
          compulsoryShared: 0,
          dprofRule: { invalidation: 0, conflict: 0, capacity: 60 },
        },
      ]),
    ),
  });
  for (const row of rows) {
    for (const level of LEVELS)
      expect(CLASSES.reduce((sum, name) => sum + row.levels[level].classes[name], 0)).toBe(row.levels[level].misses);
  }
});

function classified(by: ClassifiedBy, more: ViewOptions = {}): unknown[] {
  const { rows, by: said } = buildMissClassification(profile, { by, ...more });
  expect(said).toBe(by === 'type' ? undefined : by);
  const KEYS = ['type', 'field', 'line', 'function', 'core'] as const;
  return rows.map((row) => [
    ...KEYS.flatMap((key) => (key in row ? [(row as unknown as Record<string, unknown>)[key]] : [])),
    row.levels.l1.misses,
    row.missLatencyCycles,
  ]);
}

test('misses by field, function, line and core: the same classes under other keys', () => {
  expect(classified('field').slice(0, 5)).toEqual([
    ['struct args', 'sx', 60, 12000],
    ['struct args', 'sy', 30, 6000],
    ['struct node', 'next', 11, 2200],
    ['heap-48@make', null, 4, 800],
    ['int', 'counter', 4, 800],
  ]);
  expect(classified('function')).toEqual([
    ['worker', 94, 18800],
    ['scan, "fast"', 17, 3400],
    ['main', 1, 200],
  ]);
  expect(classified('line').slice(0, 3)).toEqual([
    ['main.c:12', 'worker', 60, 12000],
    ['main.c:14', 'worker', 30, 6000],
    ['main.c:30', 'scan, "fast"', 11, 2200],
  ]);
  expect(classified('core')).toEqual([
    [0, 82, 16400],
    [1, 30, 6000],
  ]);
});

test('with a type, functions, lines and cores count that type alone', () => {
  expect(classified('function', { type: 'struct node' })).toEqual([['scan, "fast"', 12, 2400]]);
  expect(classified('core', { type: 'struct args' })).toEqual([
    [0, 60, 12000],
    [1, 30, 6000],
  ]);
  expect(filterRows(buildMissClassification(profile, { by: 'core', type: 'int' }), { type: 'int' }).rows).toHaveLength(
    1,
  );
});

test('misses by object: every object that was referenced, and what lies in none; they add up to the totals', () => {
  const { rows, totals } = buildMissClassification(profile, { by: 'object' }) as View<ObjectMissRow>;
  expect(rows.map((row) => [row.object?.slice(-3) ?? null, row.type, row.levels.l1.misses])).toEqual([
    ['000', 'struct args', 90],
    [null, '(no object)', 12],
    ['200', 'struct node', 9],
    ['300', 'struct node', 1],
    ['100', 'int', 0],
    ['400', 'heap-48@make', 0],
    ['500', 'struct node', 0],
    ['600', 'long[]', 0],
  ]);
  expect(rows[0]).toMatchObject({
    object: '0x555555560000',
    bytes: 8,
    variable: 'pair',
    site: 'main.c:3',
    references: 300,
    missLatencyCycles: 18000,
  });
  expect(rows[0].levels.l1).toEqual({
    misses: 90,
    classes: { compulsory: 0, 'true-sharing': 30, 'false-sharing': 60, conflict: 0, capacity: 0 },
    compulsoryShared: 0,
    dprofRule: { invalidation: 0, conflict: 0, capacity: 90 },
  });
  expect(rows.reduce((sum, row) => sum + row.levels.l1.misses, 0)).toBe(totals.levels.l1.misses);
  const { objects } = profile;
  const once = {
    ...profile,
    objects: { ...objects, references: objects.references.map((count) => Math.min(count, 1)) },
  };
  expect(buildMissClassification(once, { by: 'object' }).rows).toHaveLength(rows.length);
  expect(rows.reduce((sum, row) => sum + row.references, 0)).toBe(totals.references);
});

test.each(['field', 'function', 'line', 'core'] as const)('misses by %s add up to the totals', (by) => {
  const { rows, totals } = buildMissClassification(profile, { by });
  for (const level of LEVELS)
    expect(rows.reduce((sum, row) => sum + row.levels[level].misses, 0)).toBe(totals.levels[level].misses);
});

test('evictions: who takes from whom, per level, worst sets first; labels that read the same are one', () => {
  const { rows, totals } = buildEvictions(profile);
  expect(rows.map(({ level, taker, owner, count }) => [level, taker, owner, count])).toEqual([
    ['l1', 'struct args', 'struct node', 34],
    ['l1', 'heap-32@make', 'struct args', 1],
    ['l2', 'struct args', 'struct args', 5],
  ]);
  expect(rows[0].sets).toEqual({
    involved: 2,
    of: 64,
    perBin: 1,
    worst: [
      { sets: '9', count: 20 },
      { sets: '7', count: 14 },
    ],
  });
  expect([rows[0].bins.length, rows[0].bins[9], rows[2].bins.length]).toEqual([64, 20, 256]);
  expect(rows[2].sets).toEqual({ involved: 4, of: 1024, perBin: 4, worst: [{ sets: '12-15', count: 5 }] });
  expect(totals.evictions).toEqual({ l1: 35, l2: 5, llc: 0 });
});

test('invalidations: the store takes; where the copy was tells the level', () => {
  expect(
    buildInvalidations(profile).rows.map(({ level, taker, owner, count, sets }) => [
      level,
      taker,
      owner,
      count,
      sets.worst[0].sets,
    ]),
  ).toEqual([
    ['l1', 'struct args', 'struct args', 80, '0'],
    ['l2', 'int', 'struct args', 10, '1020-1023'],
  ]);
});

test('unused bytes per type, its fields below it, most first', () => {
  const { rows } = buildUnusedBytes(profile);
  expect(rows.map(({ type, field, unusedBytes, fetchedBytes }) => [type, field, unusedBytes, fetchedBytes])).toEqual([
    ['(no object)', null, 5000, 5000],
    ['struct args', null, 1000, 2000],
    ['struct args', 'sy', 900, 1000],
    ['struct args', 'sx', 100, 1000],
    ['int', null, 60, 68],
    ['int', 'counter', 60, 68],
    ['struct node', null, 20, 100],
    ['struct node', 'next', 4, 36],
  ]);
});

test('a type that only lines belong to is no row of the data profile', () => {
  expect(buildDataProfile(profile).rows.map(({ type }) => type)).not.toContain('(no object)');
  expect(filterRows(VIEWS.evictions.build(profile), { type: 'heap-32@make' }).rows).toHaveLength(1);
});

test('rows of types add up to the totals', () => {
  const { rows, totals } = buildMissClassification(profile);
  const types = rows.filter((row) => row.field === null);
  expect(types.reduce((sum, row) => sum + row.references.loads + row.references.stores, 0)).toBe(totals.references);
  for (const level of LEVELS) {
    expect(types.reduce((sum, row) => sum + row.levels[level].misses, 0)).toBe(totals.levels[level].misses);
    for (const name of CLASSES) {
      expect(types.reduce((sum, row) => sum + row.levels[level].classes[name], 0)).toBe(
        totals.levels[level].classes[name],
      );
    }
  }
});

test('sharing names both sides', () => {
  expect(buildSharingView(profile).rows[0]).toEqual({
    class: 'false-sharing',
    misses: 60,
    relation: 'same-object',
    missed: {
      type: 'struct args',
      field: 'sx',
      variable: 'pair',
      function: 'worker',
      site: 'main.c:12',
      callPath: [{ function: 'worker', site: 'main.c:12' }],
      allocatedAt: 'main.c:3',
      receiver: null,
      allocationPath: [{ function: null, site: 'main.c:3' }],
      allocatedBy: null,
    },
    writer: {
      type: 'struct args',
      field: 'sy',
      variable: 'pair',
      function: 'worker',
      site: 'main.c:14',
      callPath: [{ function: 'worker', site: 'main.c:14' }],
      allocatedAt: 'main.c:3',
      receiver: null,
      allocationPath: [{ function: null, site: 'main.c:3' }],
      allocatedBy: null,
    },
    allocatedBy: [{ missed: null, writer: null, misses: 60 }],
  });
});

test('the address set lists every object with its life, thread and core', () => {
  const { rows } = buildAddressSet(profile);
  expect(rows).toHaveLength(7);
  expect(rows.find(({ address }) => address === '0x555555560300')).toEqual({
    address: '0x555555560300',
    type: 'struct node',
    bytes: 16,
    kind: 'heap',
    variable: null,
    site: 'main.c:7',
    function: 'main',
    receiver: null,
    callPath: [{ function: 'main', site: 'main.c:7' }],
    path: null,
    allocatedAt: 200,
    freedAt: 400,
    lives: 1,
    thread: 1,
    core: 1,
    references: 25,
    bounce: false,
    writeShared: false,
    misses: { l1: 1, l2: 0, llc: 0 },
    missLatencyCycles: 200,
    missesBeforeFirstUse: 1,
    missesAfterLastUse: 0,
    freedOnOtherCore: false,
  });
  expect(rows.find(({ variable }) => variable === 'counter')!.freedAt).toBe(null);
});

test(
  'the typing ledger counts references and L1 misses by rule and by what the rules amount to, each with its ' +
    'denominator',
  () => {
    expect(buildDataProfile(profile).typing).toEqual({
      references: {
        of: 468,
        rules: { object: 423, descriptor: 10, vote: 6, site: 15, variable: 2, scalar: 7, untyped: 5, ...NO_MEMORY },
        groups: { named: 441, heapBySite: 15, scalar: 7, untyped: 5 },
      },
      l1Misses: {
        of: 112,
        rules: { object: 105, descriptor: 1, vote: 1, site: 4, variable: 0, scalar: 0, untyped: 1, ...NO_MEMORY },
        groups: { named: 107, heapBySite: 4, scalar: 0, untyped: 1 },
      },
    });
  },
);

test('a heap array of scalars has a type, but no name: the ledger calls it scalar', () => {
  const result = handMadeResult();
  const leaf = Uint32Array.from(result.tallies.leaf, (value, row) =>
    result.tallies.type[row] === 4 ? 0xffffffff : value,
  );
  const { groups } = buildDataProfile(buildProfile({ ...result, tallies: { ...result.tallies, leaf } }, catalog, facts))
    .typing.references;
  expect(groups).toEqual({ named: 433, heapBySite: 15, scalar: 15, untyped: 5 });
});

test('every view says of which run, machine and order it is, and what it does not cover', () => {
  for (const name of VIEW_NAMES) {
    const { rows, typing, machine, totals, ...rest } = VIEWS[name].build(profile);
    expect(rest).toMatchObject({
      schema: `dprof.${name}/1`,
      command: ['./pairs', '--fast'],
      ended: 'exited with status 0',
      schedule: 'logical',
      order: { kind: 'logical' },
      truncated: false,
      addressRandomisation: false,
      threads: 2,
      orderBound: { segments: 200, segmentsThatWaited: 3, transfers: 100, orderBoundTransfers: 1 },
      outsideLife: 0,
      kernelStores: false,
      unseenBytes: 512,
      lostSegments: 0,
      refusals: { 'inline assembly': 2, va_arg: 1 },
      windows: { closed: 0, closedSeconds: 0, droppedWords: 0 },
      phases: [],
      marks: [],
    });
    expect(totals.levels.l1).toEqual({
      hits: 356,
      misses: 112,
      classes: { compulsory: 6, 'true-sharing': 34, 'false-sharing': 60, conflict: 1, capacity: 11 },
    });
  }
});

test('a type filter keeps the totals and the rows that concern the type, on either side of a pair', () => {
  const types = filterRows(VIEWS['miss-classification'].build(profile), { type: 'struct args' });
  expect(types.rows).toHaveLength(3);
  expect(types.totals.references).toBe(468);
  expect(filterRows(VIEWS.sharing.build(profile), { type: 'int' }).rows).toHaveLength(2);
});

test('an unknown type is refused with the names that are most like it', () => {
  expect(() => requireNames(profile, { type: 'struct arg' })).toThrow("no type in this profile is named 'struct arg'");
  const node = 'SkipList<char const *, MemTable::Compare<int>>::Node';
  expect(closestNames('SkipList::Node', ['DB', 'std::string', node], 1)).toEqual([node]);
  const copied = 'SkipLi…pare<int>>::Node'; // out of a table
  expect(closestNames(copied, ['SkipList::Iterator', 'SkipLists::Node', node], 1)).toEqual([node]);
  expect(closestNames('struct arg', ['struct node', 'int', 'struct args', 'strict arg'])).toEqual([
    'struct args',
    'strict arg',
    'struct node',
  ]);
  expect(closestNames('node', ['struct anode_of_a_tree', 'mode', 'struct node'], 2)).toEqual([
    'struct node',
    'struct anode_of_a_tree',
  ]);
});
