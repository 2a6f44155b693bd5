// Stage: test. The four views of the run in hand-made-run.ts, number by number.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { countSchedule, joinSchedules } from '../../src/profile/schedule-table.js';
import { CLASSES, LEVELS } from '../../src/replay/machine.js';
import { buildAddressSet } from '../../src/views/address-set.js';
import { closestNames } from '../../src/views/closest-names.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { summariseLives } from '../../src/views/object-lives.js';
import { buildSharingView } from '../../src/views/sharing.js';
import { filterByType, requireType, VIEW_NAMES, VIEWS } from '../../src/views/views.js';
import type { ReplayResult } from '../../src/replay/result.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';

const alone = buildProfile(handMadeResult(), catalog, facts);
const profile = { ...alone, schedules: joinSchedules([countSchedule(alone)]) };

test('the data profile lists types by L1 misses, then by name', () => {
  const { rows } = buildDataProfile(profile);
  expect(rows.map((row) => [row.type, row.misses.l1.loads + row.misses.l1.stores])).toEqual([
    ['struct args', 90], ['struct node', 12], ['heap-48@make', 4], ['int', 4], ['(untyped)', 1], ['long[]', 1],
  ]);
});

test('a row of the data profile has the keys and numbers of the interface', () => {
  expect(buildDataProfile(profile).rows[0]).toEqual({
    type: 'struct args',
    references: { loads: 100, stores: 200 },
    misses: { l1: { loads: 40, stores: 50 }, l2: { loads: 40, stores: 50 }, llc: { loads: 40, stores: 50 } },
    servedBy: { l1: 210, l2: 0, llc: 0, cache: 0, memory: 90 },
    averageLatencyCycles: (210 * 4 + 90 * 200) / 300,
    averageMissLatencyCycles: 200,
    liveObjects: 1,
    workingSetBytes: 8,
    bounce: true,
    writeShared: true,
    transfers: 90,
    orderBoundTransfers: 0,
    orderBound: false,
  });
});

test('a type is order-bound from a tenth of its transfers on', () => {
  const orderBound = (transfers: number): boolean => {
    const result = handMadeResult();
    const counters = Float64Array.from(result.tallies.counters, (value) => (value === 10 ? transfers : value));
    const { rows } = buildDataProfile(buildProfile({ ...result, tallies: { ...result.tallies, counters } }, catalog, facts));
    return rows.find((row) => row.type === 'int')!.orderBound;
  };
  expect([orderBound(10), orderBound(11)]).toEqual([true, false]);
});

test('live objects are the most at once; the working set weighs bytes by how long they lived', () => {
  const rows = Object.fromEntries(buildDataProfile(profile).rows.map((row) => [row.type, [row.liveObjects, row.workingSetBytes]]));
  expect(rows['struct node']).toEqual([2, (16 * 500 + 16 * 200 + 48 * 100) / 1000]);
  expect(rows['heap-48@make']).toEqual([1, (48 * 700) / 1000]);
  expect(rows['long[]']).toEqual([1, (64 * 90) / 1000]);
});

function peakOf(lives: readonly (readonly [born: number, died: number])[]): number {
  const result: ReplayResult = handMadeResult();
  const count = lives.length;
  const { objects } = result;
  const first = Object.fromEntries(Object.entries(objects).map(([name, column]) => [name, typeof column === 'number' ? count : column.slice(0, 1)]));
  const repeat = Object.fromEntries(
    Object.entries(first).map(([name, column]) => [name, typeof column === 'number' ? count : new (column.constructor as Float64ArrayConstructor)(count).fill(column[0])]),
  );
  const table = { ...repeat, bornAt: Float64Array.from(lives, ([born]) => born), diedAt: Float64Array.from(lives, ([, died]) => died) };
  const built = buildProfile({ ...result, objects: table as unknown as ReplayResult['objects'] }, catalog, facts);
  return Math.max(...summariseLives(built).map((life) => life.peak));
}

test('an object that dies as another is born makes room for it', () => {
  expect(peakOf([[0, 5], [5, 9]])).toBe(1);
  expect(peakOf([[0, 6], [5, 9]])).toBe(2);
});

test('objects that live for an instant only are counted, one at a time', () => {
  expect(peakOf([[5, 5], [5, 5]])).toBe(1);
  expect(peakOf([[0, 9], [5, 5], [5, 5]])).toBe(2);
  expect(peakOf([[0, 5], [5, 5], [5, -1]])).toBe(2);
});

test('miss classification has a row per type, its fields below it, each with classes that sum up to its misses', () => {
  const { rows } = buildMissClassification(profile);
  expect(rows.map((row) => [row.type, row.field])).toEqual([
    ['struct args', null], ['struct args', 'sx'], ['struct args', 'sy'],
    ['struct node', null], ['struct node', 'next'],
    ['heap-48@make', null],
    ['int', null], ['int', 'counter'],
    ['(untyped)', null],
    ['long[]', null], ['long[]', 'totals'],
  ]);
  expect(rows[1]).toEqual({
    type: 'struct args',
    field: 'sx',
    references: { loads: 100, stores: 100 },
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
    for (const level of LEVELS) expect(CLASSES.reduce((sum, name) => sum + row.levels[level].classes[name], 0)).toBe(row.levels[level].misses);
  }
});

test('rows of types add up to the totals', () => {
  const { rows, totals } = buildMissClassification(profile);
  const types = rows.filter((row) => row.field === null);
  expect(types.reduce((sum, row) => sum + row.references.loads + row.references.stores, 0)).toBe(totals.references);
  for (const level of LEVELS) {
    expect(types.reduce((sum, row) => sum + row.levels[level].misses, 0)).toBe(totals.levels[level].misses);
    for (const name of CLASSES) {
      expect(types.reduce((sum, row) => sum + row.levels[level].classes[name], 0)).toBe(totals.levels[level].classes[name]);
    }
  }
});

test('sharing names both sides', () => {
  expect(buildSharingView(profile).rows[0]).toEqual({
    class: 'false-sharing',
    misses: 60,
    relation: 'same-object',
    missed: { type: 'struct args', field: 'sx', variable: 'pair', function: 'worker', site: 'main.c:12', allocatedAt: 'main.c:3', allocatedBy: null },
    writer: { type: 'struct args', field: 'sy', variable: 'pair', function: 'worker', site: 'main.c:14', allocatedAt: 'main.c:3', allocatedBy: null },
  });
});

test('the address set lists every object with its life, thread and core', () => {
  const { rows } = buildAddressSet(profile);
  expect(rows).toHaveLength(7);
  expect(rows[3]).toEqual({
    address: '0x555555560300',
    type: 'struct node',
    bytes: 16,
    kind: 'heap',
    variable: null,
    site: 'main.c:7',
    function: 'main',
    path: null,
    allocatedAt: 200,
    freedAt: 400,
    lives: 1,
    thread: 1,
    core: 1,
    references: 25,
    bounce: false,
    writeShared: false,
  });
  expect(rows[0].freedAt).toBe(null);
});

test('the typing ledger counts references and L1 misses by rule and by what the rules amount to, each with its denominator', () => {
  expect(buildDataProfile(profile).typing).toEqual({
    references: {
      of: 468,
      rules: { object: 423, descriptor: 10, vote: 6, site: 15, variable: 2, scalar: 7, untyped: 5 },
      groups: { named: 441, heapBySite: 15, scalar: 7, untyped: 5 },
    },
    l1Misses: {
      of: 112,
      rules: { object: 105, descriptor: 1, vote: 1, site: 4, variable: 0, scalar: 0, untyped: 1 },
      groups: { named: 107, heapBySite: 4, scalar: 0, untyped: 1 },
    },
  });
});

test('a heap array of scalars has a type, but no name: the ledger calls it scalar', () => {
  const result = handMadeResult();
  const leaf = Uint32Array.from(result.tallies.leaf, (value, row) => (result.tallies.type[row] === 4 ? 0xffffffff : value));
  const { groups } = buildDataProfile(buildProfile({ ...result, tallies: { ...result.tallies, leaf } }, catalog, facts)).typing.references;
  expect(groups).toEqual({ named: 433, heapBySite: 15, scalar: 15, untyped: 5 });
});

test('every view says of which run, machine and order it is, and what it does not cover', () => {
  for (const name of VIEW_NAMES) {
    const { rows, typing, machine, totals, ...rest } = VIEWS[name](profile);
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
    });
    expect(totals.levels.l1).toEqual({
      hits: 356,
      misses: 112,
      classes: { compulsory: 6, 'true-sharing': 34, 'false-sharing': 60, conflict: 1, capacity: 11 },
    });
  }
});

test('a type filter keeps the totals and the rows that concern the type, on either side of a pair', () => {
  const types = filterByType(VIEWS['miss-classification'](profile), 'struct args');
  expect(types.rows).toHaveLength(3);
  expect(types.totals.references).toBe(468);
  expect(filterByType(VIEWS.sharing(profile), 'int').rows).toHaveLength(2);
});

test('an unknown type is refused with the names that are most like it', () => {
  expect(() => requireType(profile, 'struct arg')).toThrow("no type in this profile is named 'struct arg'");
  expect(closestNames('struct arg', ['struct node', 'int', 'struct args', 'strict arg'])).toEqual(['struct args', 'strict arg', 'struct node']);
  expect(closestNames('node', ['struct anode_of_a_tree', 'mode', 'struct node'], 2)).toEqual(['struct node', 'struct anode_of_a_tree']);
});
