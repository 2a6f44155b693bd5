// Windows of a replay as drawings: what counts, and what came before. docs/replay/windows.md. The machine is SMALL:
// L1 two sets of two lines; lines 0x4000, 0x4080, 0x4100 lie in L1 set 0.

import { describe, expect, it } from 'vitest';
import { OBJECT_COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import type { Border, ReplayWindow } from '../../src/contract/window.js';
import { replayDrawing, type DrawnOptions } from '../drawn/replay-drawing.js';

const types = { 'struct pair': { size: 64, fields: { left: [0, 8], right: [8, 8] } } } as const;
const memory: DrawnOptions = {
  types,
  globals: { pair: ['struct pair', 0x4000], far: ['struct pair', 0x4080], other: ['struct pair', 0x4100] },
};

const at = (references: number): Border => ({ kind: 'reference', references });
const mark = (name: string, occurrence = 1): Border => ({ kind: 'mark', name, occurrence });

function replay(drawing: string, window: ReplayWindow, options: DrawnOptions = memory): ReplayResult {
  return replayDrawing(drawing, { ...options, window }).result;
}

describe('borders', () => {
  const drawing = (...met: string[]): string =>
    ['core 0', 'R pair.left', 'R pair.right', 'mark m', 'R far.left', 'mark m', 'R far.right']
      .map((cell, row) => (row === 0 ? cell : `${cell}   => ${met[row - 1]}`))
      .join('\n');

  it('a number of references lies behind the step that makes the last of them', () => {
    expect(replay(drawing('', 'l1', '', 'memory compulsory', '', ''), { from: at(1), to: at(3) }).window).toEqual({
      warmUp: null,
      from: { references: 1, time: 1 },
      to: { references: 3, time: 4 },
    });
  });

  it('a mark lies behind itself; the second of a name is asked for by its number', () => {
    expect(
      replay(drawing('', '', '', 'memory compulsory', '', ''), { from: mark('m'), to: mark('m', 2) }).window,
    ).toEqual({ warmUp: null, from: { references: 2, time: 2 }, to: { references: 3, time: 4 } });
  });

  it('a stamp lies behind the first step that carries it or a later one', () => {
    // Row 2 is the mark, with 1200.
    expect(
      replay(drawing('', '', '', 'memory compulsory', '', 'l1'), { from: { kind: 'stamp', stamp: 1101n } }).window
        ?.from,
    ).toEqual({ references: 2, time: 2 });
    expect(
      replay(drawing('', '', '', 'memory compulsory', '', 'l1'), { from: { kind: 'stamp', stamp: 1200n } }).window
        ?.from,
    ).toEqual({ references: 2, time: 2 });
    expect(replay(drawing('', '', '', '', '', 'l1'), { from: { kind: 'stamp', stamp: 1201n } }).window?.from).toEqual({
      references: 3,
      time: 4,
    });
  });

  it('an access over two lines is one step, and is not parted', () => {
    const split = 'core 0\nR pair.left   =>\nR @403c:8   =>\nR pair.right   => l1';
    expect(replay(split, { from: at(2) }).window?.from).toEqual({ references: 3, time: 2 });
  });

  it('a window that ends before it begins, and one that is never reached, count nothing', () => {
    const nothing = drawing('', '', '', '', '', '');
    expect(replay(nothing, { from: at(3), to: at(2) }).window).toEqual({
      warmUp: null,
      from: null,
      to: { references: 2, time: 2 },
    });
    expect(replay(nothing, { from: at(5) }).window).toEqual({ warmUp: null, from: null, to: null });
    expect(replay(nothing, { from: mark('n') }).totals.references).toBe(0);
  });
});

describe('caches and histories', () => {
  it('without a warm-up that is named, what came before is in the caches and in the classes', () => {
    expect(
      replay(
        'core 0\nR pair.left =>\nR far.left =>\nR pair.right => l1\nR other.left => memory compulsory' +
          '\nR far.right => l2 conflict',
        { from: at(2) },
      ).totals.misses,
    ).toEqual([2, 1, 1]);
  });

  it('a warm-up of so many references begins with empty caches: what it did not see is compulsory', () => {
    const { totals, window } = replay(
      'core 0\nR pair.left =>\nR far.left =>\nR pair.right => memory compulsory\nR far.right => l1',
      { warmUp: at(1), from: at(2) },
    );
    expect(window).toEqual({ warmUp: { references: 1, time: 1 }, from: { references: 2, time: 2 }, to: null });
    expect(totals).toMatchObject({ references: 2, instructions: 2 });
  });

  it('a store before the window makes a miss in it false sharing, and is named', () => {
    const { sharing } = replay(
      'core 0          core 1\nR pair.left =>\n                W pair.right =>\nR pair.left => cache false-sharing',
      { from: at(2) },
    );
    expect([...sharing.misses, sharing.writeObject[0]]).toEqual([1, 0]);
  });
});

describe('objects', () => {
  const heap: DrawnOptions = {
    types,
    heap: {
      old: { address: 0x9000, size: 64, type: 'struct pair' },
      gone: { address: 0x9080, size: 64, type: 'struct pair' },
      young: { address: 0x9100, size: 64, type: 'struct pair' },
    },
  };
  const drawing = `
    core 0
    alloc old; alloc gone; W old.left
    free gone; W old.left
    mark m; W old.left
    alloc young; W young.left
    free old; R young.left
  `;

  it('those that ended before it had no life in it; the time of the others is what lies in it', () => {
    const { objects, totals } = replay(drawing, { from: mark('m') }, heap);
    // The mark stands at replay time 2, the end at 5.
    expect([...objects.lives]).toEqual([1, 0, 1]);
    expect([...objects.lifetime]).toEqual([2, 0, 2]);
    expect([...objects.references]).toEqual([1, 0, 2]);
    expect([...objects.flags]).toEqual([8, 0, 0]);
    expect([...objects.bornAt]).toEqual([0, 0, 3]);
    expect(totals.instructions).toBe(3);
  });

  it('what was skipped before the warm-up still lives, and has its type', () => {
    const replayed = replayDrawing(
      'core 0\nalloc old; W old.left =>\nW old.right =>\nR old.left => memory compulsory',
      { ...heap, window: { warmUp: at(2), from: at(2) } },
    );
    expect([replayed.result.tallies.rule[0], replayed.catalog.types.name[replayed.result.tallies.type[0]]]).toEqual([
      0,
      'struct pair',
    ]);
  });

  it('of what an object met, what lies in the window counts, and a load before it is remembered', () => {
    // Stores that missed before the window count nowhere; those in it come after the last use.
    const { objectCounters } = replay(
      'core 0\nalloc old; R old.left =>\nR @9080:8; R @9100:8 =>\nW old.left => l2 conflict',
      { from: at(3) },
      heap,
    );
    const counts = Object.fromEntries(
      Array.from(objectCounters.value, (value, row) => [OBJECT_COUNTERS[objectCounters.counter[row]], value]),
    );
    expect(counts).toMatchObject({ 'l1.conflict': 1, missesAfterLastUse: 1 });
    expect(counts).not.toHaveProperty('l1.compulsory');
  });
});

it('votes are of all that was replayed, before the window too', () => {
  const options: DrawnOptions = {
    types,
    heap: { block: { address: 0x9000, size: 64 } },
    views: { view: ['struct pair', 0x9000] },
  };
  const { result, catalog } = replayDrawing('core 0\nalloc block; W view.left =>\nR @9000:4 => l1', {
    ...options,
    window: { from: at(1) },
  });
  expect([result.tallies.rule[0], catalog.types.name[result.tallies.type[0]]]).toEqual([2, 'struct pair']);
});
