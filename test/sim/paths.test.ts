// Paths of objects as drawings. docs/data-flow.md, "Paths". A step of the only core in row r has time r; with two cores
// the replay time is already behind the rows that the other one has begun. Latencies of SMALL: 4, 14, 50, memory 200,
// cache 170.

import { describe, expect, it } from 'vitest';
import { replayDrawing, type DrawnOptions } from '../drawn/replay-drawing.js';
import { FlowText } from './flow-text.js';

const types = { 'struct pair': { size: 16, fields: { left: [0, 8], right: [8, 8] } } } as const;
const pair = { address: 0x10000, size: 16, type: 'struct pair' } as const;

function flow(drawing: string, options: DrawnOptions = {}): FlowText {
  return new FlowText(
    replayDrawing(drawing, { types, heap: { p: pair, q: { ...pair, address: 0x20000 } }, flow: {}, ...options }),
  );
}

describe('steps', () => {
  it(
    'references that follow one another from one function on one core are one step, with its time, bytes, ' +
      'servers and cycles',
    () => {
      expect(
        flow(
          'core 0\nwork 2\nalloc p in make\nW p.right in make\nR p.right in make\nR p.left in make\nR p.left in ' +
            'use\nfree p in drop',
        ).paths(),
      ).toEqual(['1x heap struct pair [5]: make t1 0-16 l1:2 memory:1 208cy > use t4 0-8 l1:1 4cy | freed by drop']);
    },
  );

  it('what comes between to other objects parts no step', () => {
    expect(
      flow('core 0\nalloc p\nalloc q\nR p.left in a\nR q.left in b\nR p.left in a\nfree p\nfree q').paths(),
    ).toEqual([
      '1x heap struct pair [5]: a t2 0-8 l1:1 memory:1 204cy | freed by ?',
      '1x heap struct pair [5]: b t2 0-8 memory:1 200cy | freed by ?',
    ]);
  });

  it('a function that comes back is a new step', () => {
    expect(flow('core 0\nalloc p\nR p.left in a\nR p.left in b\nR p.left in a').paths()).toEqual([
      '1x heap struct pair [4]: a t1 0-8 memory:1 200cy > b t2 0-8 l1:1 4cy > a t3 0-8 l1:1 4cy | alive',
    ]);
  });

  it(
    'a step on another core than the one before changes core; the first one if it is not on the core of the ' +
      'allocation',
    () => {
      expect(
        flow(
          'core 0                core 1\nalloc p\n                      W p.left in put\nR p.left in get' +
            '\nR p.left in look\n                      R p.left in get\n',
        ).paths(),
      ).toEqual([
        '1x heap struct pair [5]: +put t2 0-8 memory:1 200cy > +get t4 0-8 cache:1 170cy > look t4 0-8 l1:1 4cy ' +
          '> +get t5 0-8 l1:1 4cy | alive',
      ]);
    },
  );

  it('the same function on two cores in turn is a step each time', () => {
    expect(
      flow(
        'core 0                core 1\nalloc p\nR p.left in f\n                      R p.left in f\n           ' +
          '           R p.left in f',
      ).paths(),
    ).toEqual(['1x heap struct pair [4]: f t2 0-8 memory:1 200cy > +f t4 0-8 l1:1 llc:1 54cy | alive']);
  });

  it(
    'pieces of a split access are references of their own; its cycles are those of its slowest piece, with the ' +
      'first',
    () => {
      expect(
        flow('core 0\nalloc r\nR r+64:8 in a\nR r+56:16 in b', {
          heap: { r: { address: 0x10000, size: 128, type: '' } },
        }).paths(),
      ).toEqual(['1x heap 128 [3]: a t1 64-72 memory:1 200cy > b t2 56-72 l1:1 memory:1 200cy | alive']);
    },
  );

  it('a split access over two objects is a step of each; the cycles are with the first', () => {
    const heap = { r: { address: 0x10000, size: 64 }, s: { address: 0x10040, size: 64 } };
    expect(flow('core 0\nalloc r\nalloc s\nR r in a\nR r+56:16 in b', { heap }).paths()).toEqual([
      '1x heap 64 [4]: a t2 0-8 memory:1 200cy > b t3 56-64 l1:1 200cy | alive',
      '1x heap 64 [3]: b t2 0-8 memory:1 0cy | alive',
    ]);
  });

  it('places are functions, lines or accesses', () => {
    const drawing = 'core 0\nalloc p\ncopy p.left < p.right in a\nR p.left in a';
    const steps = (by: 'function' | 'line' | 'ip'): number =>
      flow(drawing, { flow: { by } }).paths()[0].split(' > ').length;
    expect([steps('function'), steps('line'), steps('ip')]).toEqual([1, 2, 3]);
  });
});

describe('ends', () => {
  it('a life that nobody refers to has a path without steps', () => {
    expect(flow('core 0\nalloc p\nwork 3\nfree p in drop').paths()).toEqual([
      '1x heap struct pair [4]: | freed by drop',
    ]);
  });

  it('a free on another core than the last step is said; without steps, than the allocation', () => {
    expect(
      flow(
        'core 0                core 1\nalloc p\nalloc q\n                      R p.left in get\n               ' +
          '       free p in drop\n                      free q in drop',
      ).paths(),
    ).toEqual([
      '1x heap struct pair [3]: +get t2 0-8 memory:1 200cy | freed by drop',
      '1x heap struct pair [2]: | freed by drop elsewhere',
    ]);
  });

  it('an object that another one overlaps ended, and what lives at the end of the run is alive', () => {
    expect(
      flow('core 0\nalloc p\nalloc r\nwork 3', {
        heap: { p: pair, r: { address: 0x10008, size: 16, type: 'struct pair' } },
      }).paths(),
    ).toEqual(['1x heap struct pair [1]: | ended', '1x heap struct pair [4]: | alive']);
  });

  it('a stack variable has a path for each time that its frame opens; times begin anew', () => {
    const functions = { f: { local: ['struct pair', 0x7000] } } as const;
    expect(
      flow(
        'core 0\nenter f\nW local.left in f\nleave f\nwork 5\nenter f\nR local.left in f\nleave f\nenter f\nleave f',
        { functions },
      ).paths(),
    ).toEqual(['2x stack local [4]: f t2 0-8 l1:1 memory:1 204cy | ended', '1x stack local [1]: | ended']);
  });

  it('a global lives from the beginning to the end', () => {
    expect(
      flow('core 0                core 1\n                      R g.right in f\nwork 2', {
        globals: { g: ['struct pair', 0x4000] },
      }).paths(),
    ).toEqual(['1x global g [3]: +f t1 8-16 memory:1 200cy | alive']);
  });
});

describe('distinct paths', () => {
  const churn =
    'core 0\nalloc p in make\nR p.left in a\nfree p in drop\nalloc q in make\nwork\nR q.right in a\nfree q in drop';

  it(
    'lives that went the same way are one row, allocated and freed at the same places: sums, lowest and highest ' +
      'bytes',
    () => {
      const same = flow(churn, {
        heap: { p: { ...pair, site: false }, q: { ...pair, address: 0x20000, site: false } },
      });
      // Without ALLOCATION records nobody knows where, and their votes say the type.
      expect(same.paths()).toEqual(['2x heap struct pair [5]: a t3 0-16 memory:2 400cy | freed']);
    },
  );

  it('other sites are other paths', () => {
    expect(flow(churn).paths()).toHaveLength(2);
  });

  it('paths beyond the most are counted by what their objects read as, with their references', () => {
    const text = flow(`${churn}\nalloc p\nR p.left in b\nR p.left in c`, { flow: { mostPaths: 1 } });
    expect(text.paths()).toHaveLength(1);
    expect(text.others()).toEqual(['2x heap struct pair: 3']);
  });

  it('rows come in the order in which lives end; of one step, in the order of creation', () => {
    const functions = { f: { one: ['struct pair', 0x7000], two: ['struct pair', 0x7010] } } as const;
    expect(
      flow('core 0\nalloc p\nenter f\nR two.left\nR one.left\nleave f\nfree p', { functions })
        .paths()
        .map((row) => row.split(' [')[0]),
    ).toEqual(['1x stack one', '1x stack two', '1x heap struct pair']);
  });
});

describe('what is cut', () => {
  it('references behind the most steps count in one step of no place, which never changes core', () => {
    const drawing =
      'core 0                core 1\nalloc p\nR p.left in a\nR p.left in b\nR p.right in c\n                   ' +
      '   R p.left in b\n                      free p in drop';
    expect(flow(drawing, { flow: { mostSteps: 2 } }).paths()).toEqual([
      '1x heap struct pair [6]: a t4 0-8 memory:1 200cy > b t4 0-8 l1:1 4cy > (cut) t4 0-16 l1:1 llc:1 54cy | ' +
        'freed by drop cut',
    ]);
    expect(flow(drawing, { flow: { mostSteps: 4 } }).paths()[0]).toContain(
      '> c t4 8-16 l1:1 4cy > +b t6 0-8 llc:1 50cy | freed by drop',
    );
  });

  it('a path of 64 steps is whole, one of 65 is cut', () => {
    const rows = (count: number): string =>
      ['core 0', 'alloc p', ...Array.from({ length: count }, (_, row) => `R p.left in f${row % 2}`)].join('\n');
    expect(flow(rows(64)).paths()[0]).toMatch(/f1 t64 0-8 l1:1 4cy \| alive$/);
    expect(flow(rows(67)).paths()[0]).toMatch(/f1 t64 0-8 l1:1 4cy > \(cut\) t65 0-8 l1:3 12cy \| alive cut$/);
  });

  it('no more steps than so many are kept of lives that go on; ended ones make room', () => {
    const drawing =
      'core 0\nalloc p\nalloc q\nR p.left in a\nR q.left in a\nR q.left in b\nfree p\nR q.left in a' +
      '\nfree q\nalloc p\nR p.left in c';
    expect(
      flow(drawing, { flow: { mostOpenSteps: 2 } })
        .paths()
        .map((row) => row.slice(row.indexOf(':') + 2).replace(/ \d+cy/g, '')),
    ).toEqual([
      'a t2 0-8 memory:1 | freed by ?',
      'a t2 0-8 memory:1 > (cut) t3 0-8 l1:2 | freed by ? cut',
      'c t1 0-8 l1:1 | alive',
    ]);
  });
});

describe('windows', () => {
  const window = { from: { kind: 'reference', references: 2 } } as const;

  it(
    'a path begins with the window, and is compared with the core of before; times count from the beginning of ' +
      'the life',
    () => {
      const drawing =
        'core 0                core 1\nalloc p\nR p.left in a   =>\n                      R p.left in b   =>' +
        '\n                      R p.left in b   => l1\nR p.right in a   => l1\nfree p';
      expect(flow(drawing, { window }).paths()).toEqual([
        '1x heap struct pair [6]: b t4 0-8 l1:1 4cy > +a t6 8-16 l1:1 4cy | freed by ?',
      ]);
    },
  );

  it('lives that ended before have no path; those that reach into the window have, with all their length', () => {
    const drawing = 'core 0\nalloc p\nalloc q\nR p.left =>\nfree p\nR q.left =>\nwork 2\nfree q\nwork';
    expect(flow(drawing, { window }).paths()).toEqual(['1x heap struct pair [6]: | freed by ?']);
  });
});
