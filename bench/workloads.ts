// Stage: bench. The programs that are measured: how each is built, plain or instrumented, and what it is run with.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  buildSqlite,
  byScript,
  compiled,
  DPROF_CC,
  isFresh,
  realFolder,
  ROOT,
  run,
  scratchFolder,
  type Build,
} from '../test/real/real-program.js';
import { sqliteWorkload } from '../test/real/sqlite-workload.js';

/** On a tmpfs; removed at the end. */
export const folder = scratchFolder();
const programs = 'bench/programs';
export const luaWorkload = resolve(ROOT, programs, 'workload.lua');
const built = realFolder('bench');
mkdirSync(built, { recursive: true });

export interface Program {
  readonly name: string;
  readonly build: Build;
  /** `long` runs for 2 s or more, `medium` makes about 10^8 references, and `short` is short enough for slow tools. */
  readonly long: readonly string[];
  readonly medium: readonly string[];
  readonly short: readonly string[];
}

/** Arguments of SQLite's shell. */
export function sqliteWords(name: string, rows: number, rounds: number): string[] {
  const path = `${folder}/${name}.sql`;
  writeFileSync(path, sqliteWorkload(rows, rounds));
  return [':memory:', `.read ${path}`];
}

/** One of bench/programs that a table of its own runs. */
export function ownProgram(name: string): Program {
  return { name, build: compiled(`${programs}/${name}.c`), long: [], medium: [], short: [] };
}

export const workloads: readonly Program[] = [
  {
    name: 'sqlite',
    build: (compiler, program, flags) => [
      'cp',
      buildSqlite(
        compiler,
        compiler === DPROF_CC ? 'sqlite3-dprof' : flags.includes('-gdwarf-4') ? 'sqlite3-dwarf4' : 'sqlite3-plain',
        flags,
      ),
      program,
    ],
    long: sqliteWords('long', 300_000, 2),
    medium: sqliteWords('medium', 15_000, 1),
    short: sqliteWords('short', 3000, 1),
  },
  {
    name: 'lua',
    build: byScript('build-lua.sh'),
    long: [luaWorkload, '60'],
    medium: [luaWorkload, '2'],
    short: [luaWorkload, '1'],
  },
  {
    name: 'zstd',
    build: byScript('build-zstd.sh', resolve(ROOT, programs, 'compress.c')),
    long: ['36'],
    medium: ['1.5'],
    short: ['0.3'],
  },
  { name: 'reduction', build: compiled(`${programs}/reduction.c`), long: ['1500'], medium: ['45'], short: ['4'] },
  { name: 'tree', build: compiled(`${programs}/tree.c`), long: ['4000000'], medium: ['1000000'], short: ['20000'] },
  { name: 'stencil', build: compiled(`${programs}/stencil.c`), long: ['1200'], medium: ['35'], short: ['4'] },
  { name: 'matmul', build: compiled(`${programs}/matmul.c`), long: ['5'], medium: ['1', '120'], short: ['1', '4'] },
  {
    name: 'quicksort',
    build: compiled(`${programs}/quicksort.c`),
    long: ['2000000', '18'],
    medium: ['1000000', '3'],
    short: ['20000'],
  },
  {
    name: 'walk',
    build: compiled(`${programs}/walk.c`),
    long: ['800000000'],
    medium: ['100000000'],
    short: ['500000'],
  },
  { name: 'join', build: compiled(`${programs}/join.c`), long: ['240000000'], medium: ['10000000'], short: ['200000'] },
  { name: 'lru', build: compiled(`${programs}/lru.cpp`), long: ['60000000'], medium: ['4000000'], short: ['50000'] },
  { name: 'queue', build: compiled(`${programs}/queue.c`), long: ['10000000'], medium: ['2000000'], short: ['20000'] },
];

/** The workloads, or those of them that DPROF_BENCH_ONLY names: `sqlite,tree`. */
export function wantedWorkloads(of: readonly Program[] = workloads): readonly Program[] {
  const wanted = process.env.DPROF_BENCH_ONLY?.split(',');
  return of.filter(({ name }) => !wanted || wanted.includes(name));
}

/** The program, made anew where its compiler is newer; `more`: flags of dprof-cc's own. */
export function make(program: Program, kind: 'plain' | 'dwarf4' | 'dprof', more: readonly string[] = []): string {
  const path = resolve(built, [program.name, kind, ...more.map((flag) => flag.replace('-fdprof-', ''))].join('-'));
  const isThere = kind === 'dprof' ? isFresh(path) : existsSync(path);
  if (!isThere)
    run(
      program.build(kind === 'dprof' ? DPROF_CC : 'clang-19', path, [kind === 'dwarf4' ? '-gdwarf-4' : '-g', ...more]),
    );
  return path;
}

/** The recorder itself: what starting node takes is no part of what recording costs. */
export function recorded(program: string, words: readonly string[], trace: string): readonly string[] {
  return [resolve(ROOT, 'build/bin/dprof-record'), '-o', trace, '--', program, ...words];
}
