// Stage: bench. Samples drawn from exact runs: how far off 100,000 are, and how fast they are drawn beside plain
// replays of the same trace. Part of `npm run bench -- hardware`.
import { writeFileSync } from 'node:fs';
import Table from 'cli-table3';
import { buildSqlite, DPROF, DPROF_CC, run, scratchFolder } from '../test/real/real-program.js';
import { sqliteWorkload } from '../test/real/sqlite-workload.js';
import { buildDescribedMemcached, watchMemcached } from '../test/real/watched-memcached.js';
import type { Resampling } from '../src/hardware/validate/resample.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, ratio, repetitions, seconds } from './measured-command.js';
import { formatCount, formatSeconds, times } from './statistics.js';

const GOAL_POINTS = 2;
const folder = scratchFolder();
const [workload, sqlite, memcached] = ['workload.sql', 'sqlite.dptrace', 'memcached.dptrace'].map(
  (name) => `${folder}/${name}`,
);
process.stderr.write('recording SQLite and memcached ...\n');
writeFileSync(workload, sqliteWorkload(2000));
run([
  DPROF,
  'record',
  '-o',
  sqlite,
  '--',
  buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']),
  ':memory:',
  `.read ${workload}`,
]);
if ((await watchMemcached(buildDescribedMemcached(), 3000, ['record', '-o', memcached])) !== 0)
  throw new Error('memcached did not end well');

const accuracy = new Table({
  head: [
    'program',
    'sampler',
    'samples',
    'largest error of the ten largest types',
    'lost of ten',
    'goal: 2 points, drawn alike',
  ],
  style: { head: [], border: [] },
});
const speed = new Table({
  head: ['program', 'references', 'validate --resample', 'references a second', 'to report --engine ts', 'to report'],
  style: { head: [], border: [] },
});
for (const [name, trace] of [
  ['SQLite', sqlite],
  ['memcached', memcached],
]) {
  process.stderr.write(`${name} ...\n`);
  const resample = [DPROF, 'validate', '--resample', trace, '--format', 'json'];
  const { samplers, exact } = JSON.parse(run(resample)) as Resampling;
  for (const { sampler, samples, byLatency, loadsOnly, skids, curve } of samplers) {
    const { worstPoints, lost } = curve[0].measures.references;
    const isAlike = !byLatency && !loadsOnly && !skids;
    accuracy.push([
      name,
      sampler,
      formatCount(samples),
      `${worstPoints!.toFixed(2)} points`,
      lost.length,
      isAlike ? (worstPoints! <= GOAL_POINTS ? 'reached' : 'missed') : '-',
    ]);
  }
  const runs = await measureInterleaved(
    { resample, ts: [DPROF, 'report', trace, '--engine', 'ts'], native: [DPROF, 'report', trace] },
    repetitions,
  );
  speed.push([
    name,
    formatCount(exact.references),
    formatSeconds(seconds(runs.resample)),
    formatCount(exact.references / seconds(runs.resample)),
    times(ratio(runs.resample, runs.ts, 'seconds')),
    times(ratio(runs.resample, runs.native, 'seconds')),
  ]);
}
process.stdout.write(
  `${nameMachine()}\n${accuracy.toString()}\nmedians of ${repetitions} interleaved runs; validate --resample ` +
    `replays twice: for the exact shares, and to draw\n${speed.toString()}\n`,
);
