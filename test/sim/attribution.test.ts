// Who takes whose line, unused bytes and what objects met, as drawings; docs/replay/attribution.md. The machine is
// SMALL: L1 two sets of two lines, L2 four of two, LLC eight of four; lines 0x4000, 0x4080, 0x4100, 0x4180 lie in L1
// set 0.

import { describe, expect, it } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { LEVELS } from '../../src/contract/machine.js';
import { LABEL_KINDS, OBJECT_COUNTERS, setBinsOf, type TakerTable } from '../../src/contract/result.js';
import { replayDrawing, type DrawnOptions, type DrawnReplay } from '../drawn/replay-drawing.js';

const types = {
  'struct a': { size: 64, fields: { x: [0, 8], y: [8, 8], z: [16, 4] } },
  'struct b': { size: 64, fields: { x: [0, 8] } },
} as const;

/** a1 and a2, b1 and b2 share an L1 set; `bytes` has no type. */
const memory: DrawnOptions = {
  types,
  globals: {
    a1: ['struct a', 0x4000],
    b1: ['struct b', 0x4080],
    a2: ['struct a', 0x4100],
    b2: ['struct b', 0x4180],
    bytes: ['', 0x4040, 64],
  },
};

function spellLabel({ result: { labels }, catalog }: DrawnReplay, label: number): string {
  const named = catalog.types.name[labels.type[label]] || '(untyped)';
  switch (LABEL_KINDS[labels.kind[label]]) {
    case 'type':
      return named;
    case 'site':
      return `site ${labels.sizeBytes[label]}${labels.type[label] === 0 ? '' : ` of ${named}`}`;
    default:
      return '(no object)';
  }
}

/** "l1 set 0: struct a takes struct b" with the number of lines in front where there are several. */
function takers(replay: DrawnReplay, table: TakerTable, level?: (typeof LEVELS)[number]): string[] {
  return Array.from(table.lines, (lines, row) => {
    const what =
      `${LEVELS[table.level[row]]} set ${table.bin[row]}: ${spellLabel(replay, table.taker[row])} takes ` +
      `${spellLabel(replay, table.owner[row])}`;
    return lines === 1 ? what : `${lines} ${what}`;
  })
    .filter((text) => level === undefined || text.includes(`${level} set`))
    .sort();
}

describe('evictions', () => {
  const l1 = (drawing: string, options = memory): string[] => {
    const replay = replayDrawing(drawing, options);
    return takers(replay, replay.result.evictions, 'l1');
  };

  it('the label of the reference that needs room takes from the label of the one that had brought the line', () => {
    expect(l1('core 0\nR a1.x\nR b1.x\nR a2.x')).toEqual(['l1 set 0: struct a takes struct a']);
    expect(l1('core 0\nR a1.x\nR b1.x\nR b2.x')).toEqual(['l1 set 0: struct b takes struct a']);
  });

  it('a fill of a free way evicts nothing; a hit changes no label', () => {
    const { result } = replayDrawing('core 0\nR a1.x\nR b1.x', memory);
    expect(result.totals).toMatchObject({ fills: [2, 2, 2], evictions: [0, 0, 0] });
    expect(l1('core 0\nR a1.x\nR @4000\nR b1.x\nR b2.x')).toEqual(['l1 set 0: struct b takes struct a']);
  });

  it('each level counts its own, by who filled that level', () => {
    // 4000, 4100, 4200 share an L2 set; 4000's L1 copy is brought back by a reference of another label, its L2 copy
    // stays the first one's.
    const views = { other: ['struct b', 0x4200] } as const;
    const replay = replayDrawing(
      `
      core 0
      R a1.x
      R a2.x
      R b1.x     # a1 leaves the L1, by b
      R @4000    # untyped in its slot, but its object is declared: a1 again, from the L2
      R other.x  # a2 leaves the L2 and b1 the L1
      `,
      { ...memory, views },
    );
    expect(takers(replay, replay.result.evictions)).toEqual([
      'l1 set 0: struct a takes struct a',
      'l1 set 0: struct b takes struct a',
      'l1 set 0: struct b takes struct b',
      'l2 set 0: struct b takes struct a',
    ]);
    expect(replay.result.totals).toMatchObject({ fills: [5, 4, 4], evictions: [3, 1, 0] });
  });

  it('cores count together, each with its own lines', () => {
    const replay = replayDrawing(
      `
      core 0     core 1
      R a1.x     R b1.x
      R a2.x     R b2.x
      R b1.x     R a1.x
      `,
      memory,
    );
    expect(takers(replay, replay.result.evictions, 'l1')).toEqual([
      'l1 set 0: struct a takes struct b',
      'l1 set 0: struct b takes struct a',
    ]);
  });

  it('sets: at most 256 bins of as many consecutive sets as that takes, for any number of sets', () => {
    const level = (sets: number): ReturnType<typeof setBinsOf> =>
      setBinsOf({ sizeBytes: sets * 128, ways: 2, latencyCycles: 1 }, 64);
    expect([level(64), level(256), level(1024), level(300)]).toEqual([
      { sets: 64, setsPerBin: 1, bins: 64 },
      { sets: 256, setsPerBin: 1, bins: 256 },
      { sets: 1024, setsPerBin: 4, bins: 256 },
      { sets: 300, setsPerBin: 2, bins: 150 },
    ]);
  });

  it('of 512 sets two are one bin', () => {
    const l2 = { sizeBytes: 512 * 64, ways: 1, latencyCycles: 14 };
    const replay = replayDrawing('core 0\nR @40c0\nR @c0c0\nR @4080\nR @c080', { machine: { l2 } });
    expect(takers(replay, replay.result.evictions, 'l2')).toEqual(['2 l2 set 129: (untyped) takes (untyped)']);
  });
});

describe('labels', () => {
  const heap = {
    p: { address: 0x10000, size: 64 },
    q: { address: 0x10080, size: 64 },
    r: { address: 0x10100, size: 64 },
    s: { address: 0x10180, size: 32 },
    typed: { address: 0x10200, size: 64, type: 'struct b' },
  };
  const l1 = (drawing: string, options: DrawnOptions = {}): string[] => {
    const replay = replayDrawing(drawing, { types, heap, ...options });
    return takers(replay, replay.result.evictions, 'l1');
  };

  it(
    "the object's declared type comes first, then the slot's struct, then the heap site with its size, then the " +
      "slot's own type",
    () => {
      const views = { seen: ['struct a', 0x10080] } as const;
      expect(l1('core 0\nalloc typed\nalloc q\nR typed\nR seen.x\nR @10000', { views })).toEqual([
        'l1 set 0: (untyped) takes struct b',
      ]);
      expect(l1('core 0\nalloc q\nR seen.x\nR @10000\nR @10100', { views })).toEqual([
        'l1 set 0: (untyped) takes struct a',
      ]);
      expect(l1('core 0\nalloc q\nalloc s\nR q\nR s\nR @10000')).toEqual(['l1 set 0: (untyped) takes site 64']);
    },
  );

  it('a site is named by one vote of all its objects that ended without a type, however each of them voted', () => {
    const unknown = {
      p: { address: 0x10000, size: 64, site: false },
      q: { address: 0x10080, size: 64, site: false },
      r: { address: 0x10100, size: 64, site: false },
    };
    const views = { pa: ['struct a', 0x10000], qb: ['struct b', 0x10080] } as const;
    // q's own vote is for b, its site's for a; r, of the same site, has no vote of its own.
    const drawing = 'core 0\nalloc p; alloc q; alloc r\nR pa.x; R pa.x; R pa.x\nR qb.x; R qb.x\nR r\nR @10180';
    expect(l1(drawing, { views, heap: unknown })).toEqual([
      'l1 set 0: (untyped) takes struct b',
      'l1 set 0: site 64 of struct a takes struct a',
    ]);
    expect(l1(drawing.replace('; R pa.x; R pa.x', ''), { views, heap: unknown })).toContain(
      'l1 set 0: site 64 of struct b takes struct a',
    );
    expect(l1(drawing.replace('; R pa.x', ''), { views, heap: unknown }), 'a tie').toContain(
      'l1 set 0: site 64 of struct a takes struct a',
    );
  });

  it('an allocation whose record has not come is of an unknown site', () => {
    const replay = replayDrawing('core 0\nalloc u\nR u', { heap: { u: { address: 0x10000, size: 64, site: false } } });
    const { labels } = replay.result;
    const site = labels.kind.indexOf(LABEL_KINDS.indexOf('site'));
    expect([labels.allocationSlot[site], labels.sizeBytes[site], labels.type[site]]).toEqual([NO_INDEX, 64, 0]);
  });
});

describe('invalidations', () => {
  it('the store takes from who had brought the L1 copy; where only the L2 has one, from who had brought that', () => {
    const replay = replayDrawing(
      `
      core 0     core 1     core 2
      R a1.x
                 R a1.x
                 R b1.x
                 R b2.x                 # a1 is only in core 1's L2 now
                            W a1.y
      `,
      memory,
    );
    expect(takers(replay, replay.result.invalidations)).toEqual([
      'l1 set 0: struct a takes struct a',
      'l2 set 0: struct a takes struct a',
    ]);
    expect(replay.result.totals.invalidations).toBe(2);
  });

  it('false sharing of two types names both', () => {
    const globals = { left: ['', 0x4000, 8], right: ['struct b', 0x4008] } as const;
    const replay = replayDrawing('core 0     core 1\nW left\n           W right.x\nW left', { types, globals });
    expect(takers(replay, replay.result.invalidations)).toEqual([
      'l1 set 0: (untyped) takes struct b',
      'l1 set 0: struct b takes (untyped)',
    ]);
  });
});

/** "struct a.x 8/16" for 8 of 16 fetched bytes unused. */
function unused(replay: DrawnReplay): string[] {
  const {
    result: { unusedBytes: table, labels },
    catalog,
  } = replay;
  return Array.from(table.label, (label, row) => {
    const leaf = table.leaf[row];
    const paths = catalog.leaves.path[labels.type[label]] ?? [];
    const field = leaf === NO_INDEX ? '' : `.${paths.length > 0 ? paths[leaf] : catalog.variables.name[leaf]}`;
    return `${spellLabel(replay, label)}${field} ${table.unusedBytes[row]}/${table.fetchedBytes[row]}`;
  }).sort();
}

describe('fetched, never used', () => {
  it('at the end of the run what is in leaves; bytes go to the fields that they lie in', () => {
    expect(unused(replayDrawing('core 0\nR a1.x\nW a1.z', memory))).toEqual([
      'struct a.(padding) 44/44',
      'struct a.x 0/8',
      'struct a.y 8/8',
      'struct a.z 0/4',
    ]);
  });

  it('each stay in an L1 counts anew, and only the bytes that its own cores touched', () => {
    const evicted = replayDrawing('core 0\nR a1.x\nR b1.x\nR b2.x\nR a1.y', memory);
    expect(unused(evicted).filter((row) => row.startsWith('struct a'))).toEqual([
      'struct a.(padding) 88/88',
      'struct a.x 8/16',
      'struct a.y 8/16',
      'struct a.z 8/8',
    ]);
    const shared = replayDrawing('core 0     core 1\nR a1.x     R a1.y', memory);
    expect(unused(shared)).toEqual([
      'struct a.(padding) 88/88',
      'struct a.x 8/16',
      'struct a.y 8/16',
      'struct a.z 8/8',
    ]);
  });

  it('an invalidated line leaves with what was used before', () => {
    const replay = replayDrawing('core 0     core 1\nR a1.x\n           W a1.y\nR a1.y', memory);
    expect(unused(replay)).toEqual([
      'struct a.(padding) 132/132',
      'struct a.x 16/24',
      'struct a.y 8/24',
      'struct a.z 12/12',
    ]);
    expect(replay.result.totals.fills[0]).toBe(3);
  });

  it(
    'a byte belongs to what lies there when the line leaves: a variable by name, untyped heap by site, freed ' +
      'memory to none',
    () => {
      const heap = { p: { address: 0x10000, size: 16 }, q: { address: 0x10010, size: 16 } };
      expect(unused(replayDrawing('core 0\nalloc p\nalloc q\nR p\nR q\nfree q', { heap }))).toEqual([
        '(no object) 40/48',
        'site 16 8/16',
      ]);
      expect(unused(replayDrawing('core 0\nR bytes:1', { globals: { bytes: ['', 0x4000, 8] } }))).toEqual([
        '(no object) 56/56',
        '(untyped).bytes 7/8',
      ]);
    },
  );

  it('an access over two lines uses bytes of both', () => {
    expect(unused(replayDrawing('core 0\nR @403c:8'))).toEqual(['(no object) 120/128']);
  });

  it('lines of 16 and of 256 bytes count every byte', () => {
    const machine = (lineBytes: number): DrawnOptions => ({
      machine: {
        lineBytes,
        ...Object.fromEntries(LEVELS.map((level) => [level, { sizeBytes: lineBytes * 8, ways: 2, latencyCycles: 4 }])),
      },
    });
    expect(unused(replayDrawing('core 0\nR @4001:3', machine(16)))).toEqual(['(no object) 13/16']);
    expect(unused(replayDrawing('core 0\nfill @401e:100', machine(256)))).toEqual(['(no object) 156/256']);
  });
});

/** Counters of one object that are not 0. */
function countersOf({ result: { objectCounters } }: DrawnReplay, object: number): Record<string, number> {
  const own = [...objectCounters.object.keys()].filter((row) => objectCounters.object[row] === object);
  return Object.fromEntries(
    own.map((row) => [OBJECT_COUNTERS[objectCounters.counter[row]], objectCounters.value[row]]),
  );
}

describe('what objects meet', () => {
  it('misses by level, class and rule, and their latency', () => {
    const replay = replayDrawing('core 0\nR a1.x\nR b1.x\nR b2.x\nR a1.x\nR a1.x', memory);
    expect(countersOf(replay, 0)).toEqual({
      'l1.compulsory': 1,
      'l1.conflict': 1,
      'l1.dprof.capacity': 1,
      'l1.dprof.conflict': 1,
      'l2.compulsory': 1,
      'l2.dprof.capacity': 1,
      'llc.compulsory': 1,
      'llc.dprof.capacity': 1,
      missLatencyCycles: 200 + 14,
    });
    expect(countersOf(replay, 4)).toEqual({});
  });

  it('the latency of an access over two objects is that of the object it begins in', () => {
    const globals = { low: ['', 0x4000, 64], high: ['', 0x4040, 64] } as const;
    const replay = replayDrawing('core 0\nR @4038:16', { globals });
    expect([countersOf(replay, 0).missLatencyCycles, countersOf(replay, 1).missLatencyCycles]).toEqual([
      200,
      undefined,
    ]);
    expect(countersOf(replay, 1)['l1.compulsory']).toBe(1);
  });

  const heap = { p: { address: 0x10000, size: 256 } };
  const uses = (drawing: string): (number | undefined)[] => {
    const { missesBeforeFirstUse, missesAfterLastUse } = countersOf(replayDrawing(drawing, { heap }), 0);
    return [missesBeforeFirstUse, missesAfterLastUse];
  };

  it(
    'stores that miss before the first load and after the last one are counted; the loads and what lies between ' +
      'are not',
    () => {
      expect(uses('core 0\nalloc p\nW p\nW p+64\nW p+64\nR p+128\nW p+192\nR p+128\nW @10000\nfree p')).toEqual([
        2,
        undefined,
      ]);
      expect(uses('core 0\nalloc p\nR p\nW p+64\nW p+128\nfree p')).toEqual([undefined, 2]);
      expect(uses('core 0\nalloc p\nW p\nR p\nW p+64')).toEqual([1, 1]);
    },
  );

  it('what is never loaded is never used: all its misses come before', () => {
    expect(uses('core 0\nalloc p\nW p\nW p+64\nA p+128')).toEqual([3, undefined]);
  });

  it('each life of a stack variable has its own first and last use', () => {
    const functions = { f: { local: ['', 0x7f0000, 128] } } as const;
    const drawing =
      'core 0\nenter f\nW local\nR local\nW local+64\nleave f\nR @4000\nR @4080\nR @4040\nR @40c0\nenter f' +
      '\nW local\nleave f';
    expect(countersOf(replayDrawing(drawing, { functions }), 0)).toMatchObject({
      missesBeforeFirstUse: 2,
      missesAfterLastUse: 1,
    });
  });

  it('a heap object is freed by a free, on another core than its own or not; an overlap frees nothing', () => {
    const flags = (drawing: string): number[] => [
      ...replayDrawing(drawing, { heap: { p: { address: 0x10000, size: 64 }, q: { address: 0x10020, size: 64 } } })
        .result.objects.flags,
    ];
    expect(flags('core 0     core 1\nalloc p\n           free p')).toEqual([8 + 16]);
    expect(flags('core 0     core 1\nalloc p\nfree p     work')).toEqual([8]);
    expect(flags('core 0\nalloc p\nalloc q')).toEqual([0, 0]);
  });

  it('threads of one core free on their own core', () => {
    const heap = { p: { address: 0x10000, size: 64 } };
    expect([
      ...replayDrawing('core 0     core 1\nalloc p\n           free p', { heap, machine: { cores: 1 } }).result.objects
        .flags,
    ]).toEqual([8]);
  });
});

it('tallies are per core', () => {
  const { result } = replayDrawing('core 0     core 1\nR a1.x     R a1.x\nR a1.x', {
    ...memory,
    machine: { cores: 2 },
  });
  const loads = [0, 1].map((core) =>
    [...result.tallies.core.keys()]
      .filter((row) => result.tallies.core[row] === core)
      .reduce(
        (sum, row) => sum + result.tallies.counters[row * (result.tallies.counters.length / result.tallies.count)],
        0,
      ),
  );
  expect(loads).toEqual([2, 1]);
});
