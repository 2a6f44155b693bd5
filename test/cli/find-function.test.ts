// Stage: test. Where a function's code lies, by the symbol tables of its file; files without such tables.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFunction } from '../../src/cli/find-function.js';
import { NATIVE } from '../../src/cli/installation.js';
import { makeFolder } from './command-line.js';

const folder = makeFolder();
const PROGRAM = NATIVE.recorder;

test('address and bytes, as nm has them', () => {
  const symbols = execFileSync('nm', ['-S', PROGRAM], { encoding: 'utf8' });
  const [, address, bytes] = /^([0-9a-f]+) ([0-9a-f]+) T main$/m.exec(symbols)!;
  expect(findFunction(PROGRAM, 'main')).toBe(`${BigInt(`0x${address}`)}+${BigInt(`0x${bytes}`)}`);
  expect(() => findFunction(PROGRAM, 'nowhere')).toThrow(`${PROGRAM} has no function nowhere`);
});

test.each([5000, -100])('the first bytes of a program, %i of them', (end) => {
  const cut = join(folder, 'cut');
  writeFileSync(cut, readFileSync(PROGRAM).subarray(0, end));
  expect(() => findFunction(cut, 'main')).toThrow(`${cut} is cut short`);
});

test('a file that is no program, and one that is not there', () => {
  const text = join(folder, 'text');
  writeFileSync(text, '#!/bin/sh\n');
  expect(() => findFunction(text, 'main')).toThrow(`${text} is no 64-bit ELF program`);
  const gone = join(folder, 'gone');
  expect(() => findFunction(gone, 'main')).toThrow(`cannot read ${gone}: ENOENT`);
});
