// Stage: bench. Measures the cost of dprof-cc to a build: `clang-19 -O2 -g` against `dprof-cc -O2 -g`, in processor
// time, which other work on the machine disturbs least, and by phase as LLVM's own report says it. Run by `npm run
// bench -- compile`.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildSqlite, DPROF_CC, realFolder, ROOT, run, scratchFolder } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { repetitions } from './measured-command.js';
import { median, times } from './statistics.js';

const scratch = scratchFolder();
const compilers = ['clang-19', DPROF_CC] as const;
type Compiler = (typeof compilers)[number];

function fetched(script: string, ...words: readonly string[]): string {
  const folder = realFolder(words.at(-1)!);
  run(['sh', resolve(ROOT, 'test/real', script), ...words.slice(0, -1), folder]);
  return resolve(folder, 'source');
}

function sources(): ReadonlyMap<string, readonly string[]> {
  buildSqlite('clang-19', 'sqlite3-plain', []);
  const lua = fetched('fetch-lua.sh', 'lua');
  const zstd = resolve(fetched('../../scripts/fetch-debian-source.sh', 'libzstd', 'zstd'), 'lib');
  const files = ['common', 'compress', 'decompress'].flatMap((folder) =>
    readdirSync(resolve(zstd, folder))
      .filter((file) => file.endsWith('.c'))
      .map((file) => resolve(zstd, folder, file)),
  );
  return new Map([
    ['Lua', ['-std=gnu99', '-DMAKE_LUA', resolve(lua, 'onelua.c')]],
    ['zstd', ['-DZSTD_DISABLE_ASM', ...files.toSorted()]],
    ['SQLite', [resolve(realFolder('sqlite3'), 'amalgamation/sqlite3.c')]],
  ]);
}

/** User and system seconds of a command and all that it starts. */
function processorSeconds(command: readonly string[]): number {
  const script = 'cd "$1"; shift; TIMEFORMAT="dprof-seconds %U %S"; { time "$@" 2>/dev/null; } 2>&1';
  const [, user, system] = /dprof-seconds (\S+) (\S+)/.exec(run(['bash', '-c', script, 'time', scratch, ...command]))!;
  return Number(user) + Number(system);
}

/** The sums of the report's lines that end in one of these names: user and system time stand before the wall's. */
function phases(
  compiler: Compiler,
  words: readonly string[],
): { describe: number; instrument: number; generate: number; all: number } {
  const report = run([
    'bash',
    '-c',
    'cd "$1"; shift; "$@" 2>&1',
    'report',
    scratch,
    compiler,
    '-O2',
    '-g',
    '-c',
    '-ftime-report',
    ...words,
  ]);
  const line = (name: RegExp): number =>
    report
      .split('\n')
      .filter((text) => name.test(text))
      .reduce((sum, text) => sum + Number([...text.matchAll(/([\d.]+) \(/g)].at(-2)?.[1] ?? 0), 0);
  // The report's groups each end with "Total": the code generator's is the one after its heading.
  const groups = report.split('===\n').filter((text) => /Execution Time/.test(text));
  const generator = groups.filter((text) => /X86 DAG->DAG Instruction Selection$/m.test(text));
  const totals = generator.map((text) => Number(/Total Execution Time: ([\d.]+)/.exec(text)?.[1] ?? 0));
  return {
    describe: line(/DescribePass$/),
    instrument: line(/CompileTimePass$/),
    generate: totals.reduce((sum, seconds) => sum + seconds, 0),
    all: line(/Clang front-end timer$/),
  };
}

process.stdout.write(`${nameMachine()}\nmedians of ${repetitions} interleaved compilations, -O2 -g; goal 2 x\n`);
for (const [name, words] of sources()) {
  const seconds: Record<string, number[]> = { 'clang-19': [], [DPROF_CC]: [] };
  for (let i = 0; i < repetitions; i++)
    for (const compiler of compilers)
      seconds[compiler]!.push(processorSeconds([compiler, '-O2', '-g', '-c', ...words]));
  const ratio = median(seconds[DPROF_CC]!.map((own, i) => own / seconds['clang-19']![i]!));
  const [plain, own] = compilers.map((compiler) => phases(compiler, words));
  process.stdout.write(
    `${name.padEnd(8)} clang-19 ${median(seconds['clang-19']!).toFixed(2)} s, dprof-cc ` +
      `${median(seconds[DPROF_CC]!).toFixed(2)} s, ${times(ratio)}\n`,
  );
  process.stdout.write(
    `         of ${own!.all.toFixed(2)} s: describing ${own!.describe.toFixed(2)}, instrumenting ` +
      `${own!.instrument.toFixed(2)}, generating code ${own!.generate.toFixed(2)} (plain ` +
      `${plain!.generate.toFixed(2)} of ${plain!.all.toFixed(2)})\n`,
  );
}
