// What happens to a lone core's caches once in 2^28 references or more: a program makes them that old, and compares
// them with young ones.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';

const root = resolve(import.meta.dirname, '../..');
const SOURCES = ['test/engine/programs/long-runs.cc', 'engine/caches/lone_core.cpp', 'engine/caches/cache_level.cpp'];

test('stamps that become ranks, and positions that move down, change no outcome', () => {
  const program = join(makeTemporaryFolder('long-runs'), 'long-runs');
  const options = ['-std=c++20', '-O1', '-Wall', '-Wextra', '-fno-access-control'];
  const includes = ['engine', 'runtime/include'].flatMap((folder) => ['-I', resolve(root, folder)]);
  execFileSync('clang++-19', [
    ...options,
    ...includes,
    ...SOURCES.map((source) => resolve(root, source)),
    '-o',
    program,
  ]);
  expect(execFileSync(program, { encoding: 'utf8' })).toBe('as young\n');
});
