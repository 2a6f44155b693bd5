// Stage: bench. Measures the most memory that a replay has, for a trace of 10^7 references and for one of 10^9 of the
// same program. Run by `npm run bench -- replay-memory`; DPROF_BENCH_REFERENCES names other counts, in millions: 1,10.
import { rmSync } from 'node:fs';
import Table from 'cli-table3';
import { readProfile } from '../src/profile/profile-reader.js';
import { countObjects } from '../src/profile/object-source.js';
import { sumAll } from '../src/views/counter-sums.js';
import { summariseLives } from '../src/views/object-lives.js';
import { DPROF, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureCommand } from './measured-command.js';
import { formatCount } from './statistics.js';
import { folder, make, ownProgram, recorded } from './workloads.js';

const MIB = 2 ** 20;
const [BASE_BYTES, LINE_BYTES, OBJECT_BYTES] = [256 * MIB, 48, 200];
const REFERENCES_PER_COUNT = 2.09;

const lengths = (process.env.DPROF_BENCH_REFERENCES ?? '10,1000').split(',').map((millions) => Number(millions) * 1e6);
const program = make(ownProgram('churn'), 'dprof');
const [trace, profilePath] = [`${folder}/churn-trace`, `${folder}/churn-profile`];
const table = new Table({
  head: ['references', 'objects ever', 'live at most', 'lines, of each core', 'peak', 'allowed', 'of it'],
  style: { head: [], border: [] },
});
for (const references of lengths) {
  process.stderr.write(`${formatCount(references)} references ...\n`);
  run(recorded(program, [String(Math.round(references / REFERENCES_PER_COUNT))], trace));
  const { peakBytes, seconds } = await measureCommand([DPROF, 'replay', trace, '-o', profilePath]);
  rmSync(trace);
  const profile = readProfile(profilePath);
  // Lines that a core referenced: no more than those of the pages that it touched.
  const lines = sumAll(profile.tallies).classes('l1').compulsory;
  const live = summariseLives(profile).reduce((sum, { peak }) => sum + peak, 0);
  const allowed = BASE_BYTES + LINE_BYTES * lines + OBJECT_BYTES * live;
  process.stderr.write(`replayed in ${seconds.toFixed(0)} s\n`);
  table.push([
    formatCount(profile.totals.references),
    formatCount(countObjects(profile)),
    formatCount(live),
    formatCount(lines),
    `${(peakBytes / MIB).toFixed(0)} MiB`,
    `${(allowed / MIB).toFixed(0)} MiB`,
    `${((100 * peakBytes) / allowed).toFixed(0)} %`,
  ]);
}
process.stdout.write(
  `${nameMachine()}\nallowed: 256 MiB + ${LINE_BYTES} bytes for each line and core + ${OBJECT_BYTES} bytes for ` +
    `each live object\n${table.toString()}\n`,
);
