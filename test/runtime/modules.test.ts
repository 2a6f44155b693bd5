// Libraries that come and go: their records are numbered after the program's, and a library opened again is the same
// module.

import { afterAll, expect, test } from 'vitest';
import { readPlain, stepLines } from './plain-reader.js';
import { Workbench } from './workbench.js';

const bench = new Workbench();
afterAll(() => bench.clean());

test('a library opened twice is one module, known before its first record', () => {
  const library = bench.compile('unit.c', {
    output: 'libunit.so',
    flags: ['-shared', '-fPIC', '-Wno-unused-function'],
  });
  const { status, trace } = bench.record('plugin.dptrace', [bench.compile('plugin-user.c'), library]);
  expect(status).toBe(0);
  const plain = readPlain(trace);
  expect(plain.modules.map((module) => module.path)).toEqual([bench.path('plugin-user'), library]);
  expect(plain.chunks.map((chunk) => chunk.kind)).toEqual([1, 2, 2, 3, 4]);
  const own = plain.modules[0].globals[0].address.toString(16);
  // Its globals live from each load to each unload.
  expect(plain.modules[1].globals).toEqual([]);
  const steps = stepLines(plain.threads.get(0)!).filter((line) => /^(#|THREAD_LOCAL:0 1 |FREE:9)/.test(line));
  const loaded = steps[1]!.split(' ').at(-1)!;
  const life = [`THREAD_LOCAL:0 1 1 ${loaded}`, `#5 ${loaded}`, steps[3]!];
  expect(steps).toEqual([`#0 ${own}`, ...life, `#0 ${own}`, ...life, `#0 ${own}`]);
  const [, begin, bytes] = steps[3]!.split(' ').map((word) => parseInt(word, 16));
  expect(steps[3]).toMatch(/^FREE:9 /);
  expect(parseInt(loaded, 16)).toBeGreaterThan(begin!);
  expect(parseInt(loaded, 16)).toBeLessThan(begin! + bytes!);
});
