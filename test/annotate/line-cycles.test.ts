// Stage: test. Cycles of bytes of machine code -> of lines, in files as the profile spells them.

import { expect, test } from 'vitest';
import { fileColumns, lineColumns, orderOfFiles, type AnnotatedSource } from '../../src/views/annotated-source.js';
import { cyclesOf, sumLineCycles, type LineCycles } from '../../src/views/line-cycles.js';

const files = [
  { spelling: 'a/list.c', name: 'list.c', path: '/src/a/list.c' },
  { spelling: 'b/list.c', name: 'list.c', path: '/src/b/list.c' },
];

const linesOf = ({ byFile }: LineCycles): Record<string, Record<number, number>> =>
  Object.fromEntries([...byFile].map(([file, lines]) => [file, Object.fromEntries(lines)]));

test('bytes of a line add up, in the file that the profile calls so', () => {
  const code = sumLineCycles({ files }, [
    { function: 'push', file: '/src/b/list.c', line: 7, cycles: 1.5 },
    { function: 'walk', file: '/src/a/list.c', line: 7, cycles: 4 },
    { function: 'walk', file: '/src/b/list.c', line: 7, cycles: 2 },
    { function: 'walk', file: '/src/b/list.c', line: 8, cycles: 1 },
  ]);
  expect(linesOf(code)).toEqual({ 'a/list.c': { 7: 4 }, 'b/list.c': { 7: 3.5, 8: 1 } });
  expect(code.nowhere).toBe(0);
  // Of a function alone.
  expect(linesOf(cyclesOf(code, 'push'))).toEqual({ 'b/list.c': { 7: 1.5 } });
  expect(linesOf(cyclesOf(code, 'walk'))).toEqual({ 'a/list.c': { 7: 4 }, 'b/list.c': { 7: 2, 8: 1 } });
  expect(cyclesOf(code, 'none')).toEqual({ byFile: new Map(), nowhere: 0 });
});

test('a file without references keeps its path; what is on no line is nowhere', () => {
  const { byFile, nowhere } = sumLineCycles({ files }, [
    { function: 'walk', file: '/src/only-computes.c', line: 3, cycles: 9 },
    { function: 'walk', file: '/src/a/list.c', line: 0, cycles: 2 },
    { function: 'walk', file: '', line: 5, cycles: 1 },
  ]);
  expect([...byFile.keys()]).toEqual(['/src/only-computes.c']);
  expect(nowhere).toBe(3);
});

test('columns of time stand before those of misses, and only where the code was priced', () => {
  const runTime = { computeCycles: 300, waitCycles: 100 };
  const totals = { missLatencyCycles: 50 };
  const view = { level: 'llc', totals, runTime } as AnnotatedSource;
  const headings = (columns: readonly { readonly heading: string }[]): string[] =>
    columns.map(({ heading }) => heading);
  expect(headings(fileColumns(view)).slice(0, 4)).toEqual(['file', 'of time', 'compute', 'wait']);
  expect(headings(lineColumns(view)).slice(0, 4)).toEqual(['line', 'of time', 'compute', 'wait']);
  const { runTime: _, ...without } = view;
  expect(headings(fileColumns(without))).not.toContain('of time');
  expect(headings(lineColumns(without))).not.toContain('of time');
  expect([orderOfFiles(view), orderOfFiles(without)]).toEqual([fileColumns(view)[1].id, 'missLatencyCycles']);
  const cells = (row: Partial<AnnotatedSource['rows'][number]>): unknown[] =>
    lineColumns(view)
      .slice(1, 4)
      .map((column) => column.value({ file: 'a.c', line: 7, functions: [], text: null, ...row }));
  expect(cells({ computeCycles: 90, waitCycles: 10 })).toEqual([{ part: 100, whole: 400 }, 90, 10]);
  expect(cells({})).toEqual(['', '', '']); // a line near others
});
