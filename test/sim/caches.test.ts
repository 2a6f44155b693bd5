// Caches and classes as drawings. The machine is SMALL: L1 two sets of two lines (4 lines), L2 four of two (8 lines),
// LLC eight of four. Line 0x4000 / 64 = 256 lies in set 0 of every level; 0x4040 in set 1, 0x4080 in sets 0 (L1) and 2,
// 0x4100 in sets 0, 0 and 4.

import { describe, expect, it } from 'vitest';
import { replayDrawing, SMALL } from '../drawn/replay-drawing.js';

describe('references', () => {
  it('an access that crosses a line is one reference per line, ascending, and costs its slowest part', () => {
    const { result, count, references } = replayDrawing(`
      core 0
      R @4040:8      => memory compulsory
      R @403c:8      => l1 memory compulsory
      `);
    expect(references).toEqual(['0 r 4040 8', '0 r 403c 8']);
    expect(result.totals).toMatchObject({ accesses: 2, references: 3, loads: 3, hits: [1, 0, 0], misses: [2, 2, 2] });
    expect(count('latencyCycles', 1)).toBe(200);
    expect(count('missLatencyCycles', 1)).toBe(200);
  });

  it('an access over three lines is three references', () => {
    expect(replayDrawing('core 0\nW @403f:66 => 3 memory 3 compulsory').result.totals).toMatchObject({
      accesses: 1,
      references: 3,
      stores: 3,
    });
  });

  it('a copy is, per source line, a load and then a store of as many bytes; the store splits by its own lines', () => {
    const { references, result } = replayDrawing('core 0\ncopy @5020:100 < @4030');
    expect(references).toEqual(
      ['0 r 4030 16', '0 r 4040 64', '0 r 4080 20'].flatMap((load, piece) => [
        load,
        ['0 w 5020 16', '0 w 5030 64', '0 w 5070 20'][piece],
      ]),
    );
    expect(result.totals).toMatchObject({ accesses: 6, references: 3 + 1 + 2 + 2, loads: 3, stores: 5 });
  });

  it('a fill is a store per line of the destination', () => {
    expect(replayDrawing('core 0\nfill @403e:70').references).toEqual(['0 w 403e 2', '0 w 4040 64', '0 w 4080 4']);
  });

  it('an access of size 0 is none', () => {
    expect(replayDrawing('core 0\nR @4000:0\nfill @4000:0\nR @4000:1').result.totals).toMatchObject({
      accesses: 1,
      references: 1,
    });
  });

  it('an atomic is one store', () => {
    const { result, references } = replayDrawing('core 0\nA @4000:8 => memory compulsory');
    expect(result.totals).toMatchObject({ references: 1, loads: 0, stores: 1 });
    expect(references).toEqual(['0 a 4000 8']);
  });
});

describe('classes', () => {
  it('the first reference of a core is compulsory, and shared if another core had stored to the line', () => {
    replayDrawing(`
      core 0           core 1           core 2
      R @4000                                       => memory compulsory
                       R @4000                      => llc compulsory
                       W @4008                      => l1
                                        R @4010     => cache compulsory shared
      `);
  });

  it('true and false sharing differ by bytes: only those stored since the last reference count', () => {
    const { result } = replayDrawing(`
      core 0           core 1
      R @4000:4                      => memory compulsory
                       W @4004:4     => llc compulsory
      R @4000:4                      => cache false-sharing
                       W @4003:2     => l1
      R @4000:4                      => cache true-sharing
                       W @4004:4     => l1
      R @4000:4                      => cache false-sharing
      `);
    expect(result.totals).toMatchObject({ invalidations: 3, upgrades: 2, writeBacks: 3 });
  });

  it('a store back to back by its own core does not make sharing', () => {
    replayDrawing(`
      core 0           core 1
      W @4000                        => memory compulsory
                       W @4000       => cache compulsory shared
      W @4020                        => cache false-sharing
      W @4000                        => l1
                       R @4000       => cache true-sharing
      `);
  });

  it('sharing comes before conflict: the line would be gone from a cache of any size', () => {
    replayDrawing(`
      core 0           core 1
      R @4000                        => memory compulsory
      R @4080                        => memory compulsory
      R @4100                        => memory compulsory
                       W @4000       => llc compulsory
      R @4000                        => cache true-sharing
      R @4080                        => l2 conflict
      `);
  });

  it('with two other lines in a set of two ways: conflict', () => {
    replayDrawing(`
      core 0
      R @4000   => memory compulsory
      R @4080   => memory compulsory
      R @4100   => memory compulsory
      R @4000   => l2 conflict
      `);
  });

  it('one distinct line fewer than the level holds is conflict, as many is capacity', () => {
    replayDrawing(`
      core 0
      R @4000   => memory compulsory
      R @4080   => memory compulsory
      R @4100   => memory compulsory
      R @4040   => memory compulsory
      R @4040   => l1
      R @4000   => l2 conflict
      R @4080   => l2 conflict
      R @4100   => l2 conflict
      R @40c0   => memory compulsory
      R @4040   => l1
      R @4000   => l2 capacity
      `);
  });

  it('hits count as references: a line used again and again is young for conflict or capacity', () => {
    replayDrawing(`
      core 0
      R @4000   => memory compulsory
      R @4080   => memory compulsory
      R @4000   => l1
      R @4100   => memory compulsory
      R @4180   => memory compulsory
      R @4200   => memory compulsory
      R @4000   => llc conflict
      `);
  });

  it('each level has its own class for the same reference', () => {
    const { count } = replayDrawing(`
      core 0
      R @4000   => memory compulsory
      R @4100   => memory compulsory
      R @4200   => memory compulsory
      R @4300   => memory compulsory
      R @4400   => memory compulsory
      R @4000   => llc capacity
      `);
    // Four other lines: as many as the L1 holds, fewer than the L2's eight.
    expect([count('l1.capacity'), count('l2.conflict'), count('l2.capacity'), count('llc.missLoads')]).toEqual([
      1, 1, 0, 5,
    ]);
  });

  it('one LLC has no sharing classes: its history is that of all cores in merged order', () => {
    const { count } = replayDrawing(
      `
      core 0           core 1
      R @4000                        => memory compulsory
                       W @4000       => llc compulsory
      R @4000                        => cache true-sharing
      `,
    );
    expect([count('llc.compulsory'), count('llc.true-sharing')]).toEqual([1, 0]);
  });

  it('with an LLC per core a store takes the line out of the other LLC, and its misses are sharing too', () => {
    const { count } = replayDrawing(
      `
      core 0           core 1
      R @4000                        => memory compulsory
                       W @4000       => memory compulsory
      R @4008                        => cache false-sharing
      `,
      { machine: { coresPerLlc: 1 } },
    );
    expect([count('llc.compulsory'), count('llc.false-sharing'), count('l2.false-sharing')]).toEqual([2, 1, 1]);
  });

  it('the dprof rule: invalidation after any store of another core, conflict in an overfull set, else capacity', () => {
    const { count } = replayDrawing(`
      core 0           core 1
      R @4000                        => memory compulsory
      R @4080                        => memory compulsory
      R @4100                        => memory compulsory
      R @4040                        => memory compulsory
                       W @4040       => llc compulsory
      R @4040                        => cache true-sharing
      `);
    // Line 3 of set 0: 3 lines > 2 ways and 3 x (2 - 1) > 2 x 0. Line 4 lies in set 1: one line.
    expect([0, 1, 2, 3, 5].map((row) => count('l1.dprof.conflict', row))).toEqual([0, 0, 1, 0, 0]);
    expect(count('l1.dprof.invalidation')).toBe(1);
    expect(count('l1.dprof.capacity')).toBe(4);
  });
});

describe('coherence', () => {
  it('a store that hits L1 while another core has the line is an upgrade; without another core it is not', () => {
    const { result } = replayDrawing(`
      core 0           core 1
      R @4000                        => memory compulsory
      W @4000                        => l1
                       R @4000       => cache compulsory shared
      W @4000                        => l1
      W @4000                        => l1
      `);
    expect(result.totals).toMatchObject({ upgrades: 1, invalidations: 1, writeBacks: 1 });
  });

  it('a store that misses a modified line is a transfer without a write-back; a load cleans it', () => {
    const { result } = replayDrawing(`
      core 0           core 1
      W @4000                        => memory compulsory
                       W @4000       => cache compulsory shared
      W @4000                        => cache true-sharing
                       R @4000       => cache true-sharing
      R @4000                        => l1
      `);
    expect(result.totals).toMatchObject({ writeBacks: 1, invalidations: 2, upgrades: 0 });
  });

  it('a clean line of another core is not transferred: the LLC serves', () => {
    replayDrawing(`
      core 0           core 1
      R @4000                        => memory compulsory
                       R @4000       => llc compulsory
      `);
  });

  it('every core that had the line in L1 or L2 is one invalidation', () => {
    const { result } = replayDrawing(`
      core 0           core 1           core 2
      R @4000          R @4000          R @4000
      W @4000                                       => l1
      `);
    expect(result.totals).toMatchObject({ invalidations: 2, upgrades: 1 });
  });

  it('a line that left the L1 but not the L2 is still an invalidation', () => {
    const { result } = replayDrawing(`
      core 0           core 1
      R @4000
      R @4080
      R @4100
                       W @4000       => llc compulsory
      `);
    expect(result.totals.invalidations).toBe(1);
  });
});

describe('levels', () => {
  it(
    'each level evicts alone: a line leaves the L2 and stays in the L1; it is written back when it leaves the ' +
      'last of them',
    () => {
      const drawing = (more: string): string => `
      core 0
      W @4000   => memory compulsory
      R @4100   => memory compulsory
      R @4000   => l1
      R @4200   => memory compulsory
      R @4000   => l1
      ${more}`;
      expect(replayDrawing(drawing('')).result.totals.writeBacks).toBe(0);
      const evicted = replayDrawing(
        drawing(`
      R @4300   => memory compulsory
      R @4100   => llc conflict
      `),
      );
      expect(evicted.result.totals.writeBacks).toBe(1);
    },
  );

  it('an L1 hit does not make the line young in the L2', () => {
    replayDrawing(`
      core 0
      R @4000   => memory compulsory
      R @4100   => memory compulsory
      R @4000   => l1
      R @4200   => memory compulsory
      R @4300   => memory compulsory
      R @4000   => llc conflict
      `);
  });

  it('the LLC is looked up, and made young, also when another core supplies the line', () => {
    const { result } = replayDrawing(
      `
      core 0           core 1           core 2
      W @4000                                       => memory compulsory
      R @4040                                       => memory compulsory
                       R @4000                      => cache compulsory shared
                       R @4080                      => memory compulsory
                                        R @4000     => llc compulsory shared
                                        R @4040     => memory compulsory
      `,
      { machine: { llc: { sizeBytes: 128, ways: 2, latencyCycles: 50 } } },
    );
    expect(result.totals.hits).toEqual([0, 0, 2]);
  });

  it('every level that was passed is filled', () => {
    replayDrawing(`
      core 0           core 1
      R @4000                        => memory compulsory
                       R @4000       => llc compulsory
                       R @4080       => memory compulsory
                       R @4100       => memory compulsory
                       R @4000       => l2 conflict
                       R @4000       => l1
      `);
  });

  it('a set is not evicted by fills of the next set', () => {
    replayDrawing(`
      core 0
      R @4000   => memory compulsory
      R @4040   => memory compulsory
      R @40c0   => memory compulsory
      R @4140   => memory compulsory
      R @4000   => l1
      `);
  });

  it('sets that are no whole number are refused', () => {
    expect(() =>
      replayDrawing('core 0\nR @4000', { machine: { l1: { sizeBytes: 320, ways: 2, latencyCycles: 4 } } }),
    ).toThrow(/a cache of 320 bytes, 2 ways and lines of 64 bytes has 2.5 sets/);
  });

  it('latency is that of the server: 4, 14, 50, 170 from a cache, 200 from memory', () => {
    const { count } = replayDrawing(`
      core 0           core 1
      R @4000                        => memory compulsory
      R @4000                        => l1
      R @4080                        => memory compulsory
      R @4100                        => memory compulsory
      W @4000                        => l2 conflict
                       R @4000       => cache compulsory shared
                       R @4080       => llc compulsory
      `);
    expect([0, 1, 4, 5, 6].map((row) => count('latencyCycles', row))).toEqual([200, 4, 14, 170, 50]);
    expect(count('missLatencyCycles', 1)).toBe(0);
    expect(SMALL.l2.latencyCycles).toBe(14);
  });
});

describe('transfers', () => {
  it(
    'a reference to a line that another core used before is a transfer; under a lock or by an atomic it is ' +
      'order-bound, and so is the transfer after it',
    () => {
      const { count } = replayDrawing(`
      core 0                          core 1
      W @4000
                                      W @4000
                                      lock m; W @4008; unlock m
      lock m; W @4000; unlock m
                                      A @4000
      W @4000
      `);
      expect([0, 1, 2, 3, 4, 5].map((row) => [count('transfers', row), count('orderBoundTransfers', row)])).toEqual([
        [0, 0],
        [1, 0],
        [0, 0],
        [1, 1],
        [1, 1],
        [1, 1],
      ]);
    },
  );

  it.each([
    ['', [1, 0]],
    ['blocked', [1, 1]],
    ['blocked; lock m; unlock m', [1, 1]],
    ['lock m; unlock m', [1, 0]],
    ['release file f', [1, 0]],
    ['acquire file f', [1, 1]],
    ['blocked; acquire barrier b', [1, 0]],
    ['blocked; release barrier b', [1, 0]],
  ])(
    'of a thread that did "%s" just before is order-bound if it waited in a system call or read a message',
    (before, expected) => {
      const { count } = replayDrawing(`
      core 0                          core 1
      W @4000
                                      ${before === '' ? '' : `${before}; `}W @4000
      `);
      expect([count('transfers', 1), count('orderBoundTransfers', 1)]).toEqual(expected);
    },
  );
});
