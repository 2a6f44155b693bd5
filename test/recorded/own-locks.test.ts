// Locks of a program's own are locks, once a file says which functions take and give them: rows of the view, and events
// of the order, at every level of optimisation and in both engines.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../cli/command-client.js';
import { build, dump, FOLDER, PROGRAMS, record, ROOT } from './recorded.js';

const YAML = join(PROGRAMS, 'own-locks.yaml');
const ROUNDS = 500;

const locksOf = (trace: string, engine: string) =>
  JSON.parse(
    outputOf(['report', trace, '--view', 'locks', '--engine', engine, '--no-cache', '--format', 'json']),
  ).rows.map(({ longestWaitInstructions: _, ...row }: Record<string, unknown>) => row);

describe.each(['-O0', '-O2'])('at %s', (level) => {
  it.each([[['--locks', YAML]], [[`-fdprof-locks=${YAML}`]], [[`--allocators=${YAML}`]]])(
    'each acquisition and release that the description names is one of its lock (%j)',
    (flags) => {
      const trace = record(build('own-locks.c', [level, ...flags]));
      const native = locksOf(trace, 'native');
      expect(locksOf(trace, 'ts')).toEqual(native);
      const rows = new Map(native.map((row: { lock: string }) => [row.lock, row]));
      // The try that failed is none; the one that did not is main's, besides both threads' rounds.
      expect(rows.get('account.guard.taken')).toMatchObject({
        kind: 'spinlock',
        locks: 1,
        acquisitions: 2 * ROUNDS + 1,
        threads: { 0: ROUNDS + 1, 1: ROUNDS },
        holds: 2 * ROUNDS + 1,
        unreleased: 0,
      });
      expect(rows.get('table.lock.state')).toMatchObject({
        kind: 'rwlock',
        locks: 1,
        acquisitions: 2 * ROUNDS,
        threads: { 0: ROUNDS, 1: ROUNDS },
        holds: 2 * ROUNDS,
        unreleased: 0,
      });
    },
  );
});

it('without a description they are atomics only; a semaphore that is used as a lock is held', () => {
  const trace = record(build('own-locks.c', ['-O2']));
  const rows = locksOf(trace, 'native');
  expect(locksOf(trace, 'ts')).toEqual(rows);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    lock: 'gate',
    kind: 'semaphore',
    acquisitions: 2 * ROUNDS,
    threads: { 0: ROUNDS, 1: ROUNDS },
    holds: 2 * ROUNDS,
    unreleased: 0,
    data: [],
  });
  expect(dump(trace).filter((line) => /acquire .*(spinlock|rwlock)/.test(line))).toEqual([]);
});

it.each([
  ['- function: f\n  acquires: x\n', ":2: can not read 'acquires': expected the number of an argument"],
  ['- function: f\n  acquires: 0\n  releases: 1\n', ':1: one of frees, reallocates, frees-pool, acquires and releases'],
  [
    '- function: f\n  acquires: 0\n  lock: monitor\n',
    ":3: can not read 'lock': expected mutex, rwlock, spinlock or semaphore",
  ],
])('a description of locks that can not be read is an error: %j', (text, expected) => {
  const file = join(FOLDER, 'wrong.yaml');
  writeFileSync(file, text);
  const { status, stderr } = spawnSync(
    join(ROOT, 'bin/dprof-cc'),
    [`--locks=${file}`, '-c', join(PROGRAMS, 'own-locks.c'), '-o', join(FOLDER, 'wrong.o')],
    { encoding: 'utf8' },
  );
  expect(status).toBe(1);
  expect(stderr).toContain(expected);
});

it('the ready description of PostgreSQL can be read', () => {
  record(build('own-locks.c', ['-O1', `--locks=lwlock,${YAML}`]));
});
