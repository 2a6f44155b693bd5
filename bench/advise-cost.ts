// Stage: bench. What dprof advise takes of runs of about 10^8 references, and what twenty changes take, beside one
// replay of them.
// `npm run bench -- advise-cost`; DPROF_BENCH_ONLY makes it shorter.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import Table from 'cli-table3';
import { readAdvice } from '../test/real/advised.js';
import { DPROF, readDataProfile, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, seconds } from './measured-command.js';
import { formatCount, geometricMean, median, times } from './statistics.js';
import { folder, make, recorded, wantedWorkloads } from './workloads.js';

const REPETITIONS = 3;

const table = new Table({
  head: [
    'program',
    'references',
    'one replay',
    'advise',
    'advise : replay',
    'changes tried',
    '20 changes : replay',
    'first finding',
  ],
  style: { head: [], border: [] },
});
const ratios: number[] = [];
const ratiosOfTwenty: number[] = [];

/** 0: the program has no struct to change. */
function secondsOfTwenty(trace: string): number {
  return Number(run([process.execPath, resolve(import.meta.dirname, 'twenty-changes.js'), trace]));
}

try {
  for (const program of wantedWorkloads()) {
    process.stderr.write(`${program.name} ...\n`);
    const trace = `${folder}/trace`;
    run(recorded(make(program, 'dprof'), program.medium, trace));
    const { references } = readDataProfile(trace).totals;
    const measured = await measureInterleaved(
      {
        replay: [DPROF, 'replay', trace, '-o', `${folder}/profile`, '--no-flow'],
        advise: [DPROF, 'advise', trace, '--format', 'json'],
      },
      REPETITIONS,
    );
    const { findings, tried } = readAdvice(trace);
    const [first] = findings;
    const ratio = seconds(measured.advise) / seconds(measured.replay);
    ratios.push(ratio);
    const twenty = median(Array.from({ length: REPETITIONS }, () => secondsOfTwenty(trace)));
    const ratioOfTwenty = twenty / seconds(measured.replay);
    if (twenty > 0) ratiosOfTwenty.push(ratioOfTwenty);
    table.push([
      program.name,
      formatCount(references),
      `${seconds(measured.replay).toFixed(2)} s`,
      `${seconds(measured.advise).toFixed(2)} s`,
      times(ratio),
      tried,
      twenty > 0 ? times(ratioOfTwenty) : '-',
      first === undefined
        ? 'nothing serious'
        : `${first.kind}: ${first.type} ${first.change?.options.join(' ') ?? ''}`.slice(0, 60),
    ]);
  }
  table.push([
    'geometric mean',
    '',
    '',
    '',
    times(geometricMean(ratios)),
    '',
    times(geometricMean(ratiosOfTwenty)),
    '',
  ]);
  table.push(['goal', '', '', '', '4 x', '', '2.5 x', '']);
  process.stdout.write(`${nameMachine()}\nmedians of ${REPETITIONS} interleaved runs\n${table.toString()}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
