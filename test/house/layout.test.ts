// Stage: test of the house. Every file of ours is formatted, and lint finds nothing.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { nativeSources } from '../../scripts/sources.mjs';

function run(command: string, ...words: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 1 << 26 });
  return { status, output: stdout + stderr };
}

test('TypeScript is formatted, and lint finds nothing', () => {
  const { status, output } = run(process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.');
  expect(status, output).toBe(0);
  expect(Number(/Checked (\d+) files/.exec(output)?.[1])).toBeGreaterThan(500);
});

test('C and C++ are formatted', () => {
  expect(run('clang-format-19', '--dry-run', '-Werror', ...nativeSources())).toEqual({ status: 0, output: '' });
});
