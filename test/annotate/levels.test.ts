// Stage: test. `dprof annotate` shows misses of the L1 and of the level that costs most; at any width the classes of a
// line add up to the misses of that level, or none is there.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { dprof, DPROF_CC, makeFolder } from '../cli/command-line.js';
import { runDprof } from '../cli/command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = makeFolder();
const profile = join(folder, 'pair.dprofile');

beforeAll(() => {
  const source = 'examples/false-sharing/false-sharing.c';
  execFileSync(DPROF_CC, ['-O2', '-g', '-pthread', source, '-o', join(folder, 'pair')], { cwd: ROOT });
  expect(dprof('record', '-o', join(folder, 'pair.dptrace'), '--', join(folder, 'pair')).status).toBe(0);
  expect(dprof('replay', join(folder, 'pair.dptrace'), '-o', profile).status).toBe(0);
});

function annotate(COLUMNS: string, ...words: string[]): string {
  const sources = words.includes('--type') ? [] : ['--source-path', ROOT];
  return runDprof(['annotate', profile, ...sources, ...words], { COLUMNS }).stdout;
}

test('source: the L1 and the level that costs most, and any other that is asked for', () => {
  const usual = annotate('130');
  expect(usual).toMatch(
    /^est. cycles +of all +L1 misses +L2 misses +compulsory +false sharing +references +line │ source$/m,
  );
  expect(usual).toMatch(/^ +2,000,000 +50.0% +10,000 +10,000 +1 +9,999 +100,000 +16 │ +counters.left\+\+;$/m);
  expect(usual).toContain('Classes: of L2 misses.');
  expect(annotate('130', '--level', 'l1')).toMatch(/^est. cycles +of all +L1 misses +compulsory +false sharing /m);
  expect(annotate('130', '--level', 'llc')).toMatch(/^est. cycles +of all +L1 misses +LLC misses +compulsory +ref/m);
});

test.each(['60', '70', '80', '90', '100'])('source in %s columns has all classes or none', (width) => {
  const [heading] = annotate(width).match(/^.*line │ source$/m)!;
  expect([heading.includes('compulsory'), heading.includes('false sharing')]).toEqual(
    width === '60' || width === '70' ? [false, false] : [true, true],
  );
});

test('a type: the same, with brief headings where there is little room', () => {
  expect(annotate('80', '--type', 'struct counters')).toMatch(
    /^definition +offset +size +L1 misses +L2 misses +compuls\. +false sh\.$/m,
  );
  const wide = annotate('130', '--type', 'struct counters');
  expect(wide).toMatch(/^ +long left; +0 +8 +2,000,200 +50.0% +10,001 +10,001 +2 +9,999 +100,001$/m);
  expect(wide).toContain("of type: of the type's 4,000,200 estimated cycles, >99.9% of the run's 4,000,400.");
});
