// Stage: test. A second look at a trace replays nothing, and says what a replay says; whatever changed in between is
// replayed.

import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { MOST_KEPT } from '../../src/cli/kept-profiles.js';
import { VIEW_NAMES } from '../../src/views/views.js';
import { runDprof, type Outcome } from './command-client.js';
import { DPROF, makeFolder, saveTrace, withoutNext, writePairTrace } from './command-line.js';

const ROOT = resolve(import.meta.dirname, '../..');
let folder: string;
let trace: string;
beforeEach(() => {
  folder = makeFolder();
  trace = saveTrace(folder, 'pair.dptrace', writePairTrace().finish({ exit: { code: 0 } }));
});

const dprof = (...words: string[]): Outcome => runDprof(words, { DPROF_CACHE: '', DPROF_DEBUG: '', COLUMNS: '100' });
const kept = (of = trace): string[] => readdirSync(`${of}.cache`);
const isThere = (of = trace): boolean => readdirSync(folder).includes(`${basename(of)}.cache`);

/** What it printed; the command replayed, or it did not. */
function look(isReplayed: boolean, ...words: string[]): string {
  const { status, stdout, stderr } = dprof(...words);
  const said = isReplayed
    ? `dprof: the profile is kept in ${trace}.cache, for the next look (--no-cache keeps none)\n`
    : `dprof: nothing is replayed: the profile is kept in ${trace}.cache (--no-cache replays)\n`;
  expect([status, stderr], words.join(' ')).toEqual([0, said]);
  return stdout;
}

test('a second report is read, and is the first; each view alike, from a profile that has more', () => {
  const first = look(true, 'report', trace);
  expect(look(false, 'report', trace)).toBe(first);
  look(true, 'html', trace, '-o', join(folder, 'page.html'));
  for (const view of VIEW_NAMES.filter((name) => name !== 'schedules')) {
    const words = ['report', trace, '--view', view, '--format', 'json'];
    expect(look(false, ...words), view).toBe(dprof(...words, '--no-cache').stdout);
  }
  expect(kept()).toHaveLength(2);
});

test('html, annotate, diff and export keep a profile, and use it', () => {
  const page = (): Buffer => readFileSync(join(folder, 'page.html'));
  const commands = [
    ['html', trace, '-o', join(folder, 'page.html')],
    ['annotate', trace, '--type', 'struct pair', '--l1', '16K/4'],
    ['export', trace, '--to', 'csv', '-o', '-', '--l1', '8K/4'],
  ];
  for (const words of commands) {
    const printed = [look(true, ...words), page()];
    expect([look(false, ...words), page()], words[0]).toEqual(printed);
  }
  const diff = ['diff', trace, trace, '--format', 'json', '--l1', '4K/4'];
  const { stdout, stderr } = dprof(...diff);
  expect(stderr.split('\n').map((line) => line.slice(0, 26))).toEqual([
    'dprof: the profile is kept',
    'dprof: nothing is replayed',
    '',
  ]);
  expect(dprof(...diff).stdout).toBe(stdout);
  expect(dprof(...diff, '--no-cache').stdout).toBe(stdout);
});

test('whatever the replay depends on is asked for anew', () => {
  const machine = join(folder, 'own.json');
  writeFileSync(machine, JSON.stringify({ base: 'default', name: 'own', memoryLatencyCycles: 300 }));
  const requests = [
    [],
    ['--l1', '16K/4'],
    ['--cores', '1'],
    ['--schedule', 'recorded'],
    ['--schedules', '2'],
    ['--engine', 'ts'],
    ['--kernel-stores'],
    ['--from', '5'],
    ['--to', '5'],
    ['--machine', machine],
    ['--machine', 'default', '--machine', machine],
  ];
  for (const request of requests) look(true, 'report', trace, ...request);
  for (const request of requests) look(false, 'report', trace, ...request);
  look(false, 'report', trace, '--workers', '1');
  writeFileSync(machine, JSON.stringify({ base: 'default', name: 'own', memoryLatencyCycles: 301 }));
  look(true, 'report', trace, '--machine', machine);
});

test('all views at once show what was asked for, though a profile with more is there', () => {
  look(true, 'html', trace, '-o', join(folder, 'page.html'));
  const all = look(true, 'report', trace, '--view', 'all');
  expect(all).toBe(dprof('report', trace, '--view', 'all', '--no-cache').stdout);
});

test('a trace that was recorded again is replayed, and what was kept of the other is gone', () => {
  look(true, 'report', trace);
  look(true, 'report', trace, '--l1', '16K/4');
  const before = kept();
  saveTrace(folder, 'pair.dptrace', writePairTrace(20).finish({ exit: { code: 0 } }));
  expect(look(true, 'report', trace)).toContain('40');
  expect(kept()).toHaveLength(1);
  expect(before).not.toContain(kept()[0]);
});

test('a damaged profile is replaced', () => {
  const first = look(true, 'report', trace);
  const path = join(`${trace}.cache`, kept()[0]);
  const whole = readFileSync(path);
  truncateSync(path, 100);
  expect(look(true, 'report', trace)).toBe(first);
  expect(readFileSync(path).equals(whole)).toBe(true);
  whole[whole.length - 1] ^= 1;
  writeFileSync(path, whole);
  expect(look(true, 'report', trace)).toBe(first);
  expect(look(false, 'report', trace)).toBe(first);
});

test('no more are kept than fit, and the one used longest ago goes', () => {
  const request = (number: number): string[] => ['report', trace, '--from', `${number}`];
  for (let number = 1; number <= MOST_KEPT.profiles; number++) look(true, ...request(number));
  look(false, ...request(1));
  look(true, ...request(MOST_KEPT.profiles + 1));
  expect(kept()).toHaveLength(MOST_KEPT.profiles);
  look(false, ...request(1));
  look(true, ...request(2));
});

test('--no-cache keeps nothing, and uses nothing', () => {
  expect(dprof('report', trace, '--no-cache')).toMatchObject({ status: 0, stderr: '' });
  expect(isThere()).toBe(false);
  look(true, 'report', trace);
  expect(dprof('report', trace, '--no-cache')).toMatchObject({ status: 0, stderr: '' });
  expect(dprof('report', join(`${trace}.cache`, kept()[0]), '--no-cache')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--no-cache does nothing'),
  });
});

test('where nothing can be kept, the report is the same and says nothing of it', () => {
  const { stdout } = dprof('report', trace, '--no-cache');
  writeFileSync(`${trace}.cache`, 'a file');
  expect(dprof('report', trace)).toEqual({ status: 0, stdout, stderr: '' });
  expect(readFileSync(`${trace}.cache`, 'utf8')).toBe('a file');
});

test('a folder that others can write to is not believed', () => {
  const { stdout } = dprof('report', trace, '--no-cache');
  look(true, 'report', trace);
  chmodSync(`${trace}.cache`, 0o777);
  expect(dprof('report', trace)).toEqual({ status: 0, stdout, stderr: '' });
  chmodSync(`${trace}.cache`, 0o755);
  look(false, 'report', trace);
});

test('a folder of traces is kept beside the first, and replayed when another changes', () => {
  const save = (rounds: number): string =>
    saveTrace(folder, 'pair.dptrace.17', writePairTrace(rounds, 17).finish({ exit: { code: 0 } }));
  const second = save(10);
  look(true, 'report', folder);
  look(false, 'report', folder);
  expect(isThere(second)).toBe(false);
  save(20);
  look(true, 'report', folder);
});

const environment = { ...process.env, DPROF_CACHE: '', COLUMNS: '100' };

test('several at once keep one whole profile; standard input is no place to keep one', async () => {
  const outputs = await Promise.all(
    Array.from({ length: 3 }, () => text(spawn(DPROF, ['report', trace], { env: environment }).stdout)),
  );
  expect(new Set(outputs).size).toBe(1);
  expect(kept()).toHaveLength(1);
  expect(look(false, 'report', trace)).toBe(outputs[0]);
  const input = spawn('sh', ['-c', `"$0" report - < "$1"`, DPROF, trace], { env: environment });
  expect([await text(input.stdout), await text(input.stderr)]).toEqual([withoutNext(outputs[0]), '']);
});

test('another build of dprof replays', async () => {
  const build = join(folder, 'build');
  mkdirSync(join(build, 'lib'), { recursive: true });
  symlinkSync(join(ROOT, 'build/bin'), join(build, 'bin'));
  copyFileSync(join(ROOT, 'build/lib/dprof_engine.node'), join(build, 'lib/dprof_engine.node'));
  look(true, 'report', trace);
  const other = spawn(DPROF, ['report', trace], { env: { ...environment, DPROF_BUILD: build } });
  expect(await text(other.stderr)).toContain('the profile is kept');
  expect(kept()).toHaveLength(2);
});
