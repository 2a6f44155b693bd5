// Stage: bench. `dprof check` of programs of about 50 million references, beside their recorded runs. Run by
// `npm run bench -- check`; DPROF_BENCH_REPETITIONS and DPROF_BENCH_ONLY make it shorter.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Table from 'cli-table3';
import { DPROF } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, ratio, ratioCells, repetitions, seconds } from './measured-command.js';
import { formatSeconds, times } from './statistics.js';
import {
  folder,
  luaWorkload,
  make,
  ownProgram,
  sqliteWords,
  wantedWorkloads,
  workloads,
  type Program,
} from './workloads.js';

const MOST = 6;

/** About half of the references of medium runs. `nodes` has seven million objects. */
const words: Readonly<Record<string, readonly string[]>> = {
  sqlite: sqliteWords('checked', 7500, 1),
  lua: [luaWorkload, '1'],
  zstd: ['0.75'],
  tree: ['500000'],
  quicksort: ['1000000', '1'],
  walk: ['50000000'],
  lru: ['2000000'],
  queue: ['1000000'],
  nodes: ['700'],
};

function checked({ name }: Program, program: string): string {
  const own = join(folder, `check-${name}`);
  mkdirSync(own, { recursive: true });
  const file = join(own, 'dprof.yml');
  const limits = ['references >= 1', 'l1-misses >= 0', 'estimated-cycles >= 0 cycles'];
  writeFileSync(file, JSON.stringify({ programs: { [name]: { run: [program, ...words[name]], limits } } }));
  return file;
}

const programs = wantedWorkloads([...workloads, ownProgram('nodes')]).filter(({ name }) => name in words);
const table = new Table({
  head: ['program', 'dprof record', 'dprof check', 'check : record, minimum', 'median'],
  style: { head: [], border: [] },
});
let worst = 0;
for (const one of programs) {
  process.stderr.write(`${one.name} ...\n`);
  const program = make(one, 'dprof');
  const file = checked(one, program);
  const { record, check } = await measureInterleaved(
    {
      record: [DPROF, 'record', '--quiet', '-o', join(folder, 'check.dptrace'), '--', program, ...words[one.name]],
      check: [DPROF, 'check', '--rerun', '-f', file],
    },
    repetitions,
  );
  worst = Math.max(worst, ratio(check, record, 'seconds'));
  table.push([
    one.name,
    formatSeconds(seconds(record)),
    formatSeconds(seconds(check)),
    ...ratioCells(check, record, 'seconds'),
  ]);
}
table.push(['worst', '', '', '', times(worst)], ['goal', '', '', '', `at most ${MOST} x`]);
process.stdout.write(`${nameMachine()}\n${repetitions} interleaved runs; times are medians\n${table.toString()}\n`);
