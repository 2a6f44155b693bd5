// Stage: test of check. A file that is written whole or not at all, and what is not to become a file.

import { execFileSync, spawn } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { writeOutputFile } from '../../src/check/write-file.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-write-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a link stays one, and what it leads to is written', () => {
  const [file, link] = ['file', 'link'].map((name) => join(folder, name));
  writeFileSync(file, 'old');
  symlinkSync('file', link);
  writeOutputFile(link, 'new');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(readdirSync(folder).sort()).toEqual(['file', 'link']);
});

test('a pipe stays one, and its reader gets the text', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
  writeOutputFile(pipe, 'through');
  expect(await text(reader.stdout)).toBe('through');
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});
