// Stage: test. What V8 made of the command line, which bin/dprof keeps beside it: it makes a start quicker, and
// whatever became of it no command ends otherwise.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeFolder, run } from './command-line.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = makeFolder();
const commands = join(folder, 'dist/command');
const DPROF = join(folder, 'bin/dprof');
const WHOLE = { status: 0, stderr: '' };

/** An installation with no code kept. */
beforeEach(() => {
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  mkdirSync(commands, { recursive: true });
  for (const file of ['bin/dprof', 'bin/package.json', 'package.json']) cpSync(join(ROOT, file), join(folder, file));
  for (const file of readdirSync(join(ROOT, 'dist/command')).filter((name) => name.endsWith('.cjs')))
    cpSync(join(ROOT, 'dist/command', file), join(commands, file));
  rmSync(join(folder, 'node_modules'), { force: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

const keptFiles = (): string[] => readdirSync(commands).filter((name) => name.includes(process.version));

function keptFile(): string {
  const files = keptFiles();
  expect(files).toHaveLength(1);
  return join(commands, files[0]);
}

test('the first start keeps it, and the next one leaves it as it is', () => {
  expect(run(DPROF, '--version')).toMatchObject(WHOLE);
  const file = keptFile();
  const first = readFileSync(file);
  expect(run(DPROF, '--help')).toMatchObject(WHOLE);
  expect(readFileSync(file).equals(first)).toBe(true);
});

test.each([
  ['a page of zeros', (bytes: Buffer) => bytes.fill(0, bytes.length >> 1, (bytes.length >> 1) + 4096)],
  ['its end is missing', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
  ['nothing', () => Buffer.alloc(0)],
  ['zeros', () => Buffer.alloc(4)],
])('a broken one is written anew: %s', (_, broken) => {
  run(DPROF, '--version');
  const file = keptFile();
  const whole = readFileSync(file);
  const written = broken(Buffer.from(whole));
  writeFileSync(file, written);
  expect(run(DPROF, '--version')).toMatchObject(WHOLE);
  expect(readFileSync(file).equals(written)).toBe(false);
  expect(run(DPROF, '--help')).toMatchObject(WHOLE);
});

test('a command says nothing of what cannot be kept', () => {
  run(DPROF, '--version');
  const file = keptFile();
  rmSync(file);
  const script = 'mkdir "$1.$$" && exec "$2" --version';
  expect(run('sh', '-c', script, 'sh', file, DPROF)).toMatchObject(WHOLE);
  expect(keptFiles()).toHaveLength(1); // the folder that is in the way
});
