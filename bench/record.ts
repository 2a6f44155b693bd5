// Stage: bench. Six programs, plain and instrumented -> what recording them costs beside running them, cachegrind and lackey. Run by `npm run bench -- record`.
// DPROF_BENCH_REPETITIONS makes it shorter or longer, DPROF_BENCH_ONLY names programs.
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import Table from 'cli-table3';
import { buildSqlite, DPROF, DPROF_CC, isFresh, readDataProfile, realFolder, ROOT, run, scratchFolder } from '../test/real/real-program.js';
import { sqliteWorkload } from '../test/real/sqlite-workload.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, type Measurement } from './measured-command.js';
import { formatCount, formatSeconds, geometricMean, median } from './statistics.js';

const repetitions = Math.max(1, Number(process.env.DPROF_BENCH_REPETITIONS ?? 3));
const folder = scratchFolder();
const programs = resolve(ROOT, 'bench/programs');
const built = realFolder('bench');
mkdirSync(built, { recursive: true });

interface Program {
  readonly name: string;
  /** The compiler's command; flags behind it. */
  readonly build: (compiler: string, program: string, flags: readonly string[]) => readonly string[];
  /** Of a run of 2 s and more, and of one that slow tools and a replay get through. */
  readonly long: readonly string[];
  readonly short: readonly string[];
}

function workload(name: string, rows: number, rounds: number): string[] {
  const path = `${folder}/${name}.sql`;
  writeFileSync(path, sqliteWorkload(rows, rounds));
  return [':memory:', `.read ${path}`];
}

const own = (source: string) => (compiler: string, program: string, flags: readonly string[]): string[] =>
  [compiler, '-O2', ...flags, '-pthread', resolve(programs, source), '-o', program];
const script = (name: string, ...more: string[]) => (compiler: string, program: string, flags: readonly string[]): string[] =>
  ['sh', resolve(ROOT, 'test/real', name), compiler, program, ...more, ...flags];

const all: readonly Program[] = [
  { name: 'sqlite', build: (compiler, program, flags) => ['cp', buildSqlite(compiler, compiler === DPROF_CC ? 'sqlite3-dprof' : flags.includes('-gdwarf-4') ? 'sqlite3-dwarf4' : 'sqlite3-plain', flags), program], long: workload('long', 300_000, 2), short: workload('short', 3000, 1) },
  { name: 'lua', build: script('build-lua.sh'), long: [`${programs}/workload.lua`, '24'], short: [`${programs}/workload.lua`, '1'] },
  { name: 'zstd', build: script('build-zstd.sh', resolve(programs, 'compress.c')), long: ['20'], short: ['0.3'] },
  { name: 'reduction', build: own('reduction.c'), long: ['1500'], short: ['4'] },
  { name: 'tree', build: own('tree.c'), long: ['4000000'], short: ['20000'] },
  { name: 'stencil', build: own('stencil.c'), long: ['1200'], short: ['4'] },
  { name: 'matmul', build: own('matmul.c'), long: ['5'], short: ['1', '4'] },
];

/** The program, made anew where its compiler or its source is newer. */
function make(program: Program, kind: 'plain' | 'dwarf4' | 'dprof'): string {
  const path = resolve(built, `${program.name}-${kind}`);
  const isThere = kind === 'dprof' ? isFresh(path) : existsSync(path);
  if (!isThere) run(program.build(kind === 'dprof' ? DPROF_CC : 'clang-19', path, [kind === 'dwarf4' ? '-gdwarf-4' : '-g']));
  return path;
}

const wanted = process.env.DPROF_BENCH_ONLY?.split(',');
const hasValgrind = spawnSync('valgrind', ['--version']).status === 0;
const valgrind = (tool: string, ...more: string[]): string[] => ['valgrind', `--tool=${tool}`, ...more];
const seconds = (runs: readonly Measurement[]): number => median(runs.map((one) => one.seconds));
/** Machines drift: each run is compared with what ran beside it. */
const ratio = (runs: readonly Measurement[], to: readonly Measurement[], of: 'seconds' | 'cpuSeconds'): number => median(runs.map((one, i) => one[of] / to[i][of]));
const times = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} x`;

const table = new Table({
  head: ['program', 'native', 'recorded: wall', 'processor time', 'cachegrind', 'lackey', 'bytes per reference', 'trace of the long run'],
  style: { head: [], border: [] },
});
const walls: number[] = [];
const processors: number[] = [];
const sizes: number[] = [];
for (const program of all.filter(({ name }) => !wanted || wanted.includes(name))) {
  process.stderr.write(`${program.name} ...\n`);
  const [plain, instrumented] = [make(program, 'plain'), make(program, 'dprof')];
  const trace = `${folder}/trace`;
  // The recorder itself: what starting node takes is no part of what recording costs, and is printed apart.
  const recorder = (words: readonly string[]): string[] => [resolve(ROOT, 'build/bin/dprof-record'), '-o', trace, '--', instrumented, ...words];
  const long = await measureInterleaved({ native: [plain, ...program.long], recorded: recorder(program.long) }, repetitions);
  const traceBytes = statSync(trace).size;
  run([DPROF, 'record', '-o', trace, '--', instrumented, ...program.short]);
  const { references } = readDataProfile(trace).totals;
  const bytesPerReference = statSync(trace).size / references;
  const old = hasValgrind ? make(program, 'dwarf4') : '';
  const slow = hasValgrind && await measureInterleaved({
    native: [plain, ...program.short],
    cachegrind: [...valgrind('cachegrind', '--cache-sim=yes', '--cachegrind-out-file=/dev/null'), old, ...program.short],
    lackey: [...valgrind('lackey', '--trace-mem=yes', '--log-file=/dev/null'), old, ...program.short],
  }, 1);
  const [wall, processor] = [ratio(long.recorded, long.native, 'seconds'), ratio(long.recorded, long.native, 'cpuSeconds')];
  walls.push(wall);
  processors.push(processor);
  sizes.push(bytesPerReference);
  table.push([
    program.name, formatSeconds(seconds(long.native)), times(wall), times(processor),
    slow ? times(ratio(slow.cachegrind, slow.native, 'seconds')) : 'not installed', slow ? times(ratio(slow.lackey, slow.native, 'seconds')) : 'not installed',
    bytesPerReference.toFixed(bytesPerReference < 0.1 ? 4 : 2), `${formatCount(traceBytes)}B`,
  ]);
}
table.push(
  ['geometric mean', '', times(geometricMean(walls)), times(geometricMean(processors)), '', '', geometricMean(sizes).toFixed(3), ''],
  ['goal', '', 'mean 3 x, worst 6 x', '5 x', '', '', 'mean 0.5, worst 3', ''],
);
const starting = await measureInterleaved({ dprof: [DPROF, 'record', '-o', `${folder}/true`, '--', make(all[4], 'dprof'), '0'], recorder: [resolve(ROOT, 'build/bin/dprof-record'), '-o', `${folder}/true`, '--', make(all[4], 'dprof'), '0'] }, 5);
process.stdout.write(`${nameMachine()}\nmedians of ${repetitions} interleaved runs; cachegrind, lackey and bytes per reference of short runs, beside native ones\n${table.toString()}\n`);
process.stdout.write(`dprof record's own start-up: ${formatSeconds(seconds(starting.dprof) - seconds(starting.recorder))}\n`);
