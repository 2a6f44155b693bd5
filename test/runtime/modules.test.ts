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
  const loaded = plain.modules[1].globals[0].address.toString(16);
  const steps = stepLines(plain.threads.get(0)!).filter((line) => line.startsWith('#'));
  expect(steps).toEqual([`#0 ${own}`, `#5 ${loaded}`, `#0 ${own}`, `#5 ${loaded}`, `#0 ${own}`]);
});
