// LevelDB under load. Recorded for a million logged words, both engines replay it to the same profile: most of its
// objects are allocated outside the window, so they go to the file of ended objects without a reference. Recorded
// whole, its report leads to the search in the skip list: its nodes, and the keys that they point at.

import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { expectEnginesAgree, expectTotals, replay, textRows } from './findings.js';
import { DPROF, isFresh, realFolder, ROOT, run } from './real-program.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const program = join(realFolder('leveldb'), 'db_bench');
const folder = makeTemporaryFolder('leveldb');
const bench = (...options: readonly string[]): string[] => [
  program,
  '--benchmarks=fillrandom,readrandom',
  `--db=${join(folder, 'db')}`,
  ...options,
];

beforeAll(() => {
  if (!isFresh(program))
    run(['sh', resolve(ROOT, 'test/real/build-leveldb.sh'), resolve(ROOT, 'bin/dprof-c++'), program]);
});

test('windows of db_bench, fillrandom and readrandom on two threads', () => {
  for (const window of [
    ['--for', '1M'],
    ['--after', '2M', '--for', '500K'],
    ['--burst', '10K/1M'],
  ]) {
    const [trace, native, specified] = ['run.dptrace', 'native.dprofile', 'ts.dprofile'].map((name) =>
      join(folder, name),
    );
    run([DPROF, 'record', ...window, '-o', trace, '--', ...bench('--num=30000', '--threads=2')]);
    run([DPROF, 'replay', trace, '-o', native]);
    run([DPROF, 'replay', trace, '--engine', 'ts', '-o', specified]);
    expect(statSync(native).size).toBeGreaterThan(100_000);
    expect(readFileSync(native).equals(readFileSync(specified)), window.join(' ')).toBe(true);
  }
});

test('the first rows name the nodes of the skip list, their keys, and the search', () => {
  const trace = join(folder, 'whole.dptrace');
  const said = run([DPROF, 'record', '-o', trace, '--', ...bench('--num=10000')]);
  expect(said).toContain('(6250 of 10000 found)'); // as without dprof: its random keys are the same in every run
  const profile = replay(trace, join(folder, 'whole.dprofile'));
  const [keys, nodes, pointers] = textRows(profile, 'data-profile');
  const list = 'leveldb::SkipList<const char *, leveldb::MemTable::KeyComparator>';
  expect(keys).toMatch(/^char\[\] alloc_ptr_ \(arena\.cc:29\) /);
  expect(nodes.startsWith(`${list}::Node `), nodes).toBe(true);
  expect(nodes).toMatch(/ L1 capacity \d+% +skiplist\.h:257 /);
  expect(pointers.startsWith(`std::__atomic_base<${list}::Node *> `), pointers).toBe(true);
  const [search] = textRows(profile, 'functions');
  expect(search.startsWith(`${list}::FindGreaterOrEqual `), search).toBe(true);
  expect(search).toContain(' L1 capacity ');
  expectTotals(profile);
  expectEnginesAgree(trace, folder, '1M');
});
