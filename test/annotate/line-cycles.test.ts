// Stage: test. Cycles of bytes of machine code -> of lines, in files as the profile spells them.

import { expect, test } from 'vitest';
import { sumLineCycles } from '../../src/views/line-cycles.js';

const files = [
  { spelling: 'a/list.c', name: 'list.c', path: '/src/a/list.c' },
  { spelling: 'b/list.c', name: 'list.c', path: '/src/b/list.c' },
];

test('bytes of a line add up, in the file that the profile calls so', () => {
  const { byFile, nowhere } = sumLineCycles({ files }, [
    { file: '/src/b/list.c', line: 7, cycles: 1.5 },
    { file: '/src/a/list.c', line: 7, cycles: 4 },
    { file: '/src/b/list.c', line: 7, cycles: 2 },
    { file: '/src/b/list.c', line: 8, cycles: 1 },
  ]);
  expect(Object.fromEntries([...byFile].map(([file, lines]) => [file, Object.fromEntries(lines)]))).toEqual({
    'a/list.c': { 7: 4 },
    'b/list.c': { 7: 3.5, 8: 1 },
  });
  expect(nowhere).toBe(0);
});

test('a file without references keeps its path; what is on no line is nowhere', () => {
  const { byFile, nowhere } = sumLineCycles({ files }, [
    { file: '/src/only-computes.c', line: 3, cycles: 9 },
    { file: '/src/a/list.c', line: 0, cycles: 2 },
    { file: '', line: 5, cycles: 1 },
  ]);
  expect([...byFile.keys()]).toEqual(['/src/only-computes.c']);
  expect(nowhere).toBe(3);
});
