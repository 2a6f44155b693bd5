// A trace from standard input or a pipe is what it is as a file, and leaves nothing behind.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dprof, DPROF, makeFolder, saveTrace, withoutNext, writePairTrace } from './command-line.js';

const folder = makeFolder();
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
const bytes = writePairTrace().finish();
const trace = saveTrace(folder, 'pair.dptrace', bytes);
const env = { ...process.env, DPROF_DEBUG: '', COLUMNS: '200', TMPDIR: temporary };

function fed(input: Uint8Array, ...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(DPROF, words, { input, encoding: 'utf8', env });
  expect(readdirSync(temporary)).toEqual([]);
  return { status, stdout, stderr };
}

test('replay, report and dump of standard input say what they say of the file', () => {
  expect(dprof('replay', trace, '-o', join(folder, 'file.dprofile')).status).toBe(0);
  expect(fed(bytes, 'replay', '-', '-o', join(folder, 'input.dprofile'))).toEqual({
    status: 0,
    stdout: '',
    stderr: '',
  });
  const profile = readFileSync(join(folder, 'file.dprofile'));
  expect(readFileSync(join(folder, 'input.dprofile')).equals(profile)).toBe(true);
  for (const words of [['report'], ['dump'], ['dump', '--references']]) {
    const [command, ...options] = words;
    const stdout = withoutNext(dprof(command, trace, ...options).stdout);
    expect(stdout).not.toBe('');
    expect(fed(bytes, command, '-', ...options)).toEqual({ status: 0, stdout, stderr: '' });
  }
  expect(fed(profile, 'report', '-').stdout).toBe(withoutNext(dprof('report', trace).stdout));
});

test('a pipe, a named pipe and a redirected file are read as the file is', () => {
  const stdout = withoutNext(dprof('report', trace).stdout);
  const shell = (line: string): string =>
    spawnSync('bash', ['-c', line, DPROF, trace], { encoding: 'utf8', env, cwd: folder }).stdout;
  expect(shell('cat "$1" | "$0" report -')).toBe(stdout);
  expect(shell('"$0" report <(cat "$1")')).toBe(stdout);
  expect(shell('mkfifo pipe; cat "$1" > pipe & "$0" report pipe')).toBe(stdout);
  expect(shell('"$0" report - < "$1"')).toBe(stdout);
  expect(readdirSync(temporary)).toEqual([]);
});

test('what is no trace is refused as in a file, even if it never ends', () => {
  expect(fed(Buffer.from('no trace'), 'replay', '-', '-o', 'x')).toMatchObject({
    status: 1,
    stderr:
      'dprof: standard input: not a dprof trace: magic at offset 0: expected "DPROFTRC", found "no ' +
      'trace"\nhint: name a *.dptrace file that dprof record wrote\n',
  });
  expect(fed(Buffer.alloc(0), 'dump', '-').stderr).toContain(
    'standard input: not a dprof trace: magic at offset 0: expected "DPROFTRC", found an empty file',
  );
  const endless = spawnSync('bash', ['-c', 'yes | "$0" report -', DPROF], { encoding: 'utf8', env, timeout: 900_000 });
  expect(endless).toMatchObject({ status: 1, signal: null });
  const cut = fed(bytes.subarray(0, bytes.length - 3), 'report', '-');
  expect(cut.status).toBe(0);
  expect(cut.stdout).toContain('the trace is cut');
});

test('an interrupt while the trace comes ends it, and no copy is left', async () => {
  const child = spawn(DPROF, ['report', '-'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.write(bytes.subarray(0, bytes.length - 3));
  const copies = (): string[] =>
    readdirSync(`/proc/${child.pid}/fd`)
      .map((file) => linkOf(`/proc/${child.pid}/fd/${file}`))
      .filter((to) => to.startsWith(temporary));
  while (!copies().some((copy) => copy.endsWith(' (deleted)')) || readdirSync(temporary).length > 0)
    await setTimeout(10);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a folder for copies that cannot be written is named', () => {
  const { status, stderr } = spawnSync(DPROF, ['report', '-'], {
    input: bytes,
    encoding: 'utf8',
    env: { ...env, TMPDIR: '/nowhere' },
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'dprof: cannot make a file in /nowhere (ENOENT)\nhint: name a folder that can be written: TMPDIR=FOLDER ' +
      'dprof ...\n',
  });
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
