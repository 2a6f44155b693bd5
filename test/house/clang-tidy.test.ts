// Stage: test of the house. clang-tidy finds nothing: in a few targets, all of which take minutes.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { atLength } from '../at-length.js';

const TARGETS = ['dprof_records', 'dprof_probe', 'dprof_nothing'];

test('clang-tidy finds nothing', () => {
  const words = ['scripts/lint-native.mjs', ...atLength(TARGETS, [])];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', maxBuffer: 1 << 26 });
  expect(stderr.split('\n').filter((line) => !line.startsWith('lint: '))).toEqual(['']);
  expect(status).toBe(0);
});
