// Stage: bench. What dprof advise takes of runs of about 10^8 references, beside one replay of them.
// `npm run bench -- advise-cost`; DPROF_BENCH_ONLY makes it shorter.
import { rmSync } from 'node:fs';
import Table from 'cli-table3';
import { readAdvice } from '../test/real/advised.js';
import { DPROF, readDataProfile, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, seconds } from './measured-command.js';
import { formatCount, geometricMean, times } from './statistics.js';
import { folder, make, recorded, wantedWorkloads } from './workloads.js';

const REPETITIONS = 3;

const table = new Table({
  head: ['program', 'references', 'one replay', 'advise', 'advise : replay', 'changes tried', 'first finding'],
  style: { head: [], border: [] },
});
const ratios: number[] = [];
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
    table.push([
      program.name,
      formatCount(references),
      `${seconds(measured.replay).toFixed(2)} s`,
      `${seconds(measured.advise).toFixed(2)} s`,
      times(ratio),
      tried,
      first === undefined
        ? 'nothing serious'
        : `${first.kind}: ${first.type} ${first.change?.options.join(' ') ?? ''}`.slice(0, 60),
    ]);
  }
  table.push(['geometric mean', '', '', '', times(geometricMean(ratios)), '', '']);
  table.push(['goal', '', '', '', '4 x', '', '']);
  process.stdout.write(`${nameMachine()}\nmedians of ${REPETITIONS} interleaved runs\n${table.toString()}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
