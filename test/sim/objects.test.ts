// Objects over time, the types of references, sharing pairs and flags, as drawings.

import { describe, expect, it } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { CLASSES } from '../../src/contract/machine.js';
import { PATH_LEAF, POOL_FLAG, RELATIONS, RULES } from '../../src/contract/result.js';
import { STACKS_AT } from '../drawn/drawn-trace.js';
import { replayDrawing, type DrawnReplay } from '../drawn/replay-drawing.js';

const types = {
  'struct pair': { size: 16, fields: { left: [0, 8], right: [8, 8] } },
  'struct wide': { size: 64, fields: { low: [0, 8], high: [32, 8] } },
  'union choice': { size: 8, fields: { i: [0, 4], l: [0, 8] }, kind: 'union' },
  'char[]': { size: 64, fields: {}, element: 1 },
  'double[]': { size: 64, fields: {}, element: 8 },
} as const;

/** Rows of the tallies as "rule type leaf: references". */
function typing({ result: { tallies }, catalog }: DrawnReplay): string[] {
  const rows: string[] = [];
  for (let index = 0; index < tallies.count; index++) {
    const rule = RULES[tallies.rule[index]];
    const slot = tallies.slot[index];
    const row = catalog.slots.line[slot];
    const type = tallies.type[index];
    const name =
      rule === 'site' || rule === 'pool'
        ? `${tallies.siteBytes[index]}`
        : rule === 'descriptor' || rule === 'scalar'
          ? catalog.types.name[catalog.slots.type[slot]]
          : catalog.types.name[type];
    const leaf = tallies.leaf[index];
    const isRecord = rule === 'object' && catalog.leaves.base[type] !== NO_INDEX;
    const field =
      leaf === NO_INDEX || leaf >= PATH_LEAF
        ? catalog.slots.path[slot] || '-'
        : isRecord
          ? catalog.leaves.path[type][leaf]
          : catalog.variables.name[leaf];
    rows.push(`row ${row}: ${rule} ${name} ${field}`.replace('  ', ' '));
  }
  return rows.sort();
}

describe('the type of a reference', () => {
  it(
    '1: what the object is declared as; the field by the descriptor if it says so, else by the offset modulo the ' +
      'size',
    () => {
      const replay = replayDrawing(
        `
      core 0
      W g.left
      W g+8:8
      alloc p
      R p+40:8
      R p+16:8
      W other.high
      `,
        {
          types,
          globals: { g: ['struct pair', 0x4000] },
          heap: { p: { address: 0x10000, size: 64, type: 'struct pair' } },
          views: { other: ['struct wide', 0x4000 - 32] },
        },
      );
      expect(typing(replay)).toEqual([
        'row 0: object struct pair left',
        'row 1: object struct pair right',
        'row 3: object struct pair right',
        'row 4: object struct pair left',
        'row 5: object struct pair left',
      ]);
    },
  );

  it('2: the struct of the descriptor where the object has no type', () => {
    const replay = replayDrawing('core 0\nalloc p\nR view.high', {
      types,
      heap: { p: { address: 0x10000, size: 64 } },
      views: { view: ['struct wide', 0x10000] },
    });
    expect(typing(replay)).toEqual(['row 1: descriptor struct wide high']);
  });

  it('3: the struct that most references to the object name, over its whole life; ties go to the smaller name', () => {
    const heap = { p: { address: 0x10000, size: 64 } };
    const views = { pair: ['struct pair', 0x10000], wide: ['struct wide', 0x10000] } as const;
    const tied = replayDrawing('core 0\nalloc p\nR @10000\nR wide.low\nR pair.left\nfree p', { types, heap, views });
    expect(typing(tied)).toEqual([
      'row 1: vote struct pair -',
      'row 2: descriptor struct wide low',
      'row 3: descriptor struct pair left',
    ]);
    const won = replayDrawing('core 0\nalloc p\nR @10000\nR wide.low\nR wide.low\nR pair.left\nfree p', {
      types,
      heap,
      views,
    });
    expect(typing(won)[0]).toBe('row 1: vote struct wide -');
    expect(won.catalog.types.name[won.result.objects.type[0]]).toBe('struct wide');
  });

  it('a vote ends with the life: the next object at the address votes for itself', () => {
    const replay = replayDrawing('core 0\nalloc p\nR @10000\nR wide.low\nfree p\nalloc p\nR @10000', {
      types,
      heap: { p: { address: 0x10000, size: 64 } },
      views: { wide: ['struct wide', 0x10000] },
    });
    expect(typing(replay)).toEqual([
      'row 1: vote struct wide -',
      'row 2: descriptor struct wide low',
      'row 5: site 64 -',
    ]);
  });

  it('4: an untyped heap object that nobody names is its size and site', () => {
    const replay = replayDrawing('core 0\nalloc p\nR @10004:4', { types, heap: { p: { address: 0x10000, size: 40 } } });
    expect(typing(replay)).toEqual(['row 1: site 40 -']);
    expect(replay.result.tallies.type[0]).toBe(replay.result.objects.allocationSlot[0]);
  });

  it('5 and 7: a variable by its name where no object is known, untyped where nothing is', () => {
    const replay = replayDrawing('core 0\nR raw:8\nR @9000', { types, globals: { raw: ['', 0x4000, 8] } });
    expect(typing(replay)).toEqual(['row 0: variable -', 'row 1: untyped -']);
  });

  it('bytes outside every object are typed by their descriptor alone', () => {
    const replay = replayDrawing('core 0\nR view.high', { types, views: { view: ['struct wide', 0x9000] } });
    expect(typing(replay)).toEqual(['row 0: descriptor struct wide high']);
    expect(replay.result.totals.outsideLife).toBe(0);
  });
});

describe('memory and pools', () => {
  const views = { pair: ['struct pair', 0x10100], wide: ['struct wide', 0x10200] } as const;
  const blockOf = (type: string, size: number) => ({ p: { address: 0x10000, size, type } });

  it('a struct that the access names outranks an array of scalars; what names none keeps the declared type', () => {
    for (const type of ['char[]', 'double[]'] as const) {
      const replay = replayDrawing('core 0\nalloc p\nR pair.right\nR @10100\nR g+8:8\nR in_g.left', {
        types,
        globals: { g: [type, 0x4000] },
        heap: blockOf(type, 4096),
        views: { ...views, in_g: ['struct pair', 0x4010] },
      });
      expect(typing(replay)).toEqual([
        'row 1: descriptor struct pair right',
        `row 2: object ${type} -`,
        `row 3: object ${type} g`,
        'row 4: descriptor struct pair left',
      ]);
      expect(replay.catalog.types.name[replay.result.objects.type[1]]).toBe(type);
    }
  });

  it('an object over a page in which accesses name two structs is a pool, and gets no vote', () => {
    for (const type of ['', 'char[]']) {
      const replay = replayDrawing('core 0\nalloc p\nR @10100\nR pair.right\nR pair.left\nR wide.low\nfree p', {
        types,
        heap: blockOf(type, 4097),
        views,
      });
      expect(typing(replay)).toEqual([
        'row 1: pool 4097 -',
        'row 2: descriptor struct pair right',
        'row 3: descriptor struct pair left',
        'row 4: descriptor struct wide low',
      ]);
      const { objects } = replay.result;
      expect([objects.type[0], objects.flags[0] & POOL_FLAG]).toEqual([0, POOL_FLAG]);
    }
  });

  it('no pool: a page, one struct, an array of doubles', () => {
    const drawing = 'core 0\nalloc p\nR @10100\nR pair.left\nR pair.left\nR wide.low';
    const rowOf = (type: string, size: number, text = drawing) =>
      typing(replayDrawing(text, { types, heap: blockOf(type, size), views }))[0];
    expect(rowOf('', 4096)).toBe('row 1: vote struct pair -');
    expect(rowOf('char[]', 4096)).toBe('row 1: object char[] -');
    expect(rowOf('double[]', 8192)).toBe('row 1: object double[] -');
    expect(rowOf('', 8192, 'core 0\nalloc p\nR @10100\nR pair.left')).toBe('row 1: vote struct pair -');
    expect(rowOf('char[]', 8192, 'core 0\nalloc p\nR @10100\nR pair.left')).toBe('row 1: object char[] -');
  });

  it('behind the struct that an object was allocated for, its bytes are not its fields, unless it is an array', () => {
    const drawing = 'core 0\nalloc p\nR p+8:8\nR p+16:8\nR p+72:8\nR view.high';
    const memory = { types, views: { view: ['struct wide', 0x10010] } } as const;
    expect(typing(replayDrawing(drawing, { ...memory, heap: blockOf('struct pair', 88) }))).toEqual([
      'row 1: object struct pair right',
      'row 2: behind struct pair -',
      'row 3: behind struct pair -',
      'row 4: descriptor struct wide high',
    ]);
    expect(typing(replayDrawing(drawing, { ...memory, heap: blockOf('struct pair', 80) }))).toEqual([
      'row 1: object struct pair right',
      'row 2: object struct pair left',
      'row 3: object struct pair right',
      'row 4: object struct pair left',
    ]);
  });

  it('what names no struct is beside the struct of the vote, where the object holds more than that', () => {
    const rowOf = (size: number) =>
      typing(replayDrawing('core 0\nalloc p\nR @10100\nR pair.left', { types, heap: blockOf('', size), views }))[0];
    expect(rowOf(4000)).toBe('row 1: vote struct pair -'); // an array of 250
    expect(rowOf(4001)).toBe('row 1: beside struct pair -');
  });

  it('in less than eight times its bytes, what names no struct goes by the vote', () => {
    const rowOf = (size: number) =>
      typing(replayDrawing('core 0\nalloc p\nR @10018\nR v.left', { types, heap: blockOf('', size), views: near }))[0];
    const near = { v: ['struct pair', 0x10000] } as const;
    expect([33, 128, 129].map(rowOf)).toEqual([
      'row 1: vote struct pair -',
      'row 1: vote struct pair -',
      'row 1: beside struct pair -',
    ]);
  });
});

describe('lives', () => {
  it('a heap object lives from its allocation to its free; a reference after it is outside life', () => {
    const { result } = replayDrawing('core 0\nalloc p\nR @10000\nfree p\nR @10000\nR @10040', {
      heap: { p: { address: 0x10000, size: 64 } },
    });
    expect(result.totals.outsideLife).toBe(1);
    expect([...result.objects.references]).toEqual([1]);
    expect([result.objects.bornAt[0], result.objects.diedAt[0], result.objects.lifetime[0]]).toEqual([0, 2, 2]);
  });

  it('memory that is allocated again is inside life again', () => {
    const { result } = replayDrawing('core 0\nalloc p\nfree p\nalloc q\nR @10000\nR @10020', {
      heap: { p: { address: 0x10000, size: 64 }, q: { address: 0x10000, size: 16 } },
    });
    expect(result.totals.outsideLife).toBe(1);
  });

  it('memory that becomes a stack is inside life again', () => {
    const drawn = 'core 0            core 1\nalloc p\nfree p\nR @STACK\ncreate 1\n                  start\nR @STACK';
    const { result } = replayDrawing(drawn.replaceAll('STACK', (STACKS_AT + 0x1040).toString(16)), {
      heap: { p: { address: STACKS_AT + 0x1000, size: 0x1000 } },
    });
    expect(result.totals.outsideLife).toBe(1);
  });

  it('an object that is never freed lives to the end', () => {
    const { result } = replayDrawing('core 0\nalloc p\nwork 9', { heap: { p: { address: 0x10000, size: 64 } } });
    expect([result.objects.diedAt[0], result.objects.lifetime[0]]).toEqual([-1, 10]);
  });

  it('an allocation over a live object ends it: its free was not seen', () => {
    const { result } = replayDrawing('core 0\nalloc p\nwork 5\nalloc q', {
      heap: { p: { address: 0x10000, size: 64 }, q: { address: 0x10020, size: 64 } },
    });
    expect([...result.objects.diedAt]).toEqual([6, -1]);
  });

  it('an ALLOCATION record alone makes an object, its FREE record ends it; inside a live object it makes none', () => {
    const { result } = replayDrawing('core 0\nalloc pool\nalloc inner\nalloc own\nwork 4\nfree own\nwork 2\nR @20000', {
      heap: {
        pool: { address: 0x10000, size: 4096 },
        inner: { address: 0x10100, size: 64, record: 'only' },
        own: { address: 0x20000, size: 64, record: 'only' },
      },
    });
    expect([...result.objects.address]).toEqual([0x10000, 0x20000]);
    expect([...result.objects.diedAt]).toEqual([-1, 7]);
    expect(result.totals.outsideLife).toBe(1);
    expect(result.objects.freeSlot[1]).not.toBe(NO_INDEX);
  });

  it('an unmapping ends the mappings that lie wholly inside it', () => {
    const mmap = { mmap: true, site: false };
    const { result } = replayDrawing('core 0\nalloc a\nalloc b\nwork 3\nfree both', {
      heap: {
        a: { address: 0x10000, size: 4096, ...mmap },
        b: { address: 0x11000, size: 8192, ...mmap },
        both: { address: 0x10000, size: 8192, ...mmap },
      },
    });
    expect([...result.objects.diedAt]).toEqual([5, -1]);
  });

  it('a stack variable keeps its number when it lives again at its address, and counts its lives', () => {
    const { result } = replayDrawing('core 0\nenter f\nR @7000\nleave f\nR @7000\nenter f\nR @7000\nwork 4\nleave f', {
      types,
      functions: { f: { local: ['struct pair', 0x7000] } },
    });
    expect(result.objects.count).toBe(1);
    expect([result.objects.lives[0], result.objects.references[0], result.objects.lifetime[0]]).toEqual([2, 2, 2 + 6]);
  });

  it('a frame that opens lower ends nothing above; one that opens higher ends what lies below: it was unwound', () => {
    const functions = {
      outer: { o: ['struct pair', 0x7100] },
      inner: { i: ['struct pair', 0x7000] },
      next: { n: ['struct pair', 0x7080] },
    } as const;
    const { result, catalog } = replayDrawing(
      'core 0\nenter outer\nenter inner\nwork\nenter next\nwork\nleave next\nwork\nleave outer',
      { types, functions },
    );
    const lived = Array.from(result.objects.variable, (variable, row) => [
      catalog.variables.name[variable],
      result.objects.diedAt[row],
    ]);
    expect(lived).toEqual([
      ['o', 7],
      ['i', 3],
      ['n', 5],
    ]);
  });

  it('leaving a function ends the frames inside it; leaving one that was not entered ends none', () => {
    const functions = {
      outer: { o: ['struct pair', 0x7100] },
      inner: { i: ['struct pair', 0x7000] },
      stranger: { s: ['struct pair', 0x7080] },
    } as const;
    const { result } = replayDrawing('core 0\nenter outer\nenter inner\nwork 2\nleave stranger\nwork 3\nleave outer', {
      types,
      functions,
    });
    expect([...result.objects.diedAt]).toEqual([8, 8]);
  });

  it('where kinds overlap the stack comes before a global and a global before the heap', () => {
    const { result } = replayDrawing('core 0\nalloc p\nenter f\nR @10000:4\nR @10010:4\nR @10020:4', {
      types,
      heap: { p: { address: 0x10000, size: 64 } },
      globals: { g: ['struct pair', 0x10010] },
      functions: { f: { s: ['struct pair', 0x10000] } },
    });
    expect(Array.from(result.objects.kind, (kind, row) => [kind, result.objects.references[row]])).toEqual([
      [1, 1],
      [0, 1],
      [3, 1],
    ]);
  });
});

describe('parts: what an allocator of the program cuts out of memory it has', () => {
  const heap = {
    block: { address: 0x10000, size: 256 },
    a: { address: 0x10000, size: 64, type: 'struct wide', part: true, pool: 7 },
    b: { address: 0x10040, size: 64, type: 'struct pair', part: true, pool: 7 },
    c: { address: 0x10080, size: 16, type: 'struct pair', part: true },
    over: { address: 0x10030, size: 32, part: true },
  };
  const lived = ({ result: { objects } }: DrawnReplay): string[] =>
    Array.from(
      objects.address,
      (address, row) =>
        `${address.toString(16)} flags ${objects.flags[row]} ${objects.bornAt[row]}-${objects.diedAt[row]}: ` +
        `${objects.references[row]}`,
    );

  it('a reference belongs to the part; what is in none, to the block', () => {
    const replay = replayDrawing('core 0\nalloc block\nalloc a\nalloc c\nR @10000\nR @10080\nR @10040', {
      types,
      heap,
    });
    expect(typing(replay)).toEqual([
      'row 3: object struct wide low',
      'row 4: object struct pair left',
      'row 5: site 256 -',
    ]);
    expect(lived(replay)).toEqual(['10000 flags 0 0--1: 1', '10000 flags 4 1--1: 1', '10080 flags 4 2--1: 1']);
  });

  it('freed, its bytes are the block again, and not outside life', () => {
    const replay = replayDrawing('core 0\nalloc block\nalloc a\nR @10000\nfree a\nR @10000', { types, heap });
    expect(typing(replay)).toEqual(['row 2: object struct wide low', 'row 4: site 256 -']);
    expect(replay.result.totals.outsideLife).toBe(0);
  });

  it('with the block its parts end; freeing the block names no part, freeing a part no block', () => {
    expect(
      lived(replayDrawing('core 0\nalloc block\nalloc a\nalloc b\nwork 3\nfree block\nwork 2', { types, heap })),
    ).toEqual(['10000 flags 8 0-6: 0', '10000 flags 4 1-6: 0', '10040 flags 4 2-6: 0']);
    expect(lived(replayDrawing('core 0\nalloc block\nalloc a\nfree a\nfree a\nwork', { types, heap }))).toEqual([
      '10000 flags 0 0--1: 0',
      '10000 flags 12 1-2: 0',
    ]);
  });

  it('a pool goes back with all its parts and no others', () => {
    expect(
      lived(replayDrawing('core 0\nalloc block\nalloc a\nalloc b\nalloc c\nwork 3\ndrop 7\nwork 2', { types, heap })),
    ).toEqual(['10000 flags 0 0--1: 0', '10000 flags 12 1-7: 0', '10040 flags 12 2-7: 0', '10080 flags 4 3--1: 0']);
  });

  it('a part over others ends them; a block or stack variable over parts ends them too', () => {
    expect(
      lived(replayDrawing('core 0\nalloc a\nalloc b\nwork 2\nalloc over\nwork 2\nalloc block\nwork', { types, heap })),
    ).toEqual(['10000 flags 4 0-4: 0', '10040 flags 4 1-4: 0', '10030 flags 4 4-7: 0', '10000 flags 0 7--1: 0']);
    const functions = { f: { local: ['struct wide', 0x10000] } } as const;
    const inFrame = replayDrawing('core 0\nenter f\nalloc a\nR @10000\nleave f\nwork 2', { types, heap, functions });
    expect(lived(inFrame)).toEqual(['10000 flags 0 0-3: 0', '10000 flags 4 1-3: 1']);
  });

  it('a part given away by one core is freed before another core gets it, as a block is', () => {
    const stamp = (row: number, core: number): number => 1000 + 100 * row + 10 * core;
    const { result } = replayDrawing(
      `
      core 0        core 1
      alloc a
      work 50
      free a
                    alloc a
                    R @10000
      `,
      { types, heap, stamp },
    );
    expect(result.totals.segmentsThatWaited).toBe(1);
    expect(result.objects.diedAt[0]).toBe(result.objects.bornAt[1]);
  });
});

describe('sharing pairs', () => {
  const sharing = ({ result: { sharing: table }, catalog }: DrawnReplay): string[] =>
    Array.from({ length: table.count }, (_, row) => {
      const line = (slot: number): number => catalog.slots.line[slot];
      return (
        `${CLASSES[table.class[row]]} ${RELATIONS[table.relation[row]]} row ${line(table.missSlot[row])} by row ` +
        `${line(table.writeSlot[row])}: ${table.misses[row]}`
      );
    });

  it('both sides are named: the last store to the bytes for true sharing, the last store to the line for false', () => {
    const replay = replayDrawing(
      `
      core 0           core 1
      R g.low          R g.low
                       W g.low
                       W g.high
      R g.low                        => cache true-sharing
                       W g.high
      R g.low                        => cache false-sharing
      `,
      { types, globals: { g: ['struct wide', 0x4000] } },
    );
    expect(sharing(replay)).toEqual([
      'true-sharing same-object row 3 by row 1: 1',
      'false-sharing same-object row 5 by row 4: 1',
    ]);
  });

  it('two objects on one line are told apart from one', () => {
    const replay = replayDrawing(
      `
      core 0           core 1
      R a.left
                       W b.left
      R a.left                       => cache false-sharing
      `,
      { types, globals: { a: ['struct pair', 0x4000], b: ['struct pair', 0x4010] } },
    );
    expect(sharing(replay)).toEqual(['false-sharing same-type row 2 by row 1: 1']);
  });

  it('memory that changed owner since the store is recycled', () => {
    const replay = replayDrawing(
      `
      core 0               core 1
                           alloc p; W @10000
      R @10008
                           W @10000
                           free p
      alloc q; R @10000                     => cache true-sharing
      `,
      { heap: { p: { address: 0x10000, size: 64 }, q: { address: 0x10000, size: 32 } } },
    );
    expect(sharing(replay)).toEqual([
      'compulsory same-object row 1 by row 0: 1',
      'true-sharing recycled row 4 by row 2: 1',
    ]);
  });
});

describe('object flags', () => {
  it('bounce: another core than the one before; write-shared: two cores on one line and a store', () => {
    const { result } = replayDrawing(
      `
      core 0           core 1
      R read.low       R read.low
      W own.low
      R own.low
      W far.low
                       R far.high
      W apart+0:8
                       W apart+64:8
      `,
      {
        types,
        globals: {
          read: ['struct wide', 0x4000],
          own: ['struct wide', 0x4040],
          far: ['struct wide', 0x4080],
          apart: ['', 0x40c0, 128],
        },
      },
    );
    expect([...result.objects.flags]).toEqual([1, 0, 3, 1]);
  });

  it('a block that is allocated over the whole line begins anew: handing memory over is not sharing it', () => {
    const drawing = (size: number): number[] => [
      ...replayDrawing(
        `
        core 0               core 1
        alloc p; W @10000
        free p
                             alloc q; W @10000
        `,
        { heap: { p: { address: 0x10000, size }, q: { address: 0x10000, size } } },
      ).result.objects.flags,
    ];
    expect(drawing(64)).toEqual([8, 0]);
    expect(drawing(32)).toEqual([8, 2]);
  });
});
