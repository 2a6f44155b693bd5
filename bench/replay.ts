// Stage: bench. Traces of programs -> how fast they are replayed with all views, by one worker and by two; and what the
// flow (docs/data-flow.md) costs: processor time with it : without. Run by `npm run bench -- replay`.
// DPROF_BENCH_REPETITIONS and DPROF_BENCH_ONLY make it shorter.
import { rmSync } from 'node:fs';
import Table from 'cli-table3';
import { DPROF, readDataProfile, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { cpuSeconds, measureInterleaved, measureTwice, repetitions, seconds } from './measured-command.js';
import { formatCount, formatShare, geometricMean, times } from './statistics.js';
import { folder, make, ownProgram, recorded, wantedWorkloads } from './workloads.js';

const profile = `${folder}/profile`;
const replay = (trace: string, ...more: string[]): string[] => [DPROF, 'replay', trace, '-o', profile, ...more];

const nothing = `${folder}/nothing`;
run(recorded(make(ownProgram('nothing'), 'dprof'), [], nothing));
const starts = (await measureInterleaved({ start: replay(nothing) }, 5)).start;
const start = seconds(starts);
const rate = (references: number, runs: Parameters<typeof seconds>[0]): number =>
  references / (seconds(runs) - start) / 1e6;

const table = new Table({
  head: [
    'program',
    'references',
    'L1 misses',
    'one worker',
    'two workers',
    'two : one',
    'with flow : without',
    'the machine: two at once : one',
  ],
  style: { head: [], border: [] },
});
const columns = {
  flow: [] as number[],
  one: [] as number[],
  two: [] as number[],
  gain: [] as number[],
  machine: [] as number[],
};
for (const program of wantedWorkloads()) {
  process.stderr.write(`${program.name} ...\n`);
  const instrumented = make(program, 'dprof');
  const trace = `${folder}/trace`;
  run(recorded(instrumented, program.medium, trace));
  const { references, levels } = readDataProfile(trace).totals;
  const measured = await measureInterleaved(
    {
      one: replay(trace, '--workers', '1'),
      two: replay(trace, '--workers', '2'),
      without: replay(trace, '--workers', '1', '--no-flow'),
    },
    repetitions,
  );
  // This measures what a second processor gives to replays that are independent of each other: on some machines it
  // gives half of a core.
  const twice = await measureTwice((copy) => [DPROF, 'replay', trace, '-o', `${profile}-${copy}`, '--workers', '1']);
  columns.one.push(rate(references, measured.one));
  columns.two.push(rate(references, measured.two));
  columns.flow.push(
    (cpuSeconds(measured.one) - cpuSeconds(starts)) / (cpuSeconds(measured.without) - cpuSeconds(starts)),
  );
  columns.gain.push((seconds(measured.one) - start) / (seconds(measured.two) - start));
  columns.machine.push((2 * (seconds(measured.one) - start)) / (twice - start));
  const last = (of: readonly number[]): number => of[of.length - 1];
  table.push([
    program.name,
    formatCount(references),
    formatShare(levels.l1.misses, references),
    `${last(columns.one).toFixed(1)} M/s`,
    `${last(columns.two).toFixed(1)} M/s`,
    times(last(columns.gain)),
    `${last(columns.flow).toFixed(2)} x`,
    times(last(columns.machine)),
  ]);
  rmSync(trace);
}
const mean = (of: readonly number[]): string => (of.length > 0 ? geometricMean(of).toFixed(1) : '');
table.push(
  [
    'geometric mean',
    '',
    '',
    `${mean(columns.one)} M/s`,
    `${mean(columns.two)} M/s`,
    times(geometricMean(columns.gain)),
    `${geometricMean(columns.flow).toFixed(2)} x`,
    times(geometricMean(columns.machine)),
  ],
  ['goal', '', '', 'mean 40 M/s, worst 8', '', '1.7 x', '1.30 x', ''],
);
process.stdout.write(
  `${nameMachine()}\nmedians of ${repetitions} interleaved runs, without the ${start.toFixed(2)} s that ` +
    `starting takes\n${table.toString()}\n`,
);
