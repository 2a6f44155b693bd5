// Stage: bench. Measures the cost that -fdprof-values and -fdprof-args add to recording. Run by `npm run bench --
// values`.
import { statSync } from 'node:fs';
import Table from 'cli-table3';
import { DPROF, readDataProfile, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, ratio, repetitions, seconds } from './measured-command.js';
import { formatSeconds, times } from './statistics.js';
import { folder, make, recorded, workloads } from './workloads.js';

const KINDS = {
  recorded: [],
  '-fdprof-values': ['-fdprof-values'],
  '-fdprof-args': ['-fdprof-args'],
  both: ['-fdprof-values', '-fdprof-args'],
} as const;
const WORDS: Readonly<Record<string, readonly string[]>> = {
  lua: [workloads.find(({ name }) => name === 'lua')!.long[0], '4'],
  tree: ['1000000'],
  stencil: ['300'],
};

const names = Object.keys(KINDS);
const table = new Table({
  head: ['program', 'native', ...names.map((name) => `${name}: wall`), 'bytes per reference'],
  style: { head: [], border: [] },
});
for (const program of workloads.filter(({ name }) => name in WORDS)) {
  process.stderr.write(`${program.name} ...\n`);
  const made = Object.entries(KINDS).map(([name, flags]) => [name, make(program, 'dprof', flags)] as const);
  const words = WORDS[program.name];
  const commands = made.map(([name, path]) => [name, recorded(path, words, `${folder}/trace`)] as const);
  const runs = await measureInterleaved(
    { native: [make(program, 'plain'), ...words], ...Object.fromEntries(commands) },
    repetitions,
  );
  const sizes = made.map(([, path]) => {
    run([DPROF, 'record', '-o', `${folder}/trace`, '--', path, ...program.short]);
    return (statSync(`${folder}/trace`).size / readDataProfile(`${folder}/trace`).totals.references).toPrecision(2);
  });
  table.push([
    program.name,
    formatSeconds(seconds(runs.native)),
    ...names.map((name) => times(ratio(runs[name], runs.native, 'seconds'))),
    sizes.join(' '),
  ]);
}
process.stdout.write(
  `${nameMachine()}\nmedians of ${repetitions} interleaved runs; bytes per reference of short runs, in the ` +
    `order of the columns\n${table.toString()}\n`,
);
