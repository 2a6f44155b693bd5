// Stage: test. Ranges over schedules: what is smallest, in the middle and largest, which types change their leading
// class, and how that reads.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import { joinSchedules, ROW_COUNTS, type ScheduleCounts } from '../../src/profile/schedule-table.js';
import type { Profile } from '../../src/profile/profile.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { buildSchedules } from '../../src/views/schedules.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';
import { countSchedule } from '../../src/profile/schedule-counts.js';

const alone = buildProfile(handMadeResult(), catalog, facts);

/** "struct a", "struct a.x": the counts that are not 0. */
function counted(
  schedule: string,
  run: readonly number[],
  types: Readonly<Record<string, Readonly<Record<string, number>>>>,
): ScheduleCounts {
  const map = new Map<string, Map<string | null, number[]>>();
  for (const [name, counts] of Object.entries(types)) {
    const [type, field = null] = name.split('.');
    const fields = map.get(type) ?? new Map<string | null, number[]>();
    map.set(
      type,
      fields.set(
        field,
        ROW_COUNTS.map((count) => counts[count] ?? 0),
      ),
    );
  }
  return { schedule, run, types: map };
}

const four = joinSchedules([
  counted('logical', [10, 4, 1], {
    'struct a': {
      'l1.false-sharing': 9,
      'l1.capacity': 5,
      'l2.true-sharing': 1,
      transfers: 30,
      'served.cache': 2,
      'served.remote-cache': 1,
    },
    'struct a.x': { 'l1.false-sharing': 9, transfers: 20 },
    'struct b': { 'l1.true-sharing': 3, 'l1.conflict': 3, transfers: 3 },
  }),
  counted('random:1', [40, 3, 1], {
    'struct a': { 'l1.false-sharing': 4, 'l1.capacity': 5, transfers: 10 },
    'struct b': { 'l1.true-sharing': 4, 'l1.conflict': 3, transfers: 5 },
  }),
  counted('random:2', [20, 2, 1], {
    'struct a': { 'l1.false-sharing': 6, 'l1.capacity': 5, transfers: 15 },
    'struct c': { 'l1.compulsory': 1 },
  }),
  counted('random:3', [30, 1, 1], {
    'struct a': { 'l1.false-sharing': 5, 'l1.capacity': 5, transfers: 12 },
    'struct b': { 'l1.true-sharing': 9, transfers: 9 },
  }),
]);
const profile: Profile = { ...alone, schedules: four };

test(
  'a number is its smallest, the lower of the middle two and its largest; what a schedule does not name is 0 ' +
    'there',
  () => {
    const { rows, ranges } = buildSchedules(profile);
    expect(rows.map(({ type, field }) => [type, field])).toEqual([
      ['struct a', null],
      ['struct a', 'x'],
      ['struct b', null],
      ['struct c', null],
    ]);
    const [a, x, b] = rows;
    expect(a.levels.l1).toEqual({
      'true-sharing': { minimum: 0, median: 0, maximum: 0 },
      'false-sharing': { minimum: 4, median: 5, maximum: 9 },
    });
    expect(a.levels.l2['true-sharing']).toEqual({ minimum: 0, median: 0, maximum: 1 });
    expect(a.transfers).toEqual({ minimum: 10, median: 12, maximum: 30 });
    expect(a.cacheToCache).toEqual({ minimum: 0, median: 0, maximum: 3 });
    expect(x.transfers).toEqual({ minimum: 0, median: 0, maximum: 20 });
    expect(b.levels.l1['true-sharing']).toEqual({ minimum: 0, median: 3, maximum: 9 });
    expect(ranges).toMatchObject({
      invalidations: { minimum: 10, median: 20, maximum: 40 },
      upgrades: { minimum: 1, median: 2, maximum: 4 },
      writeBacks: { minimum: 1, median: 1, maximum: 1 },
    });
    // Sums over types of one schedule each, not sums of ranges: 33, 15, 15, 21.
    expect(ranges.transfers).toEqual({ minimum: 15, median: 15, maximum: 33 });
  },
);

test(
  'a type is marked whose leading class is not the same in all schedules in which it missed; of equal classes ' +
    'the one named first leads',
  () => {
    const { rows } = buildSchedules(profile);
    const leading = rows.map(({ leadingClass, leadingClassChanges }) => [
      Object.entries(leadingClass).filter(([, count]) => count > 0),
      leadingClassChanges,
    ]);
    expect(leading).toEqual([
      [
        [
          ['false-sharing', 3],
          ['capacity', 1],
        ],
        true,
      ],
      [[['false-sharing', 1]], false],
      [[['true-sharing', 3]], false],
      [[['compulsory', 1]], false],
    ]);
  },
);

test('as text: types with lines that moved, equal numbers once, in any width', () => {
  const render = (columns: number): string[] =>
    renderText(new Map([['schedules', buildSchedules(profile)]]), {
      top: 20,
      style: chooseStyle({ columns }, {}),
    }).split('\n');
  const wide = render(200);
  const at = wide.indexOf('schedules: sharing under 4 orders of the threads');
  expect(wide.slice(at + 1, at + 7).map((line) => line.trimEnd())).toEqual([
    'type and field  true sharing  false sharing      c2c   transfers  L2 true  L2 false  leading class',
    '──────────────  ────────────  ─────────────  ───────  ──────────  ───────  ────────  ' +
      '────────────────────────────────────',
    'struct a                   0        4..5..9  0..0..3  10..12..30  0..0..1         0  CHANGES: ' +
      'false-sharing 3, capacity 1',
    '  x                        0        0..0..9        0    0..0..20        0         0  false-sharing',
    'struct b             0..3..9              0        0     0..3..9        0         0  true-sharing',
    'all types            0..3..9        4..5..9  0..0..3  15..15..33  0..0..1         0',
  ]);
  for (const columns of [80, 100, 132]) expect(render(columns).filter((line) => line.length > columns)).toEqual([]);
});

test('what is counted of a profile are its own numbers', () => {
  const { schedules, run, rows } = joinSchedules([countSchedule(alone)]);
  expect([schedules, run]).toEqual([
    ['logical'],
    [[alone.totals.invalidations, alone.totals.upgrades, alone.totals.writeBacks]],
  ]);
  expect(rows[0]).toMatchObject({ type: 'struct args', field: null });
  expect(rows[0].counts[0].slice(0, 5).reduce((sum, misses) => sum + misses, 0)).toBe(90);
});

test('a profile keeps the table, and a table that no dprof wrote is refused', () => {
  const read = (written: unknown): Profile =>
    decodeProfile(Buffer.concat(encodeProfile({ ...alone, schedules: written } as Profile)));
  expect(read(four).schedules).toEqual(four);
  expect(read(undefined)).not.toHaveProperty('schedules');
  const row = four.rows[0];
  for (const [bad, message] of [
    [null, 'names'],
    [{}, 'names'],
    [{ ...four, schedules: [] }, 'names'],
    [{ ...four, schedules: ['logical', 'soon', 'random:1', 'random:2'] }, 'names'],
    [{ ...four, run: four.run.slice(1) }, 'run'],
    [
      {
        ...four,
        run: [
          [1, 2, 3],
          [1, 2, 3],
          [1, 2, 3],
          [1, 2],
        ],
      },
      'run',
    ],
    [{ ...four, rows: 7 }, 'rows'],
    [{ ...four, rows: [null] }, 'row'],
    [{ ...four, rows: [{ ...row, field: 3 }] }, 'row'],
    [{ ...four, rows: [{ ...row, counts: [...row.counts.slice(1), row.counts[0].map(() => -1)] }] }, 'row struct a'],
  ] as const) {
    expect(() => read(bad), JSON.stringify(bad)).toThrow(`schedules of the profile: ${message} at offset 32: expected`);
  }
  expect(() => decodeProfile(Buffer.concat(encodeProfile({ ...alone, schedule: 'random:x' })))).toThrow(
    'profile schedule at offset 32: expected logical, recorded or random:SEED, found "random:x"',
  );
});
