// Stage: bench. Measures the cost of importing a recording of hardware samples; then runs the hardware proof, and draws
// samples from exact runs. Run by `npm run bench -- hardware`.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { writeLongRecording } from '../test/hardware/long-recording.js';
import { DPROF } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, repetitions, seconds } from './measured-command.js';
import { formatCount, formatSeconds, median } from './statistics.js';

const SAMPLES = 62 * 16_384; // the first multiple of a round above a million
const MIB = 2 ** 20;
const GOAL_SECONDS = 3;
const GOAL_BYTES = 300 * MIB;
const folder = mkdtempSync(join(tmpdir(), 'dprof-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A debug register on a variable, a million hits, compressed: where perf may. */
function recordForReal(path: string): boolean {
  const program = join(folder, 'counter');
  writeFileSync(
    `${program}.c`,
    'volatile long counter;\nint main(void) {\n  for (int i = 0; i < 1000000; i++) counter = counter + i;' +
      '\n  return 0;\n}\n',
  );
  if (spawnSync('clang-19', ['-O1', '-no-pie', `${program}.c`, '-o', program]).status !== 0) return false;
  const address = /^0*([0-9a-f]+) \S counter$/m.exec(spawnSync('nm', [program], { encoding: 'utf8' }).stdout)?.[1];
  return (
    spawnSync('perf', [
      'record',
      '-q',
      '-z',
      '-e',
      `mem:0x${address}:rw`,
      '-c',
      '1',
      '-d',
      '-m',
      '8M',
      '-o',
      path,
      program,
    ]).status === 0
  );
}

const recordings: Record<string, string> = {
  'constructed PEBS, loads and stores of two CPUs': join(folder, 'pebs.data'),
};
process.stderr.write('writing recordings ...\n');
writeLongRecording(join(folder, 'pebs.data'), SAMPLES);
if (recordForReal(join(folder, 'real.data')))
  recordings['a debug register, perf record -z'] = join(folder, 'real.data');

const output = join(folder, 'samples.dpsamples');
const table = new Table({
  head: [
    'recording',
    'samples',
    'bytes',
    'wall',
    'processor time',
    'peak memory',
    'file of samples',
    'goal: 3 s, 300 MiB',
  ],
  style: { head: [], border: [] },
});
for (const [name, path] of Object.entries(recordings)) {
  process.stderr.write(`${name} ...\n`);
  const runs = (await measureInterleaved({ import: [DPROF, 'import', path, '-o', output] }, repetitions)).import;
  const said = spawnSync(DPROF, ['import', path, '-o', output], { encoding: 'utf8' }).stdout;
  const samples = Number(/^([\d,]+) sample/.exec(said)![1].replaceAll(',', ''));
  const peak = median(runs.map((run) => run.peakBytes));
  const reached = seconds(runs) < GOAL_SECONDS && peak < GOAL_BYTES;
  table.push([
    name,
    formatCount(samples),
    `${(statSync(path).size / MIB).toFixed(1)} MiB`,
    formatSeconds(seconds(runs)),
    formatSeconds(median(runs.map((run) => run.cpuSeconds))),
    `${(peak / MIB).toFixed(0)} MiB`,
    `${(statSync(output).size / MIB).toFixed(1)} MiB`,
    reached ? 'reached' : 'missed',
  ]);
}
process.stdout.write(`${nameMachine()}\nmedians of ${repetitions} runs\n${table.toString()}\n`);
await import('./hardware-proof.js');
await import('./resampling.js');
