// The last line of a report says which command comes next, where there is anything to advise on, and nowhere else.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { DPROF, outputOf } from './command-client.js';

const folder = makeTemporaryFolder('next-command');
const [costly, calm, trace] = ['costly', 'calm', 'costly.dptrace'].map((name) => join(folder, name));
const SOURCES = {
  costly: 'static int all[1 << 20]; int main(void) { for (int i = 0; i < 1 << 20; i += 16) all[i]++; return all[9]; }',
  calm: 'int main(void) { int sum = 0, all[8] = {0}; for (int i = 0; i < 9999; i++) sum += all[i % 8]; return sum; }',
};

const lastLine = (text: string): string => text.split('\n').at(-2)!;

beforeAll(() => {
  for (const [name, source] of Object.entries(SOURCES)) {
    writeFileSync(join(folder, `${name}.c`), source);
    execFileSync(`${DPROF}-cc`, ['-O1', '-g', join(folder, `${name}.c`), '-o', join(folder, name)]);
  }
});

test('a run that is not kept', () => {
  expect(lastLine(outputOf(['run', '--', costly]))).toBe(
    'next: the same with --keep run.dptrace, then dprof advise run.dptrace',
  );
  expect(outputOf(['run', '--', calm])).not.toContain('next:');
  expect(outputOf(['run', '--format', 'json', '--', costly])).not.toContain('next:');
});

test('a run that is kept, and a report on it', () => {
  const kept = outputOf(['run', '--keep', trace, '--', costly], { COLUMNS: '80' });
  const next = `next: dprof advise ${trace}`;
  const line = next.length <= 80 ? next : 'next: dprof advise, of the same trace';
  expect(lastLine(kept)).toBe(line);
  expect(lastLine(outputOf(['report', trace]))).toBe(line);
  expect(outputOf(['report', trace, '--format', 'json'])).not.toContain('next:');
  expect(outputOf(['report', trace, '--format', 'csv'])).not.toContain('next:');
});

test('what advise does not take has no such line', () => {
  const profile = join(folder, 'costly.dprofile');
  outputOf(['replay', trace, '-o', profile]);
  expect(outputOf(['report', profile])).not.toContain('next:');
});

test('a line that would not fit names no trace', () => {
  const deep = join(folder, 'a-folder-whose-name-is-so-long-that-no-line-of-eighty-columns-has-room');
  mkdirSync(deep);
  const far = join(deep, 'run.dptrace');
  outputOf(['record', '-o', far, '--', costly]);
  expect(lastLine(outputOf(['report', far]))).toBe('next: dprof advise, of the same trace');
});
