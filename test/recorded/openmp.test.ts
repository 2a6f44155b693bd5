// Stage: test. OpenMP: what it orders is ordered in every schedule, threads' locals are inside life, locks and regions
// go by their names in the source.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../at-length.js';
import { outputOf, runDprof } from '../cli/command-client.js';
import { build, dump, PROGRAMS, record, report, type Report } from './recorded.js';

const threads = (count: number): Record<string, string> => ({ OMP_NUM_THREADS: `${count}` });
const lineOf = (source: string, text: string): number =>
  readFileSync(join(PROGRAMS, source), 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1;

interface Whole extends Report {
  readonly outsideLife: number;
  readonly lostSegments: number;
  readonly typing: Readonly<Record<string, { references: number }>>;
}
const whole = (trace: string, view: string, ...flags: string[]): Whole => report(trace, view, ...flags) as Whole;

/** The OpenMP runtime's own memory, to which it stores unseen. */
function heapOf(trace: string): (address: number) => boolean {
  const blocks = whole(trace, 'address-set')
    .rows.filter((row) => row.kind === 'heap')
    .map((row) => [Number(row.address), Number(row.address) + row.bytes]);
  return (address) => blocks.some(([begin, end]) => address >= begin && address < end);
}

/**
 * Loads of 8 bytes whose value is not the one that was stored there last; and how many were looked at. A value that the
 * OpenMP runtime stored is not known: it does so in the heap only.
 */
function staleLoads(trace: string, schedule: string): { loads: number; stale: string[] } {
  const isHeap = heapOf(trace);
  const memory = new Map<number, string>();
  const stale: string[] = [];
  let loads = 0;
  for (const line of outputOf(['dump', trace, '--references', '--values', '--schedule', schedule]).split('\n')) {
    const [, kind, hexadecimal, bytes, value] = line.split(' ');
    const address = Number.parseInt(hexadecimal, 16);
    const size = Number(bytes);
    if (kind === 'r' && size === 8 && value !== '-') {
      loads++;
      const isStale = (memory.get(address) ?? value) !== value;
      if (isStale && !isHeap(address)) stale.push(`${line} after ${memory.get(address)}`);
    } else if (kind === 'w' || kind === 'a') {
      for (let byte = address - 7; byte < address + size; byte++) memory.delete(byte);
      if (kind === 'w' && size === 8 && value !== '-') memory.set(address, value);
    }
  }
  return { loads, stale };
}

const SCHEDULES = ['logical', 'recorded', 'random:1'];

describe('what OpenMP orders', () => {
  let program: string;
  beforeAll(() => {
    program = build('openmp-regions.c', ['-fopenmp', '-O1', '-g', '-fdprof-values']);
  });

  const CASES: [string, Record<string, string>][] = [
    ['two threads', threads(2)],
    ['four', threads(4)],
    ['more than combine their values by atomics', threads(6)],
    ['reductions under a lock', { ...threads(4), KMP_FORCE_REDUCTION: 'critical' }],
    ['reductions inside a barrier', { ...threads(4), KMP_FORCE_REDUCTION: 'tree' }],
  ];
  it.each(atLength([CASES[1], CASES[3]], CASES))('is ordered in every schedule: %s', (_, environment) => {
    const trace = record(program, [], [], environment);
    for (const schedule of SCHEDULES) {
      const { loads, stale } = staleLoads(trace, schedule);
      expect(loads).toBeGreaterThan(2000);
      expect(stale, schedule).toEqual([]);
    }
    const { outsideLife, lostSegments } = whole(trace, 'data-profile');
    expect([outsideLife, lostSegments]).toEqual([0, 0]);
  });

  it('is not ordered if the OpenMP runtime tells nobody', () => {
    const trace = record(program, [], [], { ...threads(4), OMP_TOOL: 'disabled' });
    expect(staleLoads(trace, 'random:1').stale.length).toBeGreaterThan(0);
  });

  it('locks go by variable, critical regions by name; the OpenMP runtime has none of its own', () => {
    const trace = record(program, [], [], threads(2));
    const rows = whole(trace, 'locks').rows.map((row) => [row.lock, row.kind, row.acquisitions, row.threadcount]);
    expect(rows.sort()).toEqual([
      ['critical(named)', 'mutex', 10, 2],
      ['critical', 'mutex', 10, 2],
      ['reduction', 'mutex', 2, 2],
      ['shared.lock._lk', 'mutex', 10, 2],
      ['shared.nest._lk', 'mutex', 10, 2],
    ]);
  });

  it('a dynamic loop is an atomic update for each chunk', () => {
    const updates = dump(record(program, [], [], threads(4))).filter((line) => /^ {2}both .* team /.test(line));
    const teams = updates.map((line) => Number.parseInt(line.split(' ').at(-1)!, 16));
    const first = Math.min(...teams); // the guided loop's team comes later
    expect(teams.filter((team) => team === first)).toHaveLength(18);
  });

  it('is the same in the other engine, and in a run that is replayed meanwhile', () => {
    const trace = record(program, [], [], threads(4));
    const native = whole(trace, 'data-profile');
    expect(whole(trace, 'data-profile', '--engine', 'ts').rows).toEqual(native.rows);
    const live = runDprof(['run', '--view', 'locks', '--format', 'json', '--', program], threads(4));
    expect(live.status, live.stderr).toBe(0);
  });
});

describe('regions and tasks', () => {
  it.each(['-O0', '-O2'])('go by the function of the source and the line of the directive at %s', (level) => {
    const source = 'openmp-regions.c';
    const trace = record(build(source, ['-fopenmp', level, '-g']), [], [], threads(2));
    const names = new Set(whole(trace, 'functions').rows.map((row) => row.function as string));
    const line = (text: string, after: number): number => lineOf(source, text) + after;
    for (const name of [
      `fork_and_barriers:${line('static void fork_and_barriers', 2)}`,
      `locked:${line('static void locked', 1)}`,
      `fib:${line('x = fib(n - 1)', -1)}`,
      `fib:${line('y = fib(n - 2)', -1)}`,
      `tasks:${line('shared.in_chain++', -1)}`,
      `nested:${line('static void nested', 2)}`,
      `nested:${line('grid[i][row] = row + i', -1)}`,
    ])
      expect(names).toContain(name);
    expect([...names].filter((name) => /omp_outlined|omp_task|unknown/.test(name))).toEqual([]);
  });

  it('are chosen with the function', () => {
    const trace = record(
      build('openmp-kernels.c', ['-fopenmp', '-O1', '-g', '-fdprof-only=bucket_sort']),
      [],
      [],
      threads(2),
    );
    const rows = whole(trace, 'data-profile').rows.filter((row) => row.references.loads + row.references.stores > 0);
    expect(rows.map((row) => row.type)).toContain('struct key');
    expect(rows.map((row) => row.type)).not.toContain('struct entry');
  });

  it('locals are objects while the thread is in the region, and inside life', () => {
    const trace = record(build('openmp-kernels.c', ['-fopenmp', '-O0', '-g']), [], [], threads(4));
    expect(whole(trace, 'data-profile').outsideLife).toBe(0);
    const bounds = whole(trace, 'address-set').rows.filter((row) => row.type === 'int' && row.bytes === 4);
    expect(new Set(bounds.map((row) => row.thread))).toEqual(new Set([0, 1, 2, 3]));
  });
});

describe('kernels', () => {
  let program: string;
  beforeAll(() => {
    program = build('openmp-kernels.c', ['-fopenmp', '-O1', '-g']);
  });

  it.each(atLength([1, 6], [1, 2, 4, 6]))(
    'reference each element as often as the loops say, with %i threads',
    (count) => {
      const trace = record(program, [], [], threads(count));
      const { rows, outsideLife } = whole(trace, 'data-profile');
      const references = Object.fromEntries(
        rows.map((row) => [row.type, [row.references.loads, row.references.stores] as const]),
      );
      expect(outsideLife).toBe(0);
      expect(references['struct entry']).toEqual([3 * 96 * 5 * 2, 96 * 5 * 2]);
      expect(references['struct element']).toEqual([3 * 96 * (5 + 9), 96 * 3 + 3 * 96 * 4]);
      expect(references['struct key']).toEqual([2 * 480, 480]);
      expect(references['struct rank']).toEqual([2 * 479, 480]);
      expect(references['struct bucket']).toEqual([count * 16 + 15, count * 16 + 16 + 480]);
      const merge = whole(trace, 'locks').rows.find((row) => row.lock === 'critical(merge)');
      expect(merge?.acquisitions).toBe(count > 1 ? count : undefined);
    },
  );

  it('static loops share elements out evenly', () => {
    const trace = record(program, [], [], threads(4));
    const keys = whole(trace, 'address-set').rows.find((row) => row.type === 'struct key')!;
    const begin = Number(keys.address);
    const stores = [0, 0, 0, 0];
    for (const line of outputOf(['dump', trace, '--references']).split('\n')) {
      const [core, kind, address] = line.split(' ');
      const at = Number.parseInt(address, 16);
      if (kind === 'w' && at >= begin && at < begin + 480 * 4) stores[Number(core)]++;
    }
    expect(stores).toEqual([120, 120, 120, 120]);
  });

  it('recorded twice, a transposition has the same numbers', () => {
    const first = outputOf(['report', record(program, ['transpose'], [], threads(2)), '--format', 'json']);
    const second = outputOf(['report', record(program, ['transpose'], [], threads(2)), '--format', 'json']);
    expect(second).toBe(first);
    const row = (JSON.parse(first) as Report).rows.find(({ type }) => type === 'struct complex')!;
    expect([row.references.loads, row.references.stores]).toEqual([32 * 32 * 2 + 1, 32 * 32 * 4]); // one is printed
  });
});

describe('omp simd', () => {
  it.each(['-O2', '-O3'])('keeps the types of what it stores at %s', (level) => {
    const trace = record(build('openmp-simd.c', ['-fopenmp', level, '-g']), [], [], threads(2));
    const { rows, outsideLife } = whole(trace, 'data-profile');
    expect(outsideLife).toBe(0);
    expect(rows.filter((row) => row.references.loads + row.references.stores > 0).map((row) => row.type)).not.toContain(
      '(untyped)',
    );
  });
});

it('a program that is not recorded has no tool', () => {
  const program = build('openmp-kernels.c', ['-fopenmp', '-O1', '-g']);
  const env = { ...process.env, ...threads(2), OMP_TOOL_VERBOSE_INIT: 'stdout' };
  expect(execFileSync(program, { encoding: 'utf8', env })).toMatch(
    /Search for OMP tool in current address space\.\.\. Failed/,
  );
});
