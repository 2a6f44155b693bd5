// Stage: bench. What a question about every reference of SQLite's shell costs, beside a replay of the trace. Run by
// `npm run bench -- stream`. DPROF_BENCH_ROWS and DPROF_BENCH_REPETITIONS make it shorter or longer.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import Table from 'cli-table3';
import { buildSqlite, DPROF, DPROF_CC, run, scratchFolder } from '../test/real/real-program.js';
import { sqliteWorkload } from '../test/real/sqlite-workload.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, ratio, repetitions, seconds } from './measured-command.js';
import { formatCount, times } from './statistics.js';

const rows = Number(process.env.DPROF_BENCH_ROWS ?? 20_000);
const folder = scratchFolder();
const workload = `${folder}/workload.sql`;
writeFileSync(workload, sqliteWorkload(rows, 1));
const trace = `${folder}/sqlite.dptrace`;
const program = buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']);
run([DPROF, 'record', '-o', trace, '--', program, ':memory:', `.read ${workload}`]);

const native = buildSqlite('clang-19', 'sqlite3-plain', ['-g']);
const dataset = `${folder}/sqlite.dataset`;
const python = `${process.cwd()}/build/spark/bin/python`;
const hasSpark = existsSync(python);
if (hasSpark) run([DPROF, 'export', trace, '--to', 'dataset', '-o', dataset, '--columns', 'time,thread,variable']);
const ofSpark = ['env', 'PYTHONPATH=spark', python, '-m', 'dprof_spark', 'variables', dataset];

const kernelOf = (name: string): string[] => [DPROF, 'kernel', `bench/kernels/${name}.ts`, trace];
const sqlOf = (query: string): string[] => [DPROF, 'sql', trace, query, '--no-cache'];
const COMMANDS: readonly (readonly [what: string, goal: string, command: readonly string[]])[] = [
  ['the program itself', '', [native, ':memory:', `.read ${workload}`]],
  [
    'recording it',
    '',
    [DPROF, 'record', '-o', `${folder}/again.dptrace`, '--', program, ':memory:', `.read ${workload}`],
  ],
  ['replay', '', [DPROF, 'replay', trace, '-o', `${folder}/sqlite.dprofile`]],
  ['kernel, three columns of the source', '25 M/s', kernelOf('count')],
  ['kernel, three columns, one of the caches', '1.3 x', kernelOf('count-misses')],
  ['the same in C', '1.15 x', [DPROF, 'kernel', 'bench/kernels/count-misses.c', trace]],
  ['sql, count by type', '2 x', sqlOf('select type, count(*) from refs group by type')],
  ...(hasSpark ? [['accesses by variable, in Spark', '', ofSpark] as const] : []),
  ['sql, misses by type and line', '', sqlOf('select type, line, miss, count(*) from refs group by all')],
];

const counted = JSON.parse(run([...sqlOf('select count(*) as n from refs'), '--format', 'json'])) as { n: number }[];
const references = counted[0].n;
const measured = await measureInterleaved(
  Object.fromEntries(COMMANDS.map(([what, , command]) => [what, command])),
  repetitions,
);
const table = new Table({ head: ['', 'goal', 'seconds', 'references/s', ': replay', ': native', 'peak MB'] });
for (const [what, goal] of COMMANDS) {
  const own = measured[what];
  table.push([
    what,
    goal,
    seconds(own).toFixed(2),
    `${(references / seconds(own) / 1e6).toFixed(1)} M`,
    times(ratio(own, measured.replay, 'seconds')),
    times(ratio(own, measured['the program itself'], 'seconds')),
    (Math.max(...own.map(({ peakBytes }) => peakBytes)) / 1e6).toFixed(0),
  ]);
}
process.stdout.write(
  `${nameMachine()}\nSQLite's shell, ${formatCount(references)} references; medians of ${repetitions} interleaved ` +
    `runs, with the start of the command\n${table.toString()}\n`,
);
rmSync(folder, { recursive: true });
