// Stage: bench. Programs, plain and instrumented -> what recording them costs beside running them, cachegrind and
// lackey. Run by `npm run bench -- record`. DPROF_BENCH_REPETITIONS makes it shorter or longer, DPROF_BENCH_ONLY names
// programs.
import { statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import Table from 'cli-table3';
import { DPROF, readDataProfile, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, ratio, ratioCells, repetitions, seconds } from './measured-command.js';
import { formatCount, formatSeconds, geometricMean, times } from './statistics.js';
import { folder, make, recorded, wantedWorkloads, workloads } from './workloads.js';

const hasValgrind = spawnSync('valgrind', ['--version']).status === 0;
const valgrind = (tool: string, ...more: string[]): string[] => ['valgrind', `--tool=${tool}`, ...more];

const table = new Table({
  head: [
    'program',
    'native',
    'recorded: wall, minimum',
    'median',
    'processor time, minimum',
    'median',
    'cachegrind',
    'lackey',
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
  const old = hasValgrind ? make(program, 'dwarf4') : '';
  const slow =
    hasValgrind &&
    (await measureInterleaved(
      {
        native: [plain, ...program.short],
        cachegrind: [
          ...valgrind('cachegrind', '--cache-sim=yes', '--cachegrind-out-file=/dev/null'),
          old,
          ...program.short,
        ],
        lackey: [...valgrind('lackey', '--trace-mem=yes', '--log-file=/dev/null'), old, ...program.short],
      },
      1,
    ));
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
    slow ? times(ratio(slow.cachegrind, slow.native, 'seconds')) : 'not installed',
    slow ? times(ratio(slow.lackey, slow.native, 'seconds')) : 'not installed',
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
    '',
    '',
    geometricMean(sizes).toFixed(3),
    '',
  ],
  ['goal', '', '', 'mean 3 x, worst 6 x', '', '5 x', '', '', 'mean 0.5, worst 3', ''],
);
const starting = await measureInterleaved(
  {
    dprof: [DPROF, 'record', '-o', `${folder}/true`, '--', make(workloads[4], 'dprof'), '0'],
    recorder: recorded(make(workloads[4], 'dprof'), ['0'], `${folder}/true`),
  },
  5,
);
process.stdout.write(
  `${nameMachine()}\nminima, medians of ${repetitions} interleaved runs; cachegrind, lackey and bytes per reference ` +
    `of short runs, beside native ones\n${table.toString()}\n`,
);
process.stdout.write(
  `dprof record's own start-up: ${formatSeconds(seconds(starting.dprof) - seconds(starting.recorder))}\n`,
);
