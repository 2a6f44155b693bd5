// Stage: test. Two runs compared: sums that add up whatever the runs are, and what makes two profiles not alike.

import { describe, expect, test } from 'vitest';
import { buildDiff, type Diff } from '../../src/diff/diff.js';
import { DIFF_SORTS } from '../../src/diff/rank.js';
import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import type { Profile } from '../../src/profile/profile.js';
import { CLASSES, LEVELS, type Machine, type MissClass } from '../../src/contract/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { flowRequest } from '../../src/replay/places.js';
import { simulate } from '../../src/sim/simulate.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { buildPathTraces } from '../../src/views/path-traces.js';
import { renderDiff } from '../../src/report/diff-text.js';
import { replayDrawing } from '../drawn/replay-drawing.js';
import { facts } from '../profile/hand-made-run.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

function randomProfile(seed: number, machine: Machine = randomMachine(seed)): Profile {
  const trace = openTrace(traceFile(randomTrace(seed, { actions: 120 })));
  const run = {
    command: ['./random'],
    ended: 'ended',
    truncated: false,
    addressRandomisation: false,
    threads: trace.threads.length,
    refusals: {},
    stampsPerSecond: 1000,
  };
  const flow = { by: 'function' as const, mostPaths: 12, mostSteps: 64 };
  const input = { ...replayInput(trace, machine, { kind: 'logical' }), flow: flowRequest(trace.catalog, flow) };
  return buildProfile(simulate(input), trace.catalog, { run, machine, schedule: { kind: 'logical' }, flow });
}

const compare = (before: Profile, after: Profile, options: Parameters<typeof buildDiff>[2] = {}): Diff =>
  buildDiff({ name: 'a', profile: before }, { name: 'b', profile: after }, options);

/** Every { before, after, change } by its path; `perWork` apart. */
function changesIn(value: object, path = '', into = new Map<string, number[]>()): Map<string, number[]> {
  const { before, after, change } = value as Record<string, unknown>;
  if (typeof before === 'number' && typeof after === 'number') into.set(path, [before, after, change as number]);
  for (const [name, field] of Object.entries(value))
    if (name !== 'perWork' && field !== null && typeof field === 'object') changesIn(field, `${path}.${name}`, into);
  return into;
}

function byKey<Row>(rows: readonly Row[], key: (row: Row) => string): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) found.set(key(row), [...(found.get(key(row)) ?? []), row]);
  return found;
}

const isWhole = (row: TypeChangeRow): boolean => row.field === null;

describe.each([1, 2, 3, 4, 5, 6])('random runs, seed %d', (seed) => {
  const machine = randomMachine(seed);
  const [a, b] = [randomProfile(seed, machine), randomProfile(seed + 500, machine)];
  const diff = compare(a, b);

  test('rows of types add up to the totals, and the totals are those of the two profiles', () => {
    const {
      objects: _,
      averageLiveObjects: live,
      workingSetBytes: bytes,
      instructions,
      invalidations,
      upgrades,
      writeBacks,
      ...counted
    } = diff.totals;
    const sums = new Map<string, number[]>();
    for (const { type, field, typeBefore, sizeBytes, presence, objects, ...counts } of diff.rows.filter(isWhole)) {
      for (const [path, numbers] of changesIn(counts))
        sums.set(
          path,
          numbers.map((number, index) => number + (sums.get(path)?.[index] ?? 0)),
        );
    }
    expect(sums).toEqual(changesIn(counted));
    expect(counted.references).toMatchObject({
      before: a.totals.references,
      after: b.totals.references,
      change: b.totals.references - a.totals.references,
    });
    (['l1', 'l2', 'llc'] as const).forEach((level, index) =>
      expect(counted.levels[level].misses).toMatchObject({
        before: a.totals.misses[index],
        after: b.totals.misses[index],
      }),
    );
    expect([instructions.before, invalidations.after, upgrades.before, writeBacks.after]).toEqual([
      a.totals.instructions,
      b.totals.invalidations,
      a.totals.upgrades,
      b.totals.writeBacks,
    ]);
    for (const [total, name] of [
      [live, 'averageLiveObjects'],
      [bytes, 'workingSetBytes'],
    ] as const) {
      expect(total.change).toBeCloseTo(
        diff.rows.reduce((sum, { objects }) => sum + (objects?.[name].change ?? 0), 0),
        6,
      );
    }
  });

  test('paths add up to the lives on them, and with the others to all', () => {
    const { lives, livesOnPaths, livesOnOtherPaths, rows } = diff.paths!;
    for (const side of ['before', 'after', 'change'] as const) {
      expect(rows.reduce((sum, { frequency }) => sum + frequency[side], 0)).toBe(livesOnPaths[side]);
      expect(livesOnPaths[side] + livesOnOtherPaths[side]).toBe(lives[side]);
    }
    expect(livesOnOtherPaths.before).toBeGreaterThan(0);
    for (const [side, profile] of [
      ['before', a],
      ['after', b],
    ] as const) {
      const frequency = (type: string): number =>
        rows.reduce((sum, row) => sum + (row.type === type ? row.frequency[side] : 0), 0);
      for (const { type } of buildDataProfile(profile).rows) {
        expect(frequency(type)).toBe(
          buildPathTraces(profile).rows.reduce((sum, row) => sum + (row.type === type ? row.frequency : 0), 0),
        );
      }
    }
  });

  test('each side is what the views say of that profile', () => {
    for (const [side, profile] of [
      ['before', a],
      ['after', b],
    ] as const) {
      const nameOf = ({ type, typeBefore }: TypeChangeRow): string | null => (side === 'after' ? type : typeBefore);
      const own = diff.rows.filter(isWhole);
      // The views tell types of scalars apart by where they were allocated.
      for (const [type, rows] of byKey(buildDataProfile(profile).rows, (row) => row.type)) {
        const found = own.find((row) => nameOf(row) === type)!;
        const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((all, row) => all + of(row), 0);
        expect([
          found.loads[side],
          found.stores[side],
          found.levels.l1.misses[side],
          found.missLatencyCycles[side],
        ]).toEqual([
          sum((row) => row.references.loads),
          sum((row) => row.references.stores),
          sum((row) => row.misses.l1.loads + row.misses.l1.stores),
          sum((row) => row.missLatencyCycles),
        ]);
        expect(found.objects!.bounce[side]).toBe(rows.some((row) => row.bounce));
        expect(found.objects!.workingSetBytes[side]).toBeCloseTo(
          sum((row) => row.workingSetBytes),
          6,
        );
        if (rows.length === 1) expect(found.objects!.peakLiveObjects[side]).toBe(rows[0].liveObjects);
      }
      const classified = buildMissClassification(profile).rows;
      for (const rows of byKey(classified, ({ type, field }) => JSON.stringify([type, field])).values()) {
        const found = diff.rows.find((row) => nameOf(row) === rows[0].type && row.field === rows[0].field)!;
        for (const name of CLASSES)
          expect(found.levels.l1.classes[name][side]).toBe(
            rows.reduce((all, row) => all + row.levels.l1.classes[name], 0),
          );
      }
    }
  });

  test('the other way round every change has the other sign, and a run is like itself', () => {
    const back = compare(b, a);
    const turned = new Map(back.rows.map((row) => [JSON.stringify([row.type, row.field]), row]));
    expect(turned.size).toBe(diff.rows.length);
    for (const row of diff.rows) {
      const other = changesIn(turned.get(JSON.stringify([row.typeBefore ?? row.type, row.field]))!);
      for (const [path, [before, after, change]] of changesIn(row))
        expect(other.get(path)).toEqual([after, before, 0 - change]);
    }
    for (const [, [, , change]] of compare(a, a).rows.flatMap((row) => [...changesIn(row)])) expect(change).toBe(0);
  });

  test.each(DIFF_SORTS)('ranked by %s: absolute change, then name; fields stand under their type', (sort) => {
    const { rows, level } = compare(a, b, { sort });
    const { classes } = rows[0].levels[level];
    const size = (row: TypeChangeRow): number =>
      Math.abs(
        {
          misses: row.levels.l1.misses.change,
          cycles: row.missLatencyCycles.change,
          references: row.references.change,
          'l2-misses': row.levels.l2.misses.change,
          'llc-misses': row.levels.llc.misses.change,
          'cache-to-cache': row.cacheToCache.change,
          ...(Object.fromEntries(
            Object.keys(classes).map((name) => [name, row.levels[level].classes[name as MissClass].change]),
          ) as Record<MissClass, number>),
          'live-objects': row.objects?.averageLiveObjects.change ?? row.missLatencyCycles.change,
          'working-set': row.objects?.workingSetBytes.change ?? row.missLatencyCycles.change,
          lifetime:
            row.objects === null ? row.missLatencyCycles.change : (row.objects.averageLifetimeInstructions.change ?? 0),
        }[sort],
      );
    const wholes = rows.filter(isWhole);
    expect(wholes).toEqual([...wholes].sort((x, y) => size(y) - size(x) || (x.type < y.type ? -1 : 1)));
    rows.forEach((row, index) => {
      if (row.field === null) return;
      const above = rows[index - 1];
      expect(above.type).toBe(row.type);
      if (above.field !== null)
        expect(size(above) > size(row) || (size(above) === size(row) && above.field < row.field)).toBe(true);
    });
  });

  test('what the levels cost adds up, and the level that changed most is shown', () => {
    const { totals, level, rows, sort } = diff;
    expect(sort).toBe('cycles');
    const cycles = LEVELS.map((one) => Math.abs(totals.levelCycles[one].change));
    expect(Math.max(...cycles)).toBeGreaterThan(0);
    expect(cycles[LEVELS.indexOf(level)]).toBe(Math.max(...cycles));
    for (const one of LEVELS) {
      const wholes = rows.filter(isWhole).map(({ levelCycles }) => levelCycles[one]);
      for (const side of ['before', 'after', 'change'] as const)
        expect(wholes.reduce((sum, count) => sum + count[side], 0)).toBe(totals.levelCycles[one][side]);
    }
    expect(totals.levelCycles.l1.before).toBe(buildDataProfile(a).totals.levelCycles.l1);
    expect(LEVELS.map((one) => compare(a, b, { level: one }).level)).toEqual([...LEVELS]);
  });

  test('per work, every count is divided by it, and averages are not', () => {
    const { rows, per, totals } = compare(a, b, { per: 'references' });
    expect(per).toEqual({ by: 'references', unit: 1000, before: a.totals.references, after: b.totals.references });
    expect(totals.references.perWork).toEqual({ before: 1000, after: 1000, change: 0 });
    for (const {
      levels: { l1 },
      objects,
    } of rows) {
      const { before, after, perWork } = l1.misses;
      expect(perWork).toEqual({
        before: (1000 * before) / a.totals.references,
        after: (1000 * after) / b.totals.references,
        change: (1000 * after) / b.totals.references - (1000 * before) / a.totals.references,
      });
      if (objects !== null) expect(Object.keys(objects.averageLiveObjects)).toEqual(['before', 'after', 'change']);
    }
  });
});

test('what was made differently is said, field by field', () => {
  const machine = randomMachine(1);
  const profile = randomProfile(1, machine);
  const other: Profile = {
    ...profile,
    machine: { ...machine, name: 'other', cores: machine.cores + 1, l1: { ...machine.l1, ways: 2 * machine.l1.ways } },
    schedule: 'random:3',
    run: { ...profile.run, kernelStores: true, truncated: true },
  };
  expect(compare(profile, other).madeDifferently.map(({ what, before, after }) => [what, before, after])).toEqual([
    ['machine cores', String(machine.cores), String(machine.cores + 1)],
    ['machine l1.ways', String(machine.l1.ways), String(2 * machine.l1.ways)],
    ['schedule', 'logical', 'random:3'],
    ["kernel's stores", 'counted', 'replayed'],
    ['truncated', 'no', 'yes'],
  ]);
  expect(compare(profile, profile).madeDifferently).toEqual([]);
});

const pair = { size: 16, type: 'struct pair' } as const;

function drawn(text: string, by: 'function' | 'line' = 'function'): Profile {
  const flow = { by, mostPaths: 1000, mostSteps: 64 };
  const types = { 'struct pair': { size: 16, fields: { left: [0, 8], right: [8, 8] } } } as const;
  const { result, catalog, input } = replayDrawing(text, {
    types,
    heap: { p: { ...pair, address: 0x10000 }, q: { ...pair, address: 0x20000 } },
    flow,
  });
  return buildProfile(result, catalog, { run: facts.run, machine: input.machine, schedule: { kind: 'logical' }, flow });
}

describe('packets that are sent from another core, and then from their own', () => {
  const before = drawn(`
    core 0                     core 1
    alloc p in make
    W p.left in make
    alloc q in make
    W q.left in make
                               R p.left in send
                               free p in send
    R q.left in send
    free q in send
  `);
  const after = drawn(`
    core 0                     core 1
    alloc p in make
    W p.left in make
    alloc q in make
    W q.left in make
    R p.left in send
    free p in send
    R q.left in send
    free q in send
  `);
  const { paths } = compare(before, after);
  const way = {
    type: 'struct pair',
    variable: null,
    allocatedBy: 'make',
    end: 'freed',
    freedBy: 'send',
    freedOnAnotherCore: false,
  };
  const step = (name: string, coreChange: boolean): object => ({ function: name, coreChange, cut: false });

  test('one way vanished, the other is taken twice', () => {
    expect(paths).toMatchObject({
      by: 'function',
      lives: { before: 2, after: 2, change: 0 },
      livesOnOtherPaths: { before: 0, after: 0, change: 0 },
    });
    expect(paths!.rows.map(({ averageLifetimeInstructions: _, ...row }) => row)).toEqual([
      {
        ...way,
        steps: [step('make', false), step('send', false)],
        presence: 'both',
        frequency: { before: 1, after: 2, change: 1 },
      },
      {
        ...way,
        steps: [step('make', false), step('send', true)],
        presence: 'vanished',
        frequency: { before: 1, after: 0, change: -1 },
      },
    ]);
  });

  test('as text, fewer than there are: how many more, and which flag shows them', () => {
    const plain = (text: string): string => text;
    const style = { width: 110, strong: plain, faint: plain, hot: plain };
    const text = renderDiff(compare(before, after), { top: 20, paths: 1, style });
    expect(text.match(/^ .* allocated in make > .*$/gm)).toHaveLength(1);
    expect(text).toContain('  1 of 2 paths that changed (--paths 2 shows all): 0 appeared, 1 vanished, 1 more or less');
  });

  test('as text', () => {
    const plain = (text: string): string => text;
    const lines = renderDiff(compare(before, after), {
      top: 20,
      style: { width: 110, strong: plain, faint: plain, hot: plain },
    }).split('\n');
    expect(lines.slice(lines.findIndex((line) => line.startsWith('paths by')))).toEqual([
      'paths by change of how many objects took them',
      'lives before  after  change  type         path',
      '────────────  ─────  ──────  ───────────  ────────────────────────────────────────────────',
      '           1      2      +1  struct pair  allocated in make > make > send > freed in send',
      '           1      0      -1  struct pair  allocated in make > make => send > freed in send',
      '  2 of 2 paths that changed: 0 appeared, 1 vanished, 1 more or less often. lives: of objects that went this',
      '  way. a > b: from function to function on one core; a => b: b is on another core.',
      '',
    ]);
  });

  test('paths of other places are not compared, and it is said', () => {
    const other = compare(before, drawn('core 0\nalloc p in make\nW p.left in make', 'line'));
    expect(other.paths).toBeNull();
    expect(other.madeDifferently.map(({ what, before: first, after: second }) => [what, first, second])).toContainEqual(
      ['paths', 'by function', 'by line'],
    );
  });
});

test('hostile names are shown as text', () => {
  const evil = 'struct \u001b[31mred\u202e|\n<b>';
  const flow = { by: 'function' as const, mostPaths: 1000, mostSteps: 64 };
  const profileOf = (text: string): Profile => {
    const { result, catalog, input } = replayDrawing(text, {
      types: { [evil]: { size: 16, fields: { 'a\u0007': [0, 8] } } },
      heap: { p: { size: 16, type: evil, address: 0x10000 } },
      flow,
    });
    return buildProfile(result, catalog, {
      run: { ...facts.run, command: ['./\u001b]0;title\u0007'] },
      machine: input.machine,
      schedule: { kind: 'logical' },
      flow,
    });
  };
  const [before, after] = [
    profileOf('core 0\nalloc p in make\nW p in make'),
    profileOf('core 0\nalloc p in make\nW p in make\nR p+8 in make\nfree p in make'),
  ];
  const diff = buildDiff({ name: 'a\u001b.dprofile', profile: before }, { name: 'b', profile: after });
  expect(diff.rows.map(({ type }) => type)).toContain(evil);
  const plain = (text: string): string => text;
  const text = renderDiff(diff, { top: 20, style: { width: 160, strong: plain, faint: plain, hot: plain } });
  expect(text).toContain('struct \\x1b[31mred\\u{202e}|\\n<b>');
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
});
