// dprof-code: functions and lines of instructions in a file; files that are none.

import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { codeOfFiles } from '../../../src/cli/code-of-files.js';
import { makeFolder } from '../../cli/command-line.js';

const SOURCE = resolve(import.meta.dirname, 'programs/foreign.c');
const CODE = resolve(import.meta.dirname, '../../../build/bin/dprof-code');
const folder = makeFolder();
const ID = 'ab'.repeat(20);
const library = join(folder, 'foreign.so');
execFileSync('clang-19', ['-g', '-O1', '-shared', '-fPIC', `-Wl,--build-id=0x${ID}`, SOURCE, '-o', library], {
  cwd: folder,
});
const EMPTY = { function: '', within: '', file: '', line: 0, column: 0 };
const NOT_FOUND = { found: false, buildId: '', hasLines: false, isInstrumented: false };

test('a function of a library, its line, and an offset that is none', () => {
  const [, address] = /^([0-9a-f]+) T foreign$/m.exec(execFileSync('nm', [library], { encoding: 'utf8' }))!;
  // The text of such a library lies in its file as in memory, less a page for each part before it.
  const [, virtual, offset] = /\.text\s+PROGBITS\s+([0-9a-f]+)\s+([0-9a-f]+)/.exec(
    execFileSync('readelf', ['-SW', library], { encoding: 'utf8' }),
  )!;
  const inFile = (Number.parseInt(address, 16) - Number.parseInt(virtual, 16) + Number.parseInt(offset, 16)).toString(
    16,
  );
  const [found] = codeOfFiles([{ file: library, offsets: [inFile, 'ffffffffffffffff'] }]);
  expect(found).toMatchObject({ found: true, buildId: ID, hasLines: true, isInstrumented: false });
  expect(found.places).toEqual([
    { function: 'foreign', within: 'foreign', file: SOURCE, line: 7, column: expect.any(Number) },
    EMPTY,
  ]);
});

test('what is not there, a pipe that nobody writes to, what is no ELF', () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(
    codeOfFiles([
      { file: join(folder, 'gone'), offsets: ['0'] },
      { file: pipe, offsets: [] },
      { file: SOURCE, offsets: ['1'] },
    ]),
  ).toEqual([
    { ...NOT_FOUND, places: [EMPTY] },
    { ...NOT_FOUND, places: [] },
    { ...NOT_FOUND, found: true, places: [EMPTY] },
  ]);
  expect(codeOfFiles([])).toEqual([]);
});

test.each(['12', 'file /a\nxyz', 'file /a\n1 2'])('%j is neither a file nor an offset', (input) => {
  const { status, stderr } = spawnSync(CODE, { input: `${input}\n`, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    2,
    `dprof-code: neither a file nor an offset in one: ${input.split('\n').at(-1)}\n`,
  ]);
});
