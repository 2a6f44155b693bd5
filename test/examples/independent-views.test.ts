// Stage: test. The views of three programs, under several machines, orders and windows and by both engines, against the
// same numbers worked out again by readers that know the definitions and nothing of dprof (independent-views.ts); then
// what must add up whatever the definitions.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readProfile } from '../../src/profile/profile-reader.js';
import { withFrames } from '../../src/views/frames.js';
import { VIEWS, type ViewName } from '../../src/views/views.js';
import type { Machine, Schedule } from '../../src/contract/machine.js';
import * as expected from './compare-views.js';
import type { Json } from './compare-views.js';
import { record, report, workFolder } from './example-program.js';
import { IndependentViews, LEVELS } from './independent-views.js';
import { issuedRun } from './issued-references.js';
import { atLength } from '../at-length.js';
import { outputOf, runDprof } from '../cli/command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = workFolder('independent-views');
const PROGRAMS = ['lives.c', 'handoffs.c', 'containers.cpp'] as const;
const SMALL = ['--l1', '4K/2', '--l2', '16K/4', '--llc', '64K/4'];

interface Case {
  readonly schedule: Schedule;
  readonly flags: readonly string[];
  readonly engine: 'native' | 'ts';
  readonly workers: number;
  readonly window?: { readonly from?: number; readonly to?: number };
  readonly by?: 'function' | 'line';
}

const logical: Schedule = { kind: 'logical' };
const CASES: Readonly<Record<string, Case>> = {
  'the default machine': { schedule: logical, flags: [], engine: 'native', workers: 1 },
  'small caches, two cores, drawn turns': {
    schedule: { kind: 'random', seed: 3 },
    flags: [...SMALL, '--cores', '2', '--schedule', 'random:3'],
    engine: 'native',
    workers: 4,
  },
  'several LLCs, paths by line': {
    schedule: logical,
    flags: ['--machine', 'paper', '--l1', '4K/2', '--cores', '8'],
    engine: 'ts',
    workers: 1,
    by: 'line',
  },
  'a window': { schedule: logical, flags: [...SMALL], engine: 'native', workers: 2, window: { from: 1500, to: 4500 } },
};

/** Each program, each case. */
const SAMPLE: Readonly<Record<(typeof PROGRAMS)[number], readonly string[]>> = {
  'lives.c': ['several LLCs, paths by line', 'a window'],
  'handoffs.c': ['small caches, two cores, drawn turns'],
  'containers.cpp': ['the default machine'],
};

function traceOf(program: string): string {
  return resolve(folder, `${program}.dptrace`);
}

beforeAll(() => {
  for (const program of PROGRAMS) {
    const isC = program.endsWith('.c');
    const path = resolve(folder, program.replace('.', '-'));
    execFileSync(
      resolve(ROOT, isC ? 'bin/dprof-cc' : 'bin/dprof-c++'),
      ['-O1', '-g', '-pthread', ...(isC ? [] : ['-std=c++20']), `test/examples/programs/${program}`, '-o', path],
      { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    expect(record(traceOf(program), [path]).status).toBe(0);
  }
});

function profileOf(program: string, name: string): string {
  const { flags, engine, workers, window, by } = CASES[name];
  const profile = resolve(folder, `${program}-${Object.keys(CASES).indexOf(name)}.dprofile`);
  const borders = [
    ...(window?.from === undefined ? [] : ['--from', String(window.from)]),
    ...(window?.to === undefined ? [] : ['--to', String(window.to)]),
  ];
  const made = runDprof([
    'replay',
    traceOf(program),
    ...flags,
    ...borders,
    ...(by ? ['--path-by', by] : []),
    '--engine',
    engine,
    '--workers',
    String(workers),
    '--shared-variables',
    '-o',
    profile,
  ]);
  expect([made.status, made.stderr]).toEqual([0, expect.any(String)]);
  return profile;
}

function pick(rows: readonly Json[], keys: readonly string[]): Json[] {
  return expected.normal(rows.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]]))));
}

const WORKING_SET = [
  'type',
  'objects',
  'lives',
  'averageLiveObjects',
  'averageLiveBytes',
  'averageLifetimeInstructions',
  'lifetimesLog2',
  'peakLiveObjects',
  'peakLiveBytes',
  'averageResidentLines',
  'averageResidentBytes',
  'averageFreedLines',
  'linesPerSet',
  'objectsPerSet',
  'missesPerSet',
  'unusedSets',
  'reachableSets',
];

/** The view has a row for each type at a line, two classes' tables for example; the reader has one for the line. */
function withoutTypes(rows: readonly Json[]): Json[] {
  const lines = new Map<string, Json>();
  for (const { file, line, variable, threads } of rows) {
    const key = JSON.stringify([file, line, variable]);
    const row = lines.get(key) ?? { file, line, variable, threads: {} };
    lines.set(key, row);
    for (const [thread, count] of Object.entries<number>(threads))
      row.threads[thread] = (row.threads[thread] ?? 0) + count;
  }
  return Array.from(lines.values(), (row) => {
    const counts = Object.values<number>(row.threads);
    return { ...row, threadcount: counts.length, totalcount: counts.reduce((all, count) => all + count, 0) };
  });
}

describe.each(PROGRAMS)('%s', (program) => {
  test.each(atLength(SAMPLE[program], Object.keys(CASES)))('%s', (name) => {
    const { schedule, flags, window, by } = CASES[name];
    const profile = profileOf(program, name);
    const read = readProfile(profile);
    const view = (of: ViewName, from = read): Json => JSON.parse(JSON.stringify(VIEWS[of].build(from)));
    // The reader charges the function that a slot says.
    const innermost = withFrames(read, { innermost: true });
    const paths = view('path-traces');
    const machine = paths.machine as Machine;
    const own = new IndependentViews(issuedRun(traceOf(program), machine, schedule, flags), machine, by, window);

    const { totals } = paths;
    expect([totals.references, totals.invalidations, totals.instructions]).toEqual([
      own.references,
      own.invalidations,
      own.instructions,
    ]);
    expect(expected.normal(view('path-traces', innermost).rows)).toEqual(expected.pathTraces(own, 'innermost'));
    expect(expected.withoutAllocations(paths.rows)).toEqual(
      expected.withoutAllocations(expected.pathTraces(own, 'own')),
    );
    expect(
      expected.normal(
        view('functions', innermost).rows.map(
          ({ levels, costliest: _, inlined: __, runCycles: ___, ...row }: Json) => ({
            ...row,
            levels: Object.fromEntries(
              LEVELS.map((level) => [level, { misses: levels[level].misses, classes: levels[level].classes }]),
            ),
          }),
        ),
      ),
    ).toEqual(expected.functions(own));
    expectMostMisses(view('data-profile').rows, own);
    expectMostMisses(
      view('miss-classification').rows.filter(({ field }: Json) => field === null),
      own,
    );
    const set = view('working-set');
    expect(pick(set.rows, WORKING_SET)).toEqual(pick(expected.workingSet(own, machine), WORKING_SET));
    expect(expected.normal(view('unused-bytes').rows)).toEqual(expected.unusedBytes(own));
    expect(
      expected.normal(
        view('locks').rows.map((row: Json) => ({
          ...row,
          functions: expected.normal(row.functions),
          data: expected.normal(row.data),
        })),
      ),
    ).toEqual(expected.locks(own));
    const shared = view('shared-variables');
    expect(
      pick(withoutTypes(shared.rows), ['file', 'line', 'variable', 'threads', 'threadcount', 'totalcount']),
    ).toEqual(expected.sharedVariables(own));
    expect(shared.addresses).toMatchObject(own.sharedAddresses);
    const flow = view('data-flow');
    for (const [rows, ways] of [
      [flow.rows, paths.rows],
      [view('data-flow', innermost).rows, view('path-traces', innermost).rows],
    ])
      for (const row of rows)
        expect(expected.graphOf(row)).toEqual(
          expected.graphOfPaths(
            ways.filter(({ type }: Json) => type === row.type),
            own,
          ),
        );
    addUp(own, machine, {
      paths,
      set,
      flow,
      unused: view('unused-bytes'),
      functions: view('functions'),
      layout: view('struct-layout'),
      data: view('data-profile'),
      miss: view('miss-classification'),
    });
  });
});

/** Rows of a type that is told apart by site do not have all of its lines. */
function expectMostMisses(rows: readonly Json[], own: IndependentViews): void {
  const whole = rows.filter(({ type }) => rows.filter((row) => row.type === type).length === 1);
  const lines = expected.mostMissesAt(own);
  const found = whole.map(({ type, mostMissesAt: { site, cycles, misses, share } }) => [
    type,
    expected.rounded({ site, cycles, misses, share }),
  ]);
  expect(found).toEqual(whole.map(({ type }) => [type, lines.get(type) ?? expected.NO_MISSES]));
  expect(found.length).toBeGreaterThan(3);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Checks the numbers that every profile says twice. */
function addUp(
  own: IndependentViews,
  machine: Machine,
  { paths, set, flow, unused, functions, layout, data, miss }: Readonly<Record<string, Json>>,
): void {
  const { totals } = paths;
  expect(sum(paths.rows.map((row: Json) => row.frequency))).toBe(paths.flow.lives);
  expect(sum(set.rows.map((row: Json) => row.lives))).toBe(paths.flow.lives);
  expect(sum(flow.rows.map((row: Json) => row.objects))).toBe(paths.flow.lives);
  for (const { nodes, edges } of flow.rows) {
    for (const { id, kind, objects } of nodes) {
      if (kind !== 'allocation')
        expect(sum(edges.filter((edge: Json) => edge.to === id).map((edge: Json) => edge.objects))).toBe(objects);
      if (kind === 'allocation' || kind === 'step')
        expect(sum(edges.filter((edge: Json) => edge.from === id).map((edge: Json) => edge.objects))).toBe(objects);
    }
  }
  for (const level of LEVELS) {
    const { sizeBytes, ways } = machine[level];
    const units = level === 'llc' ? Math.ceil(machine.cores / machine.coresPerLlc) : machine.cores;
    const lines = sum(set.rows.map((row: Json) => row.averageResidentLines[level]));
    expect(lines).toBeLessThanOrEqual((sizeBytes / machine.lineBytes) * units);
    const times = [...own.lineTimes.values()].map((time) => time[level].alive + time[level].freed);
    expect(lines).toBeCloseTo(sum(times) / own.instructions, 6);
    expect(sum(set.rows.flatMap((row: Json) => row.missesPerSet[level]))).toBe(own.fills[level]);
    const distinct = new Set(own.things.flatMap((thing) => [...thing.lines]));
    expect([sum(set.sets[level].linesPerSet), set.sets[level].ways]).toEqual([distinct.size, ways]);
    expect(set.sets[level].overfull.length).toBe(
      set.sets[level].linesPerSet.filter((count: number) => count > ways).length,
    );
    expect(sum(functions.rows.map((row: Json) => row.levels[level].misses))).toBe(totals.levels[level].misses);
  }
  expect(unused.sums.fetchedBytes).toBe(
    sum(unused.rows.filter((row: Json) => row.field === null).map((row: Json) => row.fetchedBytes)),
  );
  expect(sum(functions.rows.map((row: Json) => row.references.loads + row.references.stores))).toBe(totals.references);
  for (const row of [...functions.rows, ...miss.rows])
    expect(row.references.loads + row.references.stores).toBeGreaterThan(0);
  const whole = new Map(data.rows.map((row: Json) => [row.type, row.references]));
  const bytes = new Map(unused.rows.filter((row: Json) => row.field === null).map((row: Json) => [row.type, row]));
  for (const row of layout.rows) {
    expect(row.references).toEqual(whole.get(row.type));
    const { fetchedBytes, unusedBytes } = (bytes.get(row.type) ?? { fetchedBytes: 0, unusedBytes: 0 }) as Json;
    expect([row.fetchedBytes, row.unusedBytes]).toEqual([fetchedBytes, unusedBytes]);
    // The outermost members, and what is none.
    const parts = row.rows.filter(
      ({ depth, row: kind }: Json) => (kind === 'member' || kind === 'outside') && depth === 1,
    );
    for (const key of ['loads', 'stores'])
      expect(sum(parts.map((part: Json) => part.references[key])), row.type).toBe(row.references[key]);
    expect(sum(parts.map((part: Json) => part.fetchedBytes ?? 0)), row.type).toBe(row.fetchedBytes);
    for (const part of row.rows)
      if (part.cores)
        expect(sum(part.cores.map((core: Json) => core.references.loads + core.references.stores))).toBe(
          part.references.loads + part.references.stores,
        );
  }
}

/** Cells as CSV quotes them. */
function parseCsv(text: string): Record<string, string>[] {
  const [head, ...rows] = text
    .trimEnd()
    .split(/\n(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) =>
        cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
      ),
    );
  return rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]])));
}

test(
  'runs that are merged: lives and misses are added, averages go by time, sets and peaks are the larger ones; ' +
    'CSV says what JSON says',
  () => {
    const [drawn, other] = ['lives.c', 'containers.cpp'].map((program) => resolve(folder, `${program}-one.dprofile`));
    for (const [program, profile] of [
      ['lives.c', drawn],
      ['containers.cpp', other],
    ])
      expect(runDprof(['replay', traceOf(program), '--cores', '4', ...SMALL, '-o', profile]).status).toBe(0);
    const both = resolve(folder, 'both.dprofile');
    expect(runDprof(['merge', drawn, other, '-o', both])).toMatchObject({ status: 0 });
    const [a, b, merged] = [drawn, other, both].map((profile) => report(profile, 'working-set') as Json);
    const rowOf = (view: Json, type: string): Json => view.rows.find((row: Json) => row.type === type);
    const [timeA, timeB] = [a, b].map((view) => view.totals.instructions);
    expect(merged.totals.instructions).toBe(timeA + timeB);
    expect(new Set(merged.rows.map((row: Json) => row.type))).toEqual(
      new Set([...a.rows, ...b.rows].map((row: Json) => row.type)),
    );
    for (const row of merged.rows) {
      const [ofA, ofB] = [rowOf(a, row.type), rowOf(b, row.type)];
      const add = (of: (row: Json) => number): number => (ofA ? of(ofA) : 0) + (ofB ? of(ofB) : 0);
      const most = (of: (row: Json) => number): number => Math.max(ofA ? of(ofA) : 0, ofB ? of(ofB) : 0);
      const mean = (of: (row: Json) => number): number =>
        ((ofA ? of(ofA) * timeA : 0) + (ofB ? of(ofB) * timeB : 0)) / (timeA + timeB);
      expect([row.lives, row.objects]).toEqual([add((own) => own.lives), add((own) => own.objects)]);
      expect([row.peakLiveObjects, row.peakLiveBytes]).toEqual([
        most((own) => own.peakLiveObjects),
        most((own) => own.peakLiveBytes),
      ]);
      expect(row.averageLiveBytes).toBeCloseTo(
        mean((own) => own.averageLiveBytes),
        6,
      );
      for (const level of LEVELS) {
        expect(row.averageResidentLines[level]).toBeCloseTo(
          mean((own) => own.averageResidentLines[level]),
          6,
        );
        expect(row.missesPerSet[level]).toEqual(
          row.missesPerSet[level].map((_: number, bin: number) => add((own) => own.missesPerSet[level][bin])),
        );
        for (const table of ['linesPerSet', 'objectsPerSet'])
          expect(row[table][level]).toEqual(
            row[table][level].map((_: number, bin: number) => most((own) => own[table][level][bin])),
          );
      }
    }
    const [pathsA, pathsB, pathsBoth] = [drawn, other, both].map((profile) =>
      expected.normal(report(profile, 'path-traces').rows),
    );
    // All but what both went alike.
    const inBoth = (row: Json): string =>
      JSON.stringify([row.type, row.variable, row.allocatedAt, row.end, row.steps.map((step: Json) => step.function)]);
    const apart = (rows: Json[], others: Json[]): Json[] =>
      rows.filter((row) => !others.some((other) => inBoth(other) === inBoth(row)));
    const only = [...apart(pathsA, pathsB), ...apart(pathsB, pathsA)];
    expect(only.length).toBeGreaterThan(70);
    expect(pathsBoth).toEqual(expect.arrayContaining(only));
    expect(sum(pathsBoth.map((row) => row.frequency))).toBe(sum([...pathsA, ...pathsB].map((row) => row.frequency)));
    for (const [view, keys] of Object.entries({
      functions: ['references.loads', 'latencyCycles', 'types', 'levels.l1.misses'],
      'unused-bytes': ['fetchedBytes', 'unusedBytes'],
      locks: ['acquisitions', 'holdInstructions', 'references'],
      'working-set': ['lives', 'averageLiveBytes', 'averageResidentLines.l1'],
    })) {
      const csv = parseCsv(outputOf(['report', both, '--view', view, '--format', 'csv']));
      const get = (row: Json, key: string): unknown => key.split('.').reduce((own, part) => own[part], row);
      expect(
        csv.map((row) => keys.map((key) => Number(row[key]))),
        view,
      ).toEqual(report(both, view).rows.map((row: Json) => keys.map((key) => get(row, key))));
    }
  },
);

test.each(PROGRAMS)('%s: both engines write the same bytes, with any number of workers, in a window too', (program) => {
  const write = (engine: string, workers: string): string => {
    const profile = resolve(folder, `${program}-${engine}-${workers}.dprofile`);
    expect(
      runDprof([
        'replay',
        traceOf(program),
        '--from',
        '1000',
        '--to',
        '4000',
        '--shared-variables',
        '--engine',
        engine,
        '--workers',
        workers,
        '-o',
        profile,
      ]).status,
    ).toBe(0);
    return readFileSync(profile, 'latin1');
  };
  const first = write('ts', '1');
  for (const workers of ['1', '2', '4']) expect(write('native', workers) === first, workers).toBe(true);
});
