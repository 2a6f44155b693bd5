// PostgreSQL passes tests of its own `make check`, and serves pgbench while all its processes are recorded. Their
// traces together show what single ones cannot: pages of the write-ahead log go from process to process, since one
// clears them and another fills them.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { expectEnginesAgree, expectTotals, replay, textRows } from './findings.js';
import { DPROF, DPROF_CC, isFresh, realFolder, ROOT, run } from './real-program.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const NOBODY = 65534;
const CLIENTS = ['--client=2', '--transactions=200'];
const home = realFolder('postgresql-15');
const tree = join(home, 'build');
const installed = (name: string): string => join(tree, 'installed/bin', name);
const folder = makeTemporaryFolder('postgresql');
const traces = join(folder, 'traces');
const data = join(folder, 'data');
let profile = '';

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const asUser = [
  ...(isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []),
  'env',
  `TMPDIR=${folder}`,
];

function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  return path;
}

/** A server with pgbench's tables, all of its own recorded from its start to its end. */
async function recordServer(): Promise<number | null> {
  run([...asUser, installed('initdb'), '-D', data, '--no-locale', '-A', 'trust', '--no-sync']);
  appendFileSync(
    join(data, 'postgresql.conf'),
    `listen_addresses = ''\nunix_socket_directories = '${folder}'\nfsync = off\nautovacuum = off\n`,
  );
  run([...asUser, installed('pg_ctl'), '-D', data, '-l', join(folder, 'filling.log'), '-w', 'start']);
  run([...asUser, installed('pgbench'), '-h', folder, '--initialize', '--scale=1', '--quiet', 'postgres']);
  run([...asUser, installed('pg_ctl'), '-D', data, '-w', 'stop']);

  const server = [DPROF, 'record', '--quiet', '-o', join(traces, 'server.dptrace'), '--', installed('postgres')];
  const [command, ...words] = [...asUser, ...server, '-D', data];
  const recorder = spawn(command, words, { stdio: 'ignore' });
  const ended = new Promise<number | null>((done) => recorder.once('close', done));
  while (spawnSync(installed('pg_isready'), ['-q', '-h', folder]).status !== 0) await setTimeout(100);
  const said = run([...asUser, installed('pgbench'), '-h', folder, '--no-vacuum', ...CLIENTS, 'postgres']);
  expect(said).toContain('number of transactions actually processed: 400/400');
  run([...asUser, installed('pg_ctl'), '-D', data, '-w', '-m', 'fast', 'stop']);
  return ended;
}

beforeAll(async () => {
  if (!isFresh(installed('postgres'))) run(['sh', join(ROOT, 'test/real/build-postgresql.sh'), DPROF_CC, tree]);
  makeFolder(folder);
  makeFolder(traces);
  expect(await recordServer()).toBe(0);
  profile = replay(traces, join(folder, 'server.dprofile'));
});

/** The first three groups of what `make check` runs. */
test.each([
  ['as built', []],
  ['recorded', [DPROF, 'record', '--quiet', '-o', 'null', '--']],
])('its own tests of basic types pass, %s', (name, before) => {
  const regress = join(home, 'source/src/test/regress');
  const groups = readFileSync(join(regress, 'parallel_schedule'), 'utf8').match(/^test: .*$/gm) ?? [];
  const tests = groups.slice(0, 3).flatMap((group) => group.split(' ').slice(1));
  expect(tests).toHaveLength(22);
  const output = makeFolder(join(folder, name.replace(' ', '-')));
  const schedule = join(folder, 'schedule');
  writeFileSync(schedule, groups.slice(0, 3).join('\n'));
  const said = run([
    ...asUser,
    ...before,
    join(tree, 'src/test/regress/pg_regress'),
    `--inputdir=${regress}`,
    `--bindir=${installed('')}`,
    `--dlpath=${join(tree, 'src/test/regress')}`,
    `--temp-instance=${join(output, 'instance')}`,
    `--outputdir=${output}`,
    '--no-locale',
    `--schedule=${schedule}`,
  ]);
  expect(said).toContain(`All ${tests.length} tests passed.`);
});

test('the first rows of sharing name the pages of the log, who cleared them and who filled them', () => {
  const rows = textRows(profile, 'sharing');
  const missed = rows.filter((row) => / missed /.test(row)).slice(0, 3);
  const stored = rows.filter((row) => / stored /.test(row)).slice(0, 3);
  const of = (row: string): string => /(\w+) +xlog\.c:\d+ +AnonymousShmem \(pg_shmem\.c:717/.exec(row)?.[1] ?? row;
  const pairs = missed.map((row, at) => `${of(row)} < ${of(stored[at])}`);
  expect(pairs).toContain('CopyXLogRecordToWAL < AdvanceXLInsertBuffer');
  const [memory] = textRows(profile, 'data-profile');
  expect(memory).toMatch(/^pool-\d+ AnonymousShmem \(pg_shmem\.c:717\) /);
});

test('numbers add up, and both engines give the same', () => {
  expectTotals(profile);
  expectEnginesAgree(traces, folder, '1M');
});
