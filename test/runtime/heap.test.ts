// Allocations: every family is seen once, and the program's heap is where it would be without dprof.

import { afterAll, describe, expect, test } from 'vitest';
import { readPlain, stepLines } from './plain-reader.js';
import { runtimeLibrary, Workbench } from './workbench.js';

const bench = new Workbench();
afterAll(() => bench.clean());

describe('addresses', () => {
  test.each([
    ['glibc', []],
    ['tcmalloc', ['-ltcmalloc_minimal']],
  ])('%s: recorded equals dormant', (name, libraries) => {
    const program = bench.compile('heap.c', { output: `heap-${name}`, libraries });
    const dormant = bench.run(['setarch', '-R', program]);
    const recorded = bench.record(`${name}.dptrace`, [program]);
    expect(dormant.stdout.split('\n')).toHaveLength(321);
    expect(recorded.stdout).toBe(dormant.stdout);
    expect(readPlain(recorded.trace).process.randomised).toBe(false);
  });

  test('relative to the heap’s first block they equal the plain program’s', () => {
    const plain = bench.compile('heap.c', { output: 'heap-plain', plain: true, flags: ['-DPLAIN'] });
    const program = bench.compile('heap.c', { output: 'heap-instrumented' });
    const expected = bench.run([plain, 'relative']).stdout;
    expect(expected.split('\n')).toHaveLength(321);
    expect(bench.run([program, 'relative']).stdout).toBe(expected);
    expect(bench.record('relative.dptrace', [program, 'relative']).stdout).toBe(expected);
  });

  test('--aslr keeps randomisation, and the trace says so', () => {
    const program = bench.compile('heap.c', { output: 'heap-aslr' });
    const plain = readPlain(bench.record('aslr.dptrace', [program], ['--aslr']).trace);
    expect([plain.flags, plain.process.randomised]).toEqual([1, true]);
  });
});

test('the runtime brings no other library into the program than the C library', () => {
  const needed = bench
    .run(['readelf', '-dW', runtimeLibrary])
    .stdout.split('\n')
    .filter((line) => line.includes('(NEEDED)'));
  expect(needed.map((line) => /\[(.*)\]/.exec(line)![1]).filter((name) => !name.startsWith('ld-linux'))).toEqual([
    'libc.so.6',
  ]);
});

describe('events', () => {
  // malloc, calloc, realloc of nothing, realloc, reallocarray, aligned_alloc, posix_memalign, memalign, valloc, strdup,
  // new, new[], aligned new, nothrow new, mmap, mremap
  const expected = [
    'A1 101',
    'F1',
    'A2 102',
    'U1 102',
    'F1',
    'A realloc 103',
    'F3',
    'A3 100000',
    'F1',
    'A3 104',
    'F1',
    'A4 128',
    'F1',
    'A4 107',
    'F1',
    'A4 108',
    'F1',
    'A4 109',
    'F1',
    'A1 11',
    'F1',
    'A5 4',
    'F5',
    'A5 111',
    'F5',
    'A5 128',
    'F5',
    'A5 113',
    'F5',
    'A6 8192',
    'F6',
    'A6 16384',
    'F6',
  ];
  test.each([
    ['glibc', [], false],
    ['tcmalloc', ['-ltcmalloc_minimal'], true],
  ])('%s: one ALLOCATE and one FREE each, whatever calls what inside', (name, libraries, moves) => {
    const program = bench.compile('allocate.cc', {
      output: `allocate-${name}`,
      flags: [bench.compileObject('unit.c')],
      libraries,
    });
    const { status, trace } = bench.record(`allocate-${name}.dptrace`, [program]);
    expect(status).toBe(0);
    const lines = stepLines(readPlain(trace).threads.get(0)!).filter((line) => /^(ALLOCATE|FREE|UNSEEN)/.test(line));
    const short = lines.map((line) => {
      const [head, first, second] = line.split(' ');
      const detail = head.split(':')[1];
      return head.startsWith('A')
        ? `A${detail} ${parseInt(second, 16)}`
        : head.startsWith('F')
          ? `F${detail}`
          : `U${detail} ${parseInt(first, 16)}`;
    });
    // clang turns realloc(NULL, n) into malloc(n); tcmalloc's realloc moves the block, and copies the 112 bytes it had.
    const wanted = expected.map((line) => (line === 'A realloc 103' ? 'A1 103' : line));
    if (moves) wanted.splice(wanted.indexOf('A3 100000') + 1, 0, 'U2 112');
    expect(short).toEqual(wanted);
    const live = new Set<string>();
    for (const line of lines) {
      const [head, address] = line.split(' ');
      if (head.startsWith('A')) live.add(address);
      if (head.startsWith('F')) expect(live.delete(address)).toBe(true);
    }
    expect(live.size).toBe(0);
  });
});
