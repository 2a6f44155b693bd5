// LevelDB under load, recorded for a million logged words: both engines replay it to the same profile. Most of its
// objects are allocated outside the window, so they go to the file of ended objects without a reference.

import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isFresh, realFolder, ROOT, run, scratchFolder } from './real-program.js';

const DPROF = resolve(ROOT, 'bin/dprof');

test('windows of db_bench, fillrandom and readrandom on two threads', () => {
  const program = join(realFolder('leveldb'), 'db_bench');
  if (!isFresh(program))
    run(['sh', resolve(ROOT, 'test/real/build-leveldb.sh'), resolve(ROOT, 'bin/dprof-c++'), program]);
  const folder = scratchFolder();
  for (const window of [
    ['--for', '1M'],
    ['--after', '2M', '--for', '500K'],
    ['--burst', '10K/1M'],
  ]) {
    const [trace, native, specified] = ['run.dptrace', 'native.dprofile', 'ts.dprofile'].map((name) =>
      join(folder, name),
    );
    const bench = ['--num=30000', '--threads=2', '--benchmarks=fillrandom,readrandom', `--db=${join(folder, 'db')}`];
    run([DPROF, 'record', ...window, '-o', trace, '--', program, ...bench]);
    run([DPROF, 'replay', trace, '-o', native]);
    run([DPROF, 'replay', trace, '--engine', 'ts', '-o', specified]);
    expect(statSync(native).size).toBeGreaterThan(100_000);
    expect(readFileSync(native).equals(readFileSync(specified)), window.join(' ')).toBe(true);
  }
});
