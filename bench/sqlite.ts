// Stage: bench. SQLite's shell, plain and instrumented -> the table of numbers in docs/performance.md. Run by `npm run
// bench -- sqlite`. DPROF_BENCH_ROWS and DPROF_BENCH_REPETITIONS make it shorter or longer.
import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import Table from 'cli-table3';
import {
  buildSqlite,
  DPROF,
  DPROF_CC,
  readDataProfile,
  run,
  scratchFolder,
  type DataProfile,
} from '../test/real/real-program.js';
import { sqliteWorkload } from '../test/real/sqlite-workload.js';
import { nameMachine } from './machine-name.js';
import {
  measureCommand,
  measureInterleaved,
  ratio,
  repetitions as asked,
  seconds,
  type Measurement,
} from './measured-command.js';
import { formatCount, formatSeconds, formatShare, median } from './statistics.js';

const rows = Number(process.env.DPROF_BENCH_ROWS ?? 100_000);
const repetitions = Math.max(3, asked);
const folder = scratchFolder();

const plain = buildSqlite('clang-19', 'sqlite3-plain', ['-g']);
const instrumented = buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']);

function query(program: string, workload: string): string[] {
  return [program, ':memory:', `.read ${workload}`];
}

function writeWorkload(name: string, rounds: number): string {
  const path = `${folder}/${name}.sql`;
  writeFileSync(path, sqliteWorkload(rows, rounds));
  return path;
}

const workload = writeWorkload('workload', 1);
const longWorkload = writeWorkload('long-workload', 4);
const trace = `${folder}/sqlite.dptrace`;
const longTrace = `${folder}/sqlite-long.dptrace`;
const profileOf = (from: string): string => from.replace(/dptrace$/, 'dprofile');

/** valgrind reads DWARF 4 at most. */
function cachegrindCommand(): readonly string[] | undefined {
  if (spawnSync('valgrind', ['--version']).status !== 0) return undefined;
  const program = buildSqlite('clang-19', 'sqlite3-dwarf4', ['-gdwarf-4']);
  return [
    'valgrind',
    '--tool=cachegrind',
    '--cache-sim=yes',
    '--cachegrind-out-file=/dev/null',
    ...query(program, workload),
  ];
}

const cachegrind = cachegrindCommand();
const record = [DPROF, 'record', '-o', trace, '--', ...query(instrumented, workload)];
const replay = (from: string): string[] => [DPROF, 'replay', from, '-o', profileOf(from)];
// Short commands, and a small difference: more of them.
const quickOnes = await measureInterleaved(
  { plain: query(plain, workload), dormant: query(instrumented, workload), record },
  5 * repetitions,
);
const slowOnes = await measureInterleaved(
  {
    recorded: record,
    replayed: replay(trace),
    replayedAlone: [...replay(trace), '--workers', '1'],
    ...(cachegrind && { cachegrind }),
  },
  repetitions,
);

// Only its memory is of interest, and that needs no repetition.
run([DPROF, 'record', '-o', longTrace, '--', ...query(instrumented, longWorkload)]);
const replayedLong = await measureCommand(replay(longTrace));

const timesOf = (runs: readonly Measurement[], to: readonly Measurement[]): string =>
  `${ratio(runs, to, 'seconds').toFixed(2)} x`;
const peakMiB = (runs: readonly Measurement[]): string =>
  `${(median(runs.map((run) => run.peakBytes)) / 2 ** 20).toFixed(0)} MiB`;

interface Groups {
  readonly of: number;
  readonly groups: Readonly<Record<'named' | 'heapBySite', number>>;
}

function typingRows(found: DataProfile): [string, string, string][] {
  const typing = found.typing as { readonly references: Groups; readonly l1Misses: Groups };
  const each: [string, Groups][] = [
    ['references', typing.references],
    ['L1 misses', typing.l1Misses],
  ];
  return each.flatMap(([name, { of, groups }]): [string, string, string][] => [
    [`${name} with a struct, union, class or variable`, formatShare(groups.named, of), 'at least 65 %'],
    [
      `${name} with that or a heap object by its site`,
      formatShare(groups.named + groups.heapBySite, of),
      'at least 95 %',
    ],
  ]);
}

const found = readDataProfile(profileOf(trace));
const long = readDataProfile(profileOf(longTrace));
const { references } = found.totals;
const aloneSeconds = seconds(slowOnes.replayedAlone);
const recordedAndReplayed = slowOnes.recorded.map((run, i) => ({
  ...run,
  seconds: run.seconds + slowOnes.replayed[i].seconds,
}));
const timesPlain = (runs: readonly Measurement[]): string =>
  `${formatSeconds(seconds(runs))}, ${timesOf(runs, quickOnes.plain)} native`;

const table = new Table({
  head: [`SQLite, ${formatCount(rows)} rows`, 'measured', 'goal'],
  style: { head: [], border: [] },
});
table.push(
  ['native', formatSeconds(seconds(quickOnes.plain)), ''],
  ['instrumented, dormant', timesPlain(quickOnes.dormant), 'at most 1.3 x'],
  ['recorded to tmpfs', timesPlain(quickOnes.record), 'at most 6 x'],
  ['references', formatCount(references), ''],
  ['trace, bytes per reference', (statSync(trace).size / references).toFixed(3), 'at most 3'],
  [
    'replay, one worker',
    `${formatSeconds(aloneSeconds)}, ${formatCount(references / aloneSeconds)} references/s`,
    'at least 25.0 M/s',
  ],
  ['replay, as many as there are processors', formatSeconds(seconds(slowOnes.replayed)), ''],
  ['replay, peak memory', `${peakMiB(slowOnes.replayed)} for ${formatCount(references)} references`, ''],
  [
    'the same rows, more queries',
    `${peakMiB([replayedLong])} for ${formatCount(long.totals.references)} references`,
    'as the footprint, not as the length',
  ],
  [
    'cachegrind --cache-sim=yes',
    slowOnes.cachegrind ? formatSeconds(seconds(slowOnes.cachegrind)) : 'valgrind is not installed',
    '',
  ],
  [
    'record + replay',
    `${formatSeconds(seconds(recordedAndReplayed))}` +
      `${slowOnes.cachegrind ? `, ${timesOf(recordedAndReplayed, slowOnes.cachegrind)} cachegrind` : ''}`,
    'at most 1 x',
  ],
  ...typingRows(found),
);
process.stdout.write(
  `${nameMachine()}\nmedians of ${repetitions} interleaved runs, of the first three rows ${5 * repetitions}; ` +
    `ratios are medians of the ratios of neighbours\n${table.toString()}\n`,
);
