// Lines of objects in caches and in sets as drawings. docs/data-flow.md, "Residency" and "Sets". SMALL: L1 two sets of
// two lines, L2 four of two, LLC eight of four. Lines 0x4000, 0x4080, 0x4100 lie in L1 set 0; of them 0x4000 and 0x4100
// in L2 set 0. Row r is replay time r.

import { describe, expect, it } from 'vitest';
import { replayDrawing, type DrawnOptions } from '../drawn/replay-drawing.js';
import { FlowText } from './flow-text.js';

const types = { 'struct pair': { size: 16, fields: { left: [0, 8], right: [8, 8] } } } as const;
const block = (address: number): { address: number; size: number; type: string } => ({
  address,
  size: 16,
  type: 'struct pair',
});
const heap = { p: block(0x4000), q: block(0x4080), r: block(0x4100), s: block(0x4008 + 0x1000) };

function flow(drawing: string, options: DrawnOptions = {}): FlowText {
  return new FlowText(replayDrawing(drawing, { types, heap, flow: {}, ...options }));
}

const l1 = (text: FlowText): string[] => text.residency().filter((row) => row.startsWith('l1'));

describe('residency', () => {
  it('a line counts from its fill to the end of the run, in each level', () => {
    expect(flow('core 0\nwork 3\nalloc p\nwork\nR p.left\nwork 4').residency()).toEqual([
      'l1 heap struct pair 5+0',
      'l2 heap struct pair 5+0',
      'llc heap struct pair 5+0',
    ]);
  });

  it('or until it leaves the level', () => {
    // The third line of the set pushes the first out of the L1 at 5.
    expect(flow('core 0\nalloc p\nalloc q\nR p.left\nR q.left\nwork\nR @4100\nwork 4').residency()).toEqual([
      'l1 heap struct pair 10+0',
      'l1 none 5+0',
      'l2 heap struct pair 15+0',
      'l2 none 5+0',
      'llc heap struct pair 15+0',
      'llc none 5+0',
    ]);
  });

  it('or until the object is freed: from then on it is a line of a freed object', () => {
    expect(l1(flow('core 0\nalloc p\nR p.left\nwork 4\nfree p\nwork 7'))).toEqual(['l1 heap struct pair 5+8']);
  });

  it('a line belongs to the object that it was filled for, whoever refers to it later', () => {
    const two = { p: block(0x4000), q: { address: 0x4010, size: 24 } };
    expect(l1(flow('core 0\nalloc p\nalloc q\nR p.left\nR q\nwork 4', { heap: two }))).toEqual([
      'l1 heap struct pair 6+0',
    ]);
  });

  it('a store of another core takes the line out of every level of the cores that had it', () => {
    const drawing =
      'core 0                core 1\nalloc p\nR p.left\n                      W p.left\n                      work 4';
    // Core 0 has the line from 2 to 4 (its segment has three instructions), core 1 from then to the end at 7.
    expect(flow(drawing).residency()).toEqual([
      'l1 heap struct pair 5+0',
      'l2 heap struct pair 5+0',
      'llc heap struct pair 5+0',
    ]);
    expect(flow(drawing, { machine: { coresPerLlc: 1 } }).residency()).toEqual([
      'l1 heap struct pair 5+0',
      'l2 heap struct pair 5+0',
      'llc heap struct pair 5+0',
    ]);
  });

  it('a line that moves up out of an exclusive level keeps its owner', () => {
    const exclusive: DrawnOptions = {
      machine: { l2: { sizeBytes: 512, ways: 2, latencyCycles: 14, inclusion: 'exclusive' } },
    };
    // p's line is pushed into the L2 at 4, is that of a freed object from 5 on, and moves up at 6 for a reference of
    // nobody's; q's goes down for it.
    expect(
      flow('core 0\nalloc p\nalloc q\nR p.left\nR q.left\nR @4100\nfree p\nR @4000\nwork 3', exclusive).residency(),
    ).toEqual([
      'l1 heap struct pair 5+4',
      'l1 none 6+0',
      'l2 heap struct pair 5+1',
      'llc heap struct pair 10+5',
      'llc none 6+0',
    ]);
  });

  it('a stack variable that lives again does not take over the lines of before', () => {
    const functions = { f: { local: ['struct pair', 0x7000] } } as const;
    expect(
      l1(flow('core 0\nenter f\nR local.left\nleave f\nwork 3\nenter f\nR local.left\nwork 2\nleave f', { functions })),
    ).toEqual(['l1 stack local 1+8']);
  });

  it('a window begins with what is in the caches', () => {
    const drawing = 'core 0\nalloc p\nalloc q\nR p.left =>\nfree p\nR q.left =>\nwork 6';
    expect(l1(flow(drawing, { window: { from: { kind: 'reference', references: 2 } } }))).toEqual([
      'l1 heap struct pair 6+6',
    ]);
  });
});

describe('sets', () => {
  it(
    'lines and objects of a reading in each set that they can lie in, once for however many references; lines ' +
      'per set over all',
    () => {
      const text = flow(
        'core 0\nalloc p\nalloc q\nalloc s\nR p.left\nR p.right\nR q.left\nR s.left\nR @4108\nR p.left',
      );
      expect(text.objectBins()).toEqual([
        'l1 struct pair bin 0: 3 lines of 3',
        'l2 struct pair bin 0: 2 lines of 2',
        'l2 struct pair bin 2: 1 lines of 1',
        'llc struct pair bin 0: 2 lines of 2',
        'llc struct pair bin 2: 1 lines of 1',
      ]);
      expect(text.linesPerSet()).toEqual([
        [3, 0],
        [2, 0, 1, 0],
        [2, 0, 1, 0, 0, 0, 0, 0],
      ]);
    },
  );

  it('a line of two objects is one line of two', () => {
    const two = { p: block(0x4000), q: block(0x4010) };
    expect(flow('core 0\nalloc p\nalloc q\nR p.left\nR q.left', { heap: two }).objectBins()[0]).toBe(
      'l1 struct pair bin 0: 1 lines of 2',
    );
  });

  it('variables of one type are one row: their common line is one', () => {
    const globals = { one: ['struct pair', 0x4000], two: ['struct pair', 0x4010] } as const;
    expect(flow('core 0\nalloc q\nR one.left\nR two.left\nR q.left', { globals }).objectBins()[0]).toBe(
      'l1 struct pair bin 0: 2 lines of 3',
    );
  });

  it('a piece of a split access counts in the line that it lies in', () => {
    expect(
      flow('core 0\nalloc p\nR p+56:16', { heap: { p: { address: 0x4000, size: 128 } } }).linesPerSet()[0],
    ).toEqual([1, 1]);
  });

  it('misses of a bin are fills of its sets', () => {
    const text = flow('core 0\nR @4000\nR @4080\nR @4100\nR @4000\nR @4040');
    expect(text.missBins()).toEqual([
      'l1 bin 0: 4',
      'l1 bin 1: 1',
      'l2 bin 0: 2',
      'l2 bin 1: 1',
      'l2 bin 2: 1',
      'llc bin 0: 1',
      'llc bin 1: 1',
      'llc bin 2: 1',
      'llc bin 4: 1',
    ]);
  });

  it('in a window what was referenced in it', () => {
    const drawing = 'core 0\nalloc p\nalloc q\nR p.left =>\nR q.left => memory compulsory\nR @4040 =>';
    expect(
      flow(drawing.replace('R @4040 =>', 'R @4040'), {
        window: { from: { kind: 'reference', references: 1 } },
      }).linesPerSet()[0],
    ).toEqual([1, 0]);
  });
});
