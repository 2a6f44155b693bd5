// Threads on the CPUs that the trace recorded, as drawings: columns are threads. What each replay counts, the native
// engine counts too. docs/replay/order.md, "Cores".

import { describe, expect, it } from 'vitest';
import { coreOfCpus, placeThreads } from '../../src/replay/recorded-cpus.js';
import { COUNTERS, OBJECT_COUNTERS } from '../../src/contract/result.js';
import { replayNatively } from '../engine/replay-natively.js';
import { replayDrawing, type DrawnOptions, type DrawnReplay } from '../drawn/replay-drawing.js';
import { differences } from '../engine/equal-results.js';

const memory: DrawnOptions = {
  types: { 'struct pair': { size: 64, fields: { left: [0, 8], right: [8, 8] } } },
  globals: { pair: ['struct pair', 0x4000], other: ['struct pair', 0x4040] },
  heap: {
    block: { address: 0x10000, size: 64, type: 'struct pair' },
    pooled: { address: 0x10000, size: 8, part: true, pool: 0x77 },
  },
};

function replayOnCpus(text: string, options: DrawnOptions = {}): DrawnReplay {
  const replay = replayDrawing(text, { ...memory, isOnCpus: true, ...options });
  for (const workers of [1, 2])
    expect(differences(replay.result, replayNatively(replay.input, workers), 'ts', 'native')).toEqual([]);
  return replay;
}

/** References by core. */
function referencesByCore({ result: { tallies } }: DrawnReplay): Record<number, number> {
  const counts: Record<number, number> = {};
  for (let row = 0; row < tallies.count; row++) {
    const at = row * COUNTERS.length;
    counts[tallies.core[row]] =
      (counts[tallies.core[row]] ?? 0) +
      tallies.counters[at + COUNTERS.indexOf('loads')] +
      tallies.counters[at + COUNTERS.indexOf('stores')];
  }
  return counts;
}

const FLAGS = { bounced: 1, writeShared: 2, freed: 8, freedElsewhere: 16 };

/** The names of those that are set, of the object at an address. */
function flagsAt({ result: { objects } }: DrawnReplay, address: number): string[] {
  const object = objects.address.indexOf(address);
  return Object.entries(FLAGS).flatMap(([name, bit]) => ((objects.flags[object] & bit) === 0 ? [] : [name]));
}

function coreAt({ result: { objects } }: DrawnReplay, address: number): number {
  return objects.core[objects.address.indexOf(address)];
}

describe('a thread that migrates', () => {
  it('misses on its new core what it never referenced there: compulsory, and shared where it had stored', () => {
    const replay = replayOnCpus(`
      core 0
      cpu 0; W pair.left  => memory compulsory
      R other.left        => memory compulsory
      R pair.left         => l1
      cpu 1; R pair.left  => cache compulsory shared
      R other.left        => llc compulsory
      R pair.right        => l1`);
    expect(referencesByCore(replay)).toEqual({ 0: 3, 1: 3 });
    expect(replay.references.map((line) => line.slice(0, 8))).toEqual([
      '0 w 4000',
      '0 r 4040',
      '0 r 4000',
      '1 r 4000',
      '1 r 4040',
      '1 r 4008',
    ]);
    expect(flagsAt(replay, 0x4000)).toEqual(['bounced', 'writeShared']);
    expect(flagsAt(replay, 0x4040)).toEqual(['bounced']);
    expect(replay.count('transfers')).toBe(2);
  });

  it(
    'finds true and false sharing with itself where it comes back, by the bytes that it stored elsewhere; what ' +
      'it only read there still hits',
    () => {
      const replay = replayOnCpus(`
      core 0
      cpu 0; R pair.left  => memory compulsory
      R other.left        => memory compulsory
      cpu 1; W pair.left  => llc compulsory
      R other.left        => llc compulsory
      cpu 0; R pair.right => cache false-sharing
      R other.left        => l1
      cpu 1; W pair.left  => l1
      cpu 0; R pair.left  => cache true-sharing`);
      expect(replay.result.totals).toMatchObject({ invalidations: 2, upgrades: 1 });
      expect(replay.result.sharing.misses).toEqual(Float64Array.of(1, 1));
    },
  );

  it('without --map=cpu has none of it', () => {
    replayOnCpus(
      `
      core 0
      cpu 0; W pair.left  => memory compulsory
      cpu 1; R pair.left  => l1
      cpu 0; R pair.right => l1`,
      { isOnCpus: false },
    );
  });

  it('a core is one for a whole step, whatever its length', () => {
    const replay = replayOnCpus(
      `
      core 0
      cpu 0; fill @20000:131072
      cpu 1; fill @20000:131072`,
      { machine: { lineBytes: 16 } },
    );
    expect(referencesByCore(replay)).toEqual({ 0: 8192, 1: 8192 });
  });
});

describe('which CPU counts', () => {
  it('that of the TIME event before a step; before the first one, that of the first one', () => {
    const replay = replayOnCpus(`
      core 0        core 1
      W pair.left                 => memory compulsory
                    R pair.left   => cache compulsory shared
      cpu 1
                    cpu 0
      R pair.left                 => l1
                    R pair.left   => l1`);
    expect(referencesByCore(replay)).toEqual({ 0: 2, 1: 2 });
    expect(replay.references[0]).toBe('1 w 4000 8');
    expect(coreAt(replay, 0x4000)).toBe(1);
  });

  it('a thread that says none is on the core of its number', () => {
    const replay = replayOnCpus(`
      core 0         core 1         core 2
      cpu 5; work
                     cpu 9; work
      W pair.left                                 => memory compulsory
                                    R pair.left   => l1
                     R pair.left                  => cache compulsory shared`);
    expect(referencesByCore(replay)).toEqual({ 0: 2, 1: 1 });
  });

  it.each(['logical', 'recorded'] as const)(
    'two threads on one CPU share its caches, in the %s schedule',
    (schedule) => {
      const replay = replayOnCpus(
        `
      core 0              core 1
      cpu 3; W pair.left                        => memory compulsory
                          cpu 3; W pair.right   => l1
      R pair.right                              => l1`,
        { schedule },
      );
      expect(replay.result.totals.invalidations).toBe(0);
      expect(flagsAt(replay, 0x4000)).toEqual([]);
      expect(replay.input.machine.cores).toBe(1);
    },
  );

  it('what a window skips moves threads as well', () => {
    const replay = replayOnCpus(
      `
      core 0
      cpu 0; W pair.left  =>
      cpu 1; W pair.left  =>
      W pair.right        => memory compulsory
      cpu 0; R pair.left  => cache compulsory shared`,
      { window: { warmUp: { kind: 'reference', references: 2 }, from: { kind: 'reference', references: 2 } } },
    );
    expect(referencesByCore(replay)).toEqual({ 0: 1, 1: 1 });
  });
});

describe('objects', () => {
  it('one that a thread allocates on one core and frees on another is freed elsewhere; its core is the first', () => {
    const replay = replayOnCpus(`
      core 0
      cpu 0; work
      cpu 1; alloc block; W block.left
      cpu 0; R block.left; free block`);
    expect(flagsAt(replay, 0x10000)).toEqual(['bounced', 'writeShared', 'freed', 'freedElsewhere']);
    expect([coreAt(replay, 0x10000), coreAt(replay, 0x4000)]).toEqual([1, 0]);
  });

  it('one that another thread frees on the core of its allocation is not', () => {
    const replay = replayOnCpus(`
      core 0                              core 1
      cpu 0; work
      cpu 1; alloc block; W block.left
                                          cpu 1; work
                                          free block`);
    expect(flagsAt(replay, 0x10000)).toEqual(['freed']);
  });

  it('parts go by where the thread is that gives their pool back', () => {
    const drawing = (cpu: number): string => `
      core 0
      cpu 0; alloc pooled; W pooled
      cpu 1; work
      cpu ${cpu}; drop 0x77`;
    expect([0, 1].map((cpu) => flagsAt(replayOnCpus(drawing(cpu)), 0x10000))).toEqual([
      ['freed'],
      ['freed', 'freedElsewhere'],
    ]);
  });

  it('misses of an object are those of all cores that its thread was on', () => {
    const { result } = replayOnCpus(`
      core 0
      cpu 0; alloc block; W block.left
      cpu 1; R block.left
      cpu 0; W block.left
      cpu 1; R block.left`);
    const compulsory = OBJECT_COUNTERS.indexOf('l1.compulsory');
    const sharing = OBJECT_COUNTERS.indexOf('l1.true-sharing');
    const object = result.objects.address.indexOf(0x10000);
    const met = Array.from(result.objectCounters.object, (of, row) => [
      of,
      result.objectCounters.counter[row],
      result.objectCounters.value[row],
    ]);
    expect(met.filter(([of, counter]) => of === object && [compulsory, sharing].includes(counter)).sort()).toEqual(
      [
        [object, compulsory, 2],
        [object, sharing, 1],
      ].sort(),
    );
  });
});

describe('a lock', () => {
  it('that is handed over on one CPU moves no line; on two the transfers are order-bound', () => {
    const drawing = (cpu: number): string => `
      core 0                        core 1
      cpu 0; work
                                    cpu ${cpu}; work
      lock m; W pair.left; unlock m
                                    lock m; W pair.left; unlock m
      lock m; R pair.left; unlock m`;
    const counts = [0, 1].map((cpu) => {
      const replay = replayOnCpus(drawing(cpu));
      return [replay.count('l1.true-sharing'), replay.count('transfers'), replay.count('orderBoundTransfers')];
    });
    expect(counts).toEqual([
      [0, 0, 0],
      [1, 2, 2],
    ]);
  });

  it('stays with its thread, which alone may be on two cores', () => {
    const replay = replayOnCpus(`
      core 0
      cpu 0; W pair.left
      lock m
      cpu 1; W pair.left
      unlock m
      cpu 0; W pair.left`);
    expect([replay.count('transfers'), replay.count('orderBoundTransfers')]).toEqual([2, 2]);
  });
});

describe('CPUs to cores', () => {
  const cpus = { numbers: [2, 5, 40], first: Int32Array.of(40, -1, 2, -1, -1) };
  const cores = (count: number): number[] => coreOfCpus(cpus, count).map(({ core }) => core);

  it('a machine that has a core of each number has them there; another one has them in a row, modulo its cores', () => {
    expect([41, 64, 100].map(cores)).toEqual([
      [2, 5, 40],
      [2, 5, 40],
      [2, 5, 40],
    ]);
    expect([40, 3, 2, 1].map(cores)).toEqual([
      [0, 1, 2],
      [0, 1, 2],
      [0, 1, 0],
      [0, 0, 0],
    ]);
  });

  it('a thread begins on the core of its first CPU, or of its number', () => {
    expect(placeThreads(cpus, 3).first).toEqual(Uint16Array.of(2, 1, 0, 0, 1));
    expect(placeThreads(cpus, 64).first).toEqual(Uint16Array.of(40, 1, 2, 3, 4));
  });

  it('as many cores as CPUs by default, and on each socket those that are its own', () => {
    const drawing = `
      core 0
      cpu 0; R pair.left
      cpu 3; R pair.left`;
    expect(replayOnCpus(drawing).input.machine.cores).toBe(2);
    const sockets = (options: DrawnOptions['machine']): number =>
      replayOnCpus(drawing, { machine: options }).count('served.remote-memory');
    expect(sockets({ cores: 4, coresPerLlc: 2, coresPerSocket: 2 })).toBe(1);
    expect(sockets({ cores: 2, coresPerLlc: 2, coresPerSocket: 2 })).toBe(0);
  });
});
