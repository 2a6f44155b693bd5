// A check from outside, on one program; `node dist/test/real/cachegrind.js` makes it on many. What remains between the
// two must be explained exactly: examples/conflict adds to words of memory, which is one instruction each, and one read
// for cachegrind.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compare, hasValgrind, missesOutside, readCachegrind, unexplained } from '../real/cachegrind-comparison.js';
import { DPROF_CC, ROOT } from '../plugin/recorded-program.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-cachegrind-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what functions of the program count for is told from what libraries do', () => {
  const text = [
    'desc: I1 cache: 1 B',
    'cmd: ./a',
    'events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw',
    'fl=/src/a.c',
    'fn=main',
    '3 10 0 0 5 2 0 4 1 0',
    '4 1 0 0 1 0 0 0 0 0',
    'fl=/srcs/b.c',
    'fn=other',
    '1 1 0 0 7 0 0 0 0 0',
    'fl=???',
    'fn=???',
    '0 9 0 0 20 3 0 30 1 0',
    'summary: 21 0 0 33 5 0 34 2 0',
  ].join('\n');
  expect(readCachegrind(text, '/src')).toEqual({
    everything: { references: 67, misses: 7 },
    own: { references: 10, misses: 3 },
  });
});

const isThere = hasValgrind();
describe(`cachegrind${isThere ? '' : ' (left out: valgrind is not installed)'}`, () => {
  test.runIf(isThere)('sees the same references and misses', () => {
    const [plain, instrumented] = ['clang-19', DPROF_CC].map((compiler, i) => {
      const program = join(folder, `conflict-${i}`);
      execFileSync(compiler, ['-O2', '-gdwarf-4', join(ROOT, 'examples/conflict/conflict.c'), '-o', program]);
      return program;
    });
    const row = compare('conflict', plain, instrumented, [], ROOT, folder);
    expect(row.dprof).toEqual({ references: 160_001, misses: 80_000 });
    expect(row.modifications).toBe(80_000);
    expect(unexplained(row)).toBe(0);
    expect(Math.abs(missesOutside(row))).toBeLessThan(0.001);
  });
});
