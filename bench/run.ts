// Stage: bench. Programs -> what recording and replaying them at once takes beside cachegrind, which simulates one core
// and two levels, without types or classes. Run by `npm run bench -- run`. DPROF_BENCH_REPETITIONS and DPROF_BENCH_ONLY
// make it shorter.
import { spawnSync } from 'node:child_process';
import Table from 'cli-table3';
import { DPROF } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, ratio, ratioCells, repetitions, seconds } from './measured-command.js';
import { formatSeconds, geometricMean, times } from './statistics.js';
import { make, wantedWorkloads } from './workloads.js';

const runLive = (program: string, words: readonly string[]): string[] => [DPROF, 'run', '--', program, ...words];
const cachegrind = (program: string, words: readonly string[]): string[] => [
  ...['valgrind', '--tool=cachegrind', '--cache-sim=yes', '--cachegrind-out-file=/dev/null', program],
  ...words,
];

if (spawnSync('valgrind', ['--version']).status !== 0) {
  process.stdout.write('run: valgrind is not installed\n');
} else {
  const table = new Table({
    head: ['program', 'dprof run', 'cachegrind', 'dprof run : cachegrind, minimum', 'median'],
    style: { head: [], border: [] },
  });
  const means: number[] = [];
  for (const program of wantedWorkloads()) {
    process.stderr.write(`${program.name} ...\n`);
    const { live, simulated } = await measureInterleaved(
      {
        live: runLive(make(program, 'dprof'), program.medium),
        simulated: cachegrind(make(program, 'dwarf4'), program.medium),
      },
      repetitions,
    );
    means.push(ratio(live, simulated, 'seconds'));
    table.push([
      program.name,
      formatSeconds(seconds(live)),
      formatSeconds(seconds(simulated)),
      ...ratioCells(live, simulated, 'seconds'),
    ]);
  }
  table.push(
    ['geometric mean', '', '', '', times(geometricMean(means))],
    ['goal', '', '', '', 'mean 0.5 x, worst 1 x'],
  );
  process.stdout.write(`${nameMachine()}\n${repetitions} interleaved runs; times are medians\n${table.toString()}\n`);
}
