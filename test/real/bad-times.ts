// Stage: test. `node dist/test/real/bad-times.js [runs] [seed]`: hard programs recorded once each, then `runs` faults
// (default 300) at random moments. Prints how many of each were made and what went wrong.
import {
  canMount,
  closeReader,
  FaultBench,
  fillDisk,
  fillSharedMemory,
  judgeMode,
  killProgram,
  killRecorder,
  modes,
} from './faults.js';
import { conclude } from './real-program.js';

const [runs, seed] = [Number(process.argv[2] ?? 300), Number(process.argv[3] ?? 1)];
const bench = new FaultBench(seed);
const faults: string[] = [];
const counts = new Map<string, number>();
async function attempt(name: string, judge: () => Promise<string[]>): Promise<void> {
  const found = await judge();
  counts.set(name, (counts.get(name) ?? 0) + 1);
  if (found.length > 0) counts.set(`${name}, wrong`, (counts.get(`${name}, wrong`) ?? 0) + 1);
  faults.push(...found);
}

try {
  for (const mode of modes(false)) {
    await attempt('hard programs', () => judgeMode(bench, mode));
    process.stderr.write(`${mode.under ?? ''}${mode.program.join(' ')}\n`);
  }
  const kinds: [string, (bench: FaultBench) => Promise<string[]>][] = [
    ['kill -9 of the program', killProgram],
    ['kill -9 of the recorder', killRecorder],
    ['a reader that goes away', closeReader],
  ];
  if (canMount()) kinds.push(['a full disk', fillDisk], ['a full or missing /dev/shm', fillSharedMemory]);
  else process.stdout.write('full disks and a full /dev/shm: left out, this user may not mount\n');
  for (let run = 0; run < runs; run++) {
    const [name, judge] = kinds[run % kinds.length];
    await attempt(name, () => judge(bench));
    if (run % 20 === 19) process.stderr.write(`\r${run + 1} of ${runs}, ${faults.length} wrong `);
  }
  process.stderr.write('\n');
} finally {
  bench.clean();
}
for (const [name, count] of [...counts].sort()) process.stdout.write(`${name}: ${count}\n`);
conclude(`bad times, seed ${seed}`, faults);
