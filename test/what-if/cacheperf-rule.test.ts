// CachePerf's rule by hand: windows with so many misses on a set, lines that threads take from each other, and a
// program of which it is known what misses.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import type { Machine } from '../../src/contract/machine.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { namesOf } from '../../src/what-if/array-change.js';
import { CROWD, noCounts, WINDOW, type CacheperfCounts } from '../../src/what-if/cacheperf-columns.js';
import { cacheperfWalk } from '../../src/what-if/cacheperf-walk.js';
import { LineSharers } from '../../src/what-if/line-sharers.js';
import { MissWindows } from '../../src/what-if/miss-windows.js';
import { cacheperfNatively } from '../../src/what-if/native-cacheperf.js';
import { PrivateCache } from '../../src/what-if/private-cache.js';
import { survey } from '../../src/what-if/survey.js';
import { outputOf } from '../cli/command-client.js';
import { replayDrawing, SMALL } from '../drawn/replay-drawing.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

/** Of row 0, those that are not 0. */
function said(counts: CacheperfCounts, row = 0): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts)
      .map(([name, column]) => [name, column[row]] as const)
      .filter(([, count]) => count !== 0),
  );
}

/** In the place of the number of a heap object. */
const VARIABLE = NO_INDEX;

describe('windows of misses', () => {
  /** `lines`: of the misses of one instruction. */
  function windows(lines: readonly number[], blockOf = (_at: number): number => VARIABLE): object {
    const counts = noCounts(1);
    const all = new MissWindows({ sets: 64, window: WINDOW, crowd: CROWD }, counts);
    lines.forEach((line, at) => all.miss(0, 7, 0, line, blockOf(at)));
    return said(counts);
  }
  const misses = (count: number, lineOf: (at: number) => number): number[] =>
    Array.from({ length: count }, (_, at) => lineOf(at));

  test('64 misses on 8 sets, 8 on each: a conflict', () => {
    expect(windows(misses(64, (at) => at % 8))).toEqual({ windows: 1, conflicts: 1 });
  });

  test('64 misses on 64 sets, and on 10 sets, 7 at most on each: none', () => {
    expect(windows(misses(64, (at) => at))).toEqual({ windows: 1 });
    expect(windows(misses(64, (at) => at % 10))).toEqual({ windows: 1 });
  });

  test('eight lines that lie the bytes of a set apart are on one set, a line less is not enough', () => {
    const on = (crowd: number): number[] => misses(64, (at) => (at < crowd ? at * 64 : 1 + (at % 56)));
    expect(windows(on(8))).toEqual({ windows: 1, conflicts: 1 });
    expect(windows(on(7))).toEqual({ windows: 1 });
  });

  test('63 misses are no window, 128 are two', () => {
    expect(windows(misses(63, () => 0))).toEqual({});
    expect(windows(misses(128, (at) => (at < 64 ? 0 : at)))).toEqual({ windows: 2, conflicts: 1 });
  });

  test('an instruction and a thread have windows of their own', () => {
    const counts = noCounts(1);
    const all = new MissWindows({ sets: 64, window: 2, crowd: 2 }, counts);
    for (const [slot, thread] of [
      [1, 0],
      [2, 0],
      [1, 1],
      [1, 0],
    ])
      all.miss(0, slot, thread, 0, VARIABLE);
    expect(said(counts)).toEqual({ windows: 1, conflicts: 1 });
  });

  test('several heap objects on the set: between these', () => {
    const one = misses(64, () => 0);
    expect(windows(one, (at) => at % 2)).toEqual({ windows: 1, conflicts: 1, conflictsAcross: 1 });
    expect(windows(one, () => 3)).toEqual({ windows: 1, conflicts: 1 });
    expect(windows(one, (at) => (at % 2 === 0 ? VARIABLE : 3))).toEqual({ windows: 1, conflicts: 1 });
  });

  test('of sets with equally many, the lower one says whose it is', () => {
    const eight = misses(64, (at) => at % 8);
    const ofSet = (set: number) => (at: number) => (at % 8 === set ? at : 99);
    expect(windows(eight, ofSet(0))).toEqual({ windows: 1, conflicts: 1, conflictsAcross: 1 });
    expect(windows(eight, ofSet(1))).toEqual({ windows: 1, conflicts: 1 });
  });
});

test('the L1 of a thread is true LRU', () => {
  const cache = new PrivateCache(2, 2);
  const missed = [0, 2, 0, 4, 0, 2, 1, 3, 1].filter((line) => cache.misses(line));
  expect(missed).toEqual([0, 2, 4, 2, 1, 3]);
});

describe('threads that hold a line', () => {
  /** References "thread R|W words", the words in hexadecimal. */
  function sharing(
    text: string,
    blockOf = (_thread: number): number => VARIABLE,
    rowOf = (_thread: number): number => 1,
  ): object {
    const counts = noCounts(2);
    const sharers = new LineSharers(counts);
    for (const one of text.split(', ')) {
      const [number, kind, hexadecimal] = one.split(' ');
      const [thread, words] = [Number(number), Number.parseInt(hexadecimal, 16)];
      sharers.reference({ thread, words, row: rowOf(thread), block: blockOf(thread) }, 5, kind === 'W');
    }
    const [first, second] = [said(counts), said(counts, 1)];
    return Object.keys(second).length === 0 ? first : { first, second };
  }

  test.each([
    ['one thread alone', '0 W 1, 0 R 1, 0 W 2', {}],
    ['readers alone', '0 R 1, 1 R 1, 2 R 1', {}],
    ['two threads store to words of their own in turn', '0 W 1, 1 W 2, 0 W 1, 1 W 2', { falseSharing: 3 }],
    ['and to one word', '0 W 1, 1 W 1, 0 W 1, 1 W 1', { trueSharing: 3 }],
    ['a store after the other has read the word', '0 W 1, 1 R 1, 0 W 1', { trueSharing: 1 }],
    ['a store after the other has read another word', '0 W 1, 1 R 2, 0 W 1', { falseSharing: 1 }],
    ['words add up while a thread has the line', '1 R 1, 1 R 2, 0 W 1', { trueSharing: 1 }],
    ['and are forgotten when another takes it', '1 W 1, 0 W 2, 1 W 4, 0 W 1', { falseSharing: 3 }],
    ['a thread that stores to a line that it has alone takes nothing', '0 R 1, 0 W 1, 1 R 2', {}],
    ['two others: one invalidation', '0 R 1, 1 R 2, 2 W 4', { falseSharing: 1 }],
    ['a third thread has no place', '0 R 1, 1 R 2, 2 R 4, 0 W 4', { falseSharing: 1 }],
  ])('%s', (_, text, counts) => {
    expect(sharing(text)).toEqual(counts);
  });

  test('two heap objects in the line', () => {
    const text = '0 W 1, 1 W 2, 0 W 1';
    expect(sharing(text, (thread) => thread)).toEqual({ falseSharing: 2, sharingAcross: 2 });
    expect(sharing(text, () => 0)).toEqual({ falseSharing: 2 });
    expect(sharing(text, (thread) => (thread === 0 ? VARIABLE : 3))).toEqual({ falseSharing: 2 });
  });

  test('of two rows: one each; of none: not counted', () => {
    const text = '0 W 1, 1 W 2, 0 W 1';
    const [all, one] = [(thread: number) => 1 + thread, (thread: number) => thread];
    expect(sharing(text, undefined, all)).toEqual({ first: { falseSharing: 2 }, second: { falseSharing: 2 } });
    expect(sharing(text, undefined, one)).toEqual({ falseSharing: 2 });
    expect(sharing(text, undefined, () => 0)).toEqual({});
  });
});

const MACHINE: Machine = {
  ...SMALL,
  cores: 1,
  coresPerLlc: 1,
  l1: { sizeBytes: 32768, ways: 8, latencyCycles: 4 },
};

/** The rule's counts of the variables, or of what is allocated at a line, as both engines have them. */
async function countsOf(input: ReplayInput, names: readonly string[], small: object = {}): Promise<object[]> {
  const { objects } = survey(input);
  const { slots, variables } = input.catalog;
  const rowOfSlot = new Uint32Array(slots.kind.length);
  const rowOfVariable = new Uint32Array(variables.name.length);
  for (let object = 0; object < objects.count; object++) {
    const row = 1 + names.findIndex((name) => namesOf(input.catalog, objects, object).includes(name));
    const slot = objects.allocationSlot[object];
    if (slot === NO_INDEX) rowOfVariable[objects.variable[object]] = row;
    else rowOfSlot[slot] = row;
  }
  const { lineBytes, l1 } = input.machine;
  const sets = l1.sizeBytes / l1.ways / lineBytes;
  const ofL1 = { lineBytes, sets, ways: l1.ways };
  const request = { rowOfSlot, rowOfVariable, rows: names.length, ...ofL1, window: WINDOW, crowd: CROWD, ...small };
  const counts = cacheperfWalk(input, request);
  expect(await cacheperfNatively(input, request)).toEqual(counts);
  return names.map((_, row) => said(counts, row));
}

test('a drawn run: two threads at two counters in a line, one that has misses alone', async () => {
  const { input } = replayDrawing(
    `
     core 0                          core 1
     lock m; W left.own; unlock m    start 0
                                     lock m; W right.own; unlock m
     lock m; W left.own; unlock m
                                     lock m; A left.own; unlock m
     R far.own
     R far.own`,
    {
      types: { counter: { size: 8, fields: { own: [0, 8] } } },
      globals: { left: ['counter', 0x1000], right: ['counter', 0x1008], far: ['counter', 0x2000] },
    },
  );
  expect(await countsOf(input, ['left', 'right', 'far'], { window: 1, crowd: 1 })).toEqual([
    { misses: 1, windows: 1, conflicts: 1, trueSharing: 1, falseSharing: 2 },
    { misses: 1, windows: 1, conflicts: 1, falseSharing: 2 },
    { misses: 1, windows: 1, conflicts: 1 },
  ]);
});

test('a program: sixteen lines on a set conflict, wherever they are; what fits or streams does not', async () => {
  const root = resolve(import.meta.dirname, '../..');
  const program = join(makeTemporaryFolder('cacheperf'), 'sets');
  const source = join(root, 'test/what-if/programs/sets.c');
  execFileSync(join(root, 'bin/dprof-cc'), ['-O1', '-fno-unroll-loops', '-g', source, '-o', program]);
  outputOf(['record', '-o', `${program}.dptrace`, '--', program]);
  const input = replayInput(openTrace(`${program}.dptrace`), MACHINE, { kind: 'logical' });
  expect(await countsOf(input, ['crowded', 'sets.c:17', 'fitting', 'streamed'])).toEqual([
    { misses: 1600, windows: 25, conflicts: 25 },
    { misses: 1600, windows: 25, conflicts: 25, conflictsAcross: 25 },
    { misses: 8 },
    { misses: 2048, windows: 32 },
  ]);
});
