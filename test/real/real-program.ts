// Stage: test. What the scripts over real programs share: where things are, how commands are run, and how a report is
// read.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';

/** Scripts run as dist/test/real/*.js, tests as they are. */
function findRoot(): string {
  for (let folder = import.meta.dirname; ; folder = resolve(folder, '..'))
    if (existsSync(resolve(folder, 'package.json'))) return folder;
}
export const ROOT = findRoot();
export const DPROF = resolve(ROOT, 'bin/dprof');
export const DPROF_CC = resolve(ROOT, 'bin/dprof-cc');
const REAL = resolve(ROOT, 'build/real');

export interface TypeRow {
  readonly type: string;
  readonly references: { readonly loads: number; readonly stores: number };
  readonly misses: { readonly l1: { readonly loads: number; readonly stores: number } };
  readonly orderBound?: boolean;
}

export interface DataProfile {
  readonly truncated: boolean;
  readonly totals: {
    readonly references: number;
    readonly missLatencyCycles: number;
    readonly levels: { readonly l1: { readonly misses: number } };
  };
  readonly typing: unknown;
  readonly rows: readonly TypeRow[];
}

/** A folder on tmpfs where there is one; removed when the process ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(resolve(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dprof-real-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function realFolder(name: string): string {
  const folder = resolve(REAL, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Is the program there, and newer than the compiler that made it: the wrapper, the plugin, the runtime? */
export function isFresh(program: string): boolean {
  if (!existsSync(program)) return false;
  const library = resolve(process.env.DPROF_BUILD ?? resolve(ROOT, 'build'), 'lib');
  const compiler = [
    DPROF_CC,
    ...(existsSync(library) ? readdirSync(library).map((name) => resolve(library, name)) : []),
  ];
  return compiler.every((file) => statSync(file).mtimeMs < statSync(program).mtimeMs);
}

/** Runs to the end; a status other than 0 is an error that shows what the command said. */
export function run(command: readonly string[]): string {
  const { stdout, stderr, status, signal } = spawnSync(command[0], command.slice(1), {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${signal ?? status}:\n${stderr}`);
  return stdout;
}

/** The command that builds a program: compiler, where to, flags. */
export type Build = (compiler: string, program: string, flags: readonly string[]) => readonly string[];

const CPP_COMPILERS: Readonly<Record<string, string>> = {
  [DPROF_CC]: resolve(ROOT, 'bin/dprof-c++'),
  'clang-19': 'clang++-19',
};

/** A program of one file of this repository, in C or C++. */
export function compiled(source: string, ...libraries: readonly string[]): Build {
  return (compiler, program, flags) => [
    source.endsWith('.cpp') ? CPP_COMPILERS[compiler] : compiler,
    '-O2',
    ...flags,
    '-pthread',
    resolve(ROOT, source),
    '-o',
    program,
    ...libraries,
  ];
}

/** By a script of this folder, which takes the same and, behind the program, `more`. */
export function byScript(name: string, ...more: readonly string[]): Build {
  return (compiler, program, flags) => ['sh', resolve(ROOT, 'test/real', name), compiler, program, ...more, ...flags];
}

export function buildSqlite(compiler: string, name: string, flags: readonly string[]): string {
  const program = resolve(realFolder('sqlite3'), name);
  const upToDate = compiler === DPROF_CC ? isFresh(program) : existsSync(program);
  if (!upToDate) run(['sh', resolve(ROOT, 'test/real/build-sqlite.sh'), compiler, program, ...flags]);
  return program;
}

export function readDataProfile(trace: string, options: readonly string[] = []): DataProfile {
  const text = execFileSync(DPROF, ['report', trace, '--view', 'data-profile', '--format', 'json', ...options], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return JSON.parse(text) as DataProfile;
}

/** One line per type for a person to read: its shares of references and of L1 misses. */
export function formatTopTypes(profile: DataProfile, count: number): string {
  const { references, levels } = profile.totals;
  const percent = (part: number, whole: number): string =>
    `${((100 * part) / Math.max(whole, 1)).toFixed(1).padStart(5)} %`;
  return profile.rows
    .slice(0, count)
    .map((row) => {
      const made = row.references.loads + row.references.stores;
      const missed = row.misses.l1.loads + row.misses.l1.stores;
      return (
        `  ${percent(made, references)} of references  ${percent(missed, levels.l1.misses)} of L1 misses  ` +
        `${row.type}`
      );
    })
    .join('\n');
}

/** The faults of the profile: types that it should name and does not, or an incomplete trace. */
export function findFaults(profile: DataProfile, expectedTypes: readonly string[]): string[] {
  const named = new Set(profile.rows.map((row) => row.type));
  const faults = expectedTypes.filter((type) => !named.has(type)).map((type) => `the profile does not name ${type}`);
  if (profile.truncated) faults.push('the trace is truncated');
  return faults;
}

/** Prints and sets the exit code. */
export function conclude(what: string, faults: readonly string[]): void {
  for (const fault of faults) process.stderr.write(`${what}: ${fault}\n`);
  process.stdout.write(faults.length ? `${what}: failed\n` : `${what}: passed\n`);
  process.exitCode = faults.length ? 1 : 0;
}
