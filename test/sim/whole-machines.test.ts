// Whole machines as drawings. The machine is SMALL with one option changed: L1 two sets of two lines, L2 four of two,
// LLC eight of four. Lines @4000, @4100, @4200 lie in set 0 of L1 and L2; @4080 in set 0 of the L1 and 2 of the L2;
// @4040 and @40c0 in set 1 of the L1.

import { describe, expect, it } from 'vitest';
import { replayDrawing, SMALL } from '../drawn/replay-drawing.js';

describe('shared caches', () => {
  it(
    "SMT siblings share an L1: one's stores are no others' to the other, and nothing is invalidated; transfers " +
      'stay with cores',
    () => {
      const { result, count } = replayDrawing(
        `
      core 0           core 1
      R @4000                        => memory compulsory
                       R @4000       => l1
                       W @4000       => l1
      R @4000                        => l1
      `,
        { machine: { coresPerL1: 2 } },
      );
      expect(result.totals).toMatchObject({ invalidations: 0, upgrades: 0 });
      expect(count('transfers')).toBe(2);
    },
  );

  it('a store takes the line from the other L1 of its L2, whose miss is then served by that L2', () => {
    const { result, count } = replayDrawing(
      `
      core 0           core 1
      R @4000                        => memory compulsory
                       R @4000       => l2 compulsory
                       W @4000       => l1
      R @4000                        => l2 true-sharing
      `,
      { machine: { coresPerL2: 2 } },
    );
    expect(result.totals).toMatchObject({ invalidations: 1, upgrades: 1, writeBacks: 0 });
    expect(count('l2.true-sharing')).toBe(0);
  });

  it(
    'the classes of a shared L2 go by all its cores: no first reference of the second one, no sharing among ' + 'them',
    () => {
      const { count } = replayDrawing(
        `
      core 0           core 1
      R @4000
                       R @4000
      R @4100
      R @4200
                       W @4000       => l1
      R @4000                        => cache true-sharing
      `,
        { machine: { coresPerL2: 2 } },
      );
      // The last reference finds the line modified in its own domain, in the other L1 only.
      expect([count('l2.compulsory'), count('l2.true-sharing'), count('l2.conflict')]).toEqual([3, 0, 1]);
    },
  );

  it('an L2 that loses a line counts for each L1 above it', () => {
    const { result } = replayDrawing(
      `
      core 0           core 1           core 2
      R @4000
                                        W @4000
      `,
      { machine: { coresPerL2: 2 } },
    );
    expect(result.totals).toMatchObject({ invalidations: 2, upgrades: 0 });
  });

  it('what another L1 of the own L2 holds modified is served by that cache, and stays modified', () => {
    const { result } = replayDrawing(
      `
      core 0           core 1
      W @4000                        => memory compulsory
                       R @4000       => cache compulsory shared
      R @4000                        => l1
      `,
      { machine: { coresPerL2: 2, l2: { ...SMALL.l2, inclusion: 'exclusive' } } },
    );
    expect(result.totals).toMatchObject({ writeBacks: 0, invalidations: 0 });
  });
});

describe('sets', () => {
  it('three sets: lines 256, 259 and 262 share one', () => {
    const machine = { l1: { sizeBytes: 384, ways: 2, latencyCycles: 4 } };
    replayDrawing(
      `
      core 0
      R @4000   => memory compulsory
      R @40c0   => memory compulsory
      R @4040   => memory compulsory
      R @4180   => memory compulsory
      R @4040   => l1
      R @4000   => l2 conflict
      `,
      { machine },
    );
  });

  it(
    'first touch gives pages their numbers: @9000 and @6000, both in set 0 of three by address, get sets 0 and ' + '1',
    () => {
      const l1 = { sizeBytes: 192, ways: 1, latencyCycles: 4 };
      const drawing = (met: string): string => `core 0\nR @9000\nR @6000\nR @9000 => ${met}`;
      replayDrawing(drawing('l2 conflict'), { machine: { l1 } });
      replayDrawing(drawing('l1'), { machine: { l1, colouring: 'first-touch' } });
    },
  );
});

describe('inclusion', () => {
  it('what an inclusive LLC pushes out leaves the L1 and the L2 too, with a write-back if it was modified', () => {
    const { result } = replayDrawing(
      `
      core 0
      W @4000   => memory compulsory
      R @4040   => memory compulsory
      R @4080   => memory compulsory
      R @4000   => memory conflict
      `,
      { machine: { llc: { sizeBytes: 128, ways: 2, latencyCycles: 50, inclusion: 'inclusive' } } },
    );
    expect(result.totals).toMatchObject({ backInvalidations: 4, writeBacks: 1, invalidations: 0 });
  });

  it('what an inclusive L2 pushes out leaves the L1', () => {
    const { result } = replayDrawing(
      `
      core 0
      W @4000   => memory compulsory
      R @4100   => memory compulsory
      R @4000   => l1
      R @4200   => memory compulsory
      R @4000   => llc conflict
      `,
      { machine: { l2: { ...SMALL.l2, inclusion: 'inclusive' } } },
    );
    expect(result.totals).toMatchObject({ backInvalidations: 2, writeBacks: 1 });
  });

  it('an exclusive LLC is filled by what leaves the caches above, and gives up what it hits', () => {
    replayDrawing(
      `
      core 0           core 1
      R @4000                        => memory compulsory
                       R @4000       => memory compulsory
      R @4100                        => memory compulsory
      R @4200                        => memory compulsory
                       R @4100       => memory compulsory
      `,
      { machine: { llc: { ...SMALL.llc, inclusion: 'exclusive' } } },
    );
    replayDrawing(
      `
      core 0           core 1
      R @4000                        => memory compulsory
      R @4100                        => memory compulsory
      R @4200                        => memory compulsory
      R @4000                        => llc conflict
                       R @4000       => memory compulsory
                       R @4100       => llc compulsory
      `,
      { machine: { llc: { ...SMALL.llc, inclusion: 'exclusive' } } },
    );
  });

  it('a line that another cache above an exclusive LLC still holds is not put in', () => {
    replayDrawing(
      `
      core 0           core 1           core 2
      R @4000          R @4000
      R @4100
      R @4200
                                        R @4000     => memory compulsory
      `,
      { machine: { llc: { ...SMALL.llc, inclusion: 'exclusive' } } },
    );
  });

  it('an exclusive L2 holds what left the L1: a hit swaps', () => {
    const { result } = replayDrawing(
      `
      core 0
      W @4000   => memory compulsory
      R @4080   => memory compulsory
      R @4100   => memory compulsory
      R @4000   => l2 conflict
      R @4080   => l2 conflict
      R @4100   => l2 conflict
      `,
      { machine: { l2: { ...SMALL.l2, inclusion: 'exclusive' } } },
    );
    expect(result.totals.writeBacks).toBe(0);
  });
});

describe('protocols', () => {
  const shared = (protocol: 'mesi' | 'moesi', last: string): ReturnType<typeof replayDrawing> =>
    replayDrawing(
      `
    core 0           core 1           core 2
    W @4000                                       => memory compulsory
                     R @4000                      => cache compulsory shared
                                      R @4000     => ${last} compulsory shared
                     R @4000                      => l1
    W @4000                                       => l1
    `,
      { machine: { protocol } },
    );

  it(
    'moesi: the owner of a dirty line serves every load and writes back nothing; under mesi the first load ' +
      'cleans it',
    () => {
      expect(shared('moesi', 'cache').result.totals).toMatchObject({ writeBacks: 0, invalidations: 2, upgrades: 1 });
      expect(shared('mesi', 'llc').result.totals).toMatchObject({ writeBacks: 1, invalidations: 2, upgrades: 1 });
    },
  );

  it('moesi: the write-back comes when the line leaves its owner; then the LLC serves', () => {
    const { result } = replayDrawing(
      `
      core 0           core 1           core 2
      W @4000                                       => memory compulsory
                       R @4000                      => cache compulsory shared
      R @4100                                       => memory compulsory
      R @4200                                       => memory compulsory
                                        R @4000     => llc compulsory shared
      `,
      { machine: { protocol: 'moesi' } },
    );
    expect(result.totals.writeBacks).toBe(1);
  });

  it('moesi: a store of a sharer takes the line from its owner without a write-back', () => {
    const { result } = replayDrawing(
      `
      core 0           core 1
      W @4000                        => memory compulsory
                       R @4000       => cache compulsory shared
                       W @4000       => l1
      R @4000                        => cache true-sharing
      `,
      { machine: { protocol: 'moesi' } },
    );
    expect(result.totals).toMatchObject({ writeBacks: 0, invalidations: 1, upgrades: 1 });
  });

  it('mesif: who fetched a clean line last forwards it; under mesi memory serves', () => {
    const drawing = (met: string): string => `
      core 0           core 1           core 2
      R @4000                                       => memory compulsory
                       R @4000                      => ${met} compulsory
                                        R @4000     => ${met} compulsory
      `;
    replayDrawing(drawing('cache'), { machine: { protocol: 'mesif', coresPerLlc: 1 } });
    replayDrawing(drawing('memory'), { machine: { protocol: 'mesi', coresPerLlc: 1 } });
    replayDrawing(drawing('llc'), { machine: { protocol: 'mesif' } });
  });

  it('mesif: when the forwarder lost the line, other copies do not answer', () => {
    replayDrawing(
      `
      core 0           core 1           core 2
      R @4000                                       => memory compulsory
                       R @4000                      => cache compulsory
                       R @4100
                       R @4200
                                        R @4000     => memory compulsory
      `,
      { machine: { protocol: 'mesif', coresPerLlc: 1 } },
    );
  });
});

describe('sockets', () => {
  const drawing = (cache: string, memory: string): string => `
    core 0           core 1
    W @4000                        => memory compulsory
                     R @4000       => ${cache} compulsory shared
                     R @4040       => ${memory} compulsory
                     R @8000       => memory compulsory
    R @8040                        => ${memory} compulsory
    `;

  it("another socket's cache and memory are remote; a page's home is the socket that touched it first", () => {
    const machine = {
      coresPerLlc: 1,
      coresPerSocket: 1,
      remoteCacheLatencyCycles: 300,
      remoteMemoryLatencyCycles: 350,
    };
    const { count } = replayDrawing(drawing('remote-cache', 'remote-memory'), { machine });
    expect([0, 1, 2, 3, 4].map((row) => count('latencyCycles', row))).toEqual([200, 300, 350, 200, 350]);
  });

  it('without latencies of their own they cost what the own ones do; on one socket nothing is remote', () => {
    const { count } = replayDrawing(drawing('remote-cache', 'remote-memory'), {
      machine: { coresPerLlc: 1, coresPerSocket: 1 },
    });
    expect([0, 1, 2].map((row) => count('latencyCycles', row))).toEqual([200, 170, 200]);
    replayDrawing(drawing('cache', 'memory'), { machine: { coresPerLlc: 1, coresPerL1: 1, protocol: 'moesi' } });
  });

  it('groups that do not fit into one another are refused', () => {
    const replay = (): unknown =>
      replayDrawing('core 0   core 1   core 2   core 3\nR @4000', { machine: { coresPerL1: 2, coresPerL2: 3 } });
    expect(replay).toThrow('machine small: coresPerL2 3 is no multiple of coresPerL1 2');
  });
});

describe('prefetchers', () => {
  const l1With = (...prefetchers: ('next-line' | 'adjacent-line' | 'stride')[]): typeof SMALL.l1 => ({
    ...SMALL.l1,
    prefetchers,
  });

  it('next-line: a miss fetches the line behind it, which then hits: useful; one that nobody uses is useless', () => {
    const { result, count } = replayDrawing(
      `
      core 0
      R @4000   => memory compulsory
      R @4040   => l1
      R @40c0   => memory compulsory
      `,
      { machine: { l1: l1With('next-line') } },
    );
    expect(result.totals).toMatchObject({
      prefetchIssued: [2, 0],
      prefetchUseful: [1, 0],
      prefetchUseless: [1, 0],
      misses: [2, 2, 2],
    });
    expect([0, 1, 2].map((row) => [count('l1.prefetchIssued', row), count('l1.prefetchHits', row)])).toEqual([
      [1, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  it('only the first reference to a prefetched line is useful', () => {
    expect(
      replayDrawing('core 0\nR @4000\nR @4040\nR @4040', { machine: { l1: l1With('next-line') } }).result.totals
        .prefetchUseful,
    ).toEqual([1, 0]);
  });

  it('adjacent-line: the other half of the pair, before or behind', () => {
    replayDrawing('core 0\nR @4040 => memory compulsory\nR @4000 => l1', { machine: { l1: l1With('adjacent-line') } });
    replayDrawing('core 0\nR @4000 => memory compulsory\nR @4040 => l1', { machine: { l1: l1With('adjacent-line') } });
  });

  it('stride: from the second equal stride of a slot on', () => {
    const { result } = replayDrawing('core 0\nfill @4000:320 => 2 l1 3 memory 3 compulsory', {
      machine: { l1: l1With('stride') },
    });
    expect(result.totals).toMatchObject({ prefetchIssued: [3, 0], prefetchUseful: [2, 0], prefetchUseless: [1, 0] });
  });

  it("nothing is fetched across a page's end", () => {
    expect(
      replayDrawing('core 0\nR @4fc0', { machine: { l1: l1With('next-line') } }).result.totals.prefetchIssued,
    ).toEqual([0, 0]);
    expect(
      replayDrawing('core 0\nR @4fc0', { machine: { l1: l1With('next-line'), pageBytes: 2 << 20 } }).result.totals
        .prefetchIssued,
    ).toEqual([1, 0]);
  });

  it('what another domain has modified is left alone, and what is there already', () => {
    const { result, count } = replayDrawing(
      `
      core 0           core 1
      W @4040                        => memory compulsory
      R @4000                        => memory compulsory
                       R @4000       => llc compulsory
      W @4040                        => l1
      `,
      { machine: { l1: l1With('next-line') } },
    );
    expect([0, 1, 2].map((row) => count('l1.prefetchIssued', row))).toEqual([1, 0, 0]);
    expect(result.totals).toMatchObject({ writeBacks: 0, invalidations: 0 });
  });

  it('a prefetch is no reference: a line that left unused is compulsory at its first', () => {
    const { result } = replayDrawing(
      `
      core 0
      R @4000   => memory compulsory
      R @40c0   => memory compulsory
      R @4140   => memory compulsory
      R @4040   => l2 compulsory
      `,
      { machine: { l1: l1With('next-line') } },
    );
    expect(result.totals.prefetchUseful).toEqual([0, 0]);
    expect(result.totals.hits).toEqual([0, 1, 0]);
  });

  it('a store of another core takes a prefetched line: useless', () => {
    const { result } = replayDrawing(
      `
      core 0           core 1
      R @4000
                       W @4040:8
      R @4040                        => cache compulsory shared
      `,
      { machine: { l1: l1With('adjacent-line') } },
    );
    // The other prefetch is core 1's, of @4000.
    expect(result.totals).toMatchObject({ prefetchIssued: [2, 0], prefetchUseful: [0, 0], prefetchUseless: [2, 0] });
  });

  it('the L2 has prefetchers of its own: they fill the L2 and count there', () => {
    const { result, count } = replayDrawing(
      `
      core 0
      R @4000   => memory compulsory
      R @4040   => l2 compulsory
      R @4040   => l1
      `,
      { machine: { l2: { ...SMALL.l2, prefetchers: ['next-line'] } } },
    );
    expect(result.totals).toMatchObject({
      prefetchIssued: [0, 1],
      prefetchUseful: [0, 1],
      prefetchUseless: [0, 0],
      misses: [2, 1, 1],
    });
    expect([count('l2.prefetchIssued', 0), count('l2.prefetchHits', 1)]).toEqual([1, 1]);
  });
});

describe('TLB', () => {
  const tlb = { l1: { entries: 1, ways: 1 }, l2: { entries: 2, ways: 2 }, l2LatencyCycles: 7, walkLatencyCycles: 30 };

  it('a miss of the first level costs the second, a miss of both the walk', () => {
    const { result, count } = replayDrawing(
      `
      core 0
      R @4000   => memory compulsory
      R @4008   => l1
      R @5000   => memory compulsory
      R @4000   => l1
      `,
      { machine: { tlb } },
    );
    expect([0, 1, 2, 3].map((row) => count('latencyCycles', row))).toEqual([230, 4, 230, 11]);
    expect(result.totals.tlbMisses).toEqual([3, 2]);
    expect([0, 1, 2, 3].map((row) => [count('tlb.l1Misses', row), count('tlb.l2Misses', row)])).toEqual([
      [1, 1],
      [0, 0],
      [1, 1],
      [1, 0],
    ]);
  });

  it('without a second level a miss of the first walks', () => {
    const { result } = replayDrawing('core 0\nR @4000\nR @5000\nR @4000', {
      machine: { tlb: { ...tlb, l2: undefined } },
    });
    expect(result.totals.tlbMisses).toEqual([3, 3]);
  });

  it('a split access costs its slowest reference, the TLB included', () => {
    const { count } = replayDrawing(
      `
      core 0
      R @4fc0
      R @5000
      R @4fc0
      R @4ffc:8   => 2 l1
      `,
      { machine: { tlb } },
    );
    // @4fc0 is translated by the first level, @5000 by the second.
    expect(count('latencyCycles', 3)).toBe(11);
  });

  it('entries that are no multiple of the ways are refused', () => {
    expect(() =>
      replayDrawing('core 0\nR @4000', { machine: { tlb: { ...tlb, l1: { entries: 6, ways: 4 } } } }),
    ).toThrow('a TLB of 6 entries and 4 ways has 1.5 sets');
  });

  it('pages of 2 MiB', () => {
    expect(
      replayDrawing('core 0\nR @4000\nR @5000\nR @204000', { machine: { tlb, pageBytes: 2 << 20 } }).result.totals
        .tlbMisses,
    ).toEqual([2, 2]);
  });

  it('SMT siblings share a TLB, other cores do not', () => {
    const drawing = 'core 0      core 1\nR @4000     R @4000';
    expect(replayDrawing(drawing, { machine: { tlb, coresPerL1: 2 } }).result.totals.tlbMisses).toEqual([1, 1]);
    expect(replayDrawing(drawing, { machine: { tlb } }).result.totals.tlbMisses).toEqual([2, 2]);
  });
});
