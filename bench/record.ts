// Stage: bench. Programs, plain and instrumented -> what recording them costs beside running them. Run by `npm run
// bench -- record`. DPROF_BENCH_REPETITIONS makes it shorter or longer, DPROF_BENCH_ONLY names programs.
import { statSync } from 'node:fs';
import Table from 'cli-table3';
import { DPROF, readDataProfile, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, ratio, ratioCells, repetitions, seconds } from './measured-command.js';
import { formatCount, formatSeconds, geometricMean, times } from './statistics.js';
import { folder, make, recorded, wantedWorkloads, workloads } from './workloads.js';

const table = new Table({
  head: [
    'program',
    'native',
    'recorded: wall, minimum',
    'median',
    'processor time, minimum',
    'median',
    'bytes per reference',
    'trace of the long run',
  ],
  style: { head: [], border: [] },
});
const walls: number[] = [];
const processors: number[] = [];
const sizes: number[] = [];
for (const program of wantedWorkloads()) {
  process.stderr.write(`${program.name} ...\n`);
  const [plain, instrumented] = [make(program, 'plain'), make(program, 'dprof')];
  const trace = `${folder}/trace`;
  const long = await measureInterleaved(
    { native: [plain, ...program.long], recorded: recorded(instrumented, program.long, trace) },
    repetitions,
  );
  const traceBytes = statSync(trace).size;
  run([DPROF, 'record', '-o', trace, '--', instrumented, ...program.short]);
  const { references } = readDataProfile(trace).totals;
  const bytesPerReference = statSync(trace).size / references;
  const [wall, processor] = [
    ratio(long.recorded, long.native, 'seconds'),
    ratio(long.recorded, long.native, 'cpuSeconds'),
  ];
  walls.push(wall);
  processors.push(processor);
  sizes.push(bytesPerReference);
  table.push([
    program.name,
    formatSeconds(seconds(long.native)),
    ...ratioCells(long.recorded, long.native, 'seconds'),
    ...ratioCells(long.recorded, long.native, 'cpuSeconds'),
    bytesPerReference.toFixed(bytesPerReference < 0.1 ? 4 : 2),
    `${formatCount(traceBytes)}B`,
  ]);
}
table.push(
  [
    'geometric mean',
    '',
    '',
    times(geometricMean(walls)),
    '',
    times(geometricMean(processors)),
    geometricMean(sizes).toFixed(3),
    '',
  ],
  ['goal', '', '', 'mean 2 x, worst 5 x', '', 'worst 8 x', 'mean 0.047, worst 2', ''],
);
const starting = await measureInterleaved(
  {
    dprof: [DPROF, 'record', '-o', `${folder}/true`, '--', make(workloads[4], 'dprof'), '0'],
    recorder: recorded(make(workloads[4], 'dprof'), ['0'], `${folder}/true`),
  },
  5,
);
process.stdout.write(
  `${nameMachine()}\nminima, medians of ${repetitions} interleaved runs; bytes per reference of short runs\n` +
    `${table.toString()}\n`,
);
process.stdout.write(
  `dprof record's own start-up: ${formatSeconds(seconds(starting.dprof) - seconds(starting.recorder))}\n`,
);
