// Loops whose misses can be counted on paper: a matrix multiply, a five-point stencil, a walk along a list, on the
// default caches (L1 of 64 sets and 8 ways, 512 lines; L2 of 1024 sets and 16 ways). Both engines give these numbers;
// the multiply at full size only the native one.

import { describe, expect, test } from 'vitest';
import type { ReplayInput } from '../../src/contract/input.js';
import { CLASSES, type LEVELS, type Machine } from '../../src/contract/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { addLoop } from '../drawn/region-builder.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { traceFile } from '../random/trace-file.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from '../engine/replay-natively.js';

const LINE = 64;
const DEFAULT: Machine = {
  name: 'default',
  cores: 1,
  lineBytes: LINE,
  l1: { sizeBytes: 32 << 10, ways: 8, latencyCycles: 4 },
  l2: { sizeBytes: 1 << 20, ways: 16, latencyCycles: 14 },
  llc: { sizeBytes: 32 << 20, ways: 16, latencyCycles: 50 },
  coresPerLlc: 1,
  memoryLatencyCycles: 200,
  cacheToCacheLatencyCycles: 200,
};
const ENGINES: readonly (readonly [string, (input: ReplayInput) => ReplayResult])[] = [
  ['ts', simulate],
  ['native', replayNatively],
];
/** In set 0 of every cache. */
const ARRAYS_AT = 0x1000_0000;

function inputOf(builder: UnitBuilder, steps: Iterable<EncodedStep>): ReplayInput {
  const writer = new TraceWriter();
  writer.module('closed-forms', [writeUnit(builder.unit)], []);
  writer.events(0, [...steps]);
  return replayInput(openTrace(traceFile(writer.finish())), DEFAULT, { kind: 'logical' });
}

/** Misses by class; classes that never were are left out. */
function missesOf({ tallies }: ReplayResult, level: (typeof LEVELS)[number]): Record<string, number> {
  const counts = CLASSES.map((name): [string, number] => {
    let total = 0;
    for (let at = COUNTERS.indexOf(`${level}.${name}`); at < tallies.counters.length; at += COUNTERS.length)
      total += tallies.counters[at];
    return [name, total];
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/**
 * product[i][j] = sum over k of left[i][k] * right[k][j], N = 160: rows of 160 doubles are 20 lines; three matrices of
 * 3,200 lines, each from set 0 on. (i, j): 160 times a load of left[i][k] and one of right[k][j], then a store of
 * product[i][j]. Let c = j div 8 be the block of j.
 *
 * right: the column's lines 20 k + c lie in the 16 sets with number = c modulo 4 (20 and 64 have 4 in common), 10 in
 * each: more than 8 ways, gone through in the same order for each j, so every load misses. The first ever of its 3,200
 * lines are compulsory. In a later i the first j of a block finds lines last used a whole i ago: capacity, 3,200 for
 * each. The other 7 of 8 j are conflict: 160 * 140 for each i. product: its line has set 20 i + c modulo 64, which is =
 * c modulo 4: between two of its 8 stores 10 lines of right pass. Of 160 stores of an i 20 are compulsory, 140
 * conflict. left: 20 lines l of the row in 20 sets in a row, 5 of them in sets that the column passes (l = c modulo 4).
 * j = 0: 20 compulsory. In the last 7 j of each of 20 blocks those 5 lines are gone when they come again: 20 * 7 * 5 =
 * 700 conflict for each i. The first j of blocks c = 1..19 remain. Line l is first used at k = 8 l and last at k = 8 l
 * + 7; right's lines in its set are those with k = r modulo 16, and r goes through all 16 values as i goes through 16
 * rows. It was replaced if 8 others came since:
 *   l = c mod 4, the set is passed since this j: as many as there are k = r mod 16 below 8 l; 8 or more for l = 16..19,
 *   all r, and for l = 15, r <= 7.
 *     In 16 rows: 19 blocks * 16, and for c = 3, 7, 11, 15, 19: 5 * 8. Together 344.
 *   l = c - 1 mod 4, the set was passed until the j before: as many as there are from 8 l + 7 to 159, and product's
 *   line if l = c - 1. 8 or more for
 *     l = 0..3, all r: 19 * 16; for l = 4, r >= 7: 5 blocks * 9, and with product's line (c = 5) the other 7; for l =
 *     5, r = 15: 5 * 1, and (c = 6)
 *     the other 15; with product's line alone l = 6, r >= 7 (c = 7): 9, and l = 7, r = 15 (c = 8): 1. Together 386.
 * So 730 in 16 rows. In 160 rows: compulsory 9,600; capacity 159 * 3,200 = 508,800; conflict 160 * (22,400 + 140 + 700)
 * + 7,300 = 3,725,700.
 */
describe('a matrix multiply of 160 columns', () => {
  const N = 160;
  const ROW = N * 8;
  const [left, right, product] = [0, 1, 2].map((matrix) => ARRAYS_AT + matrix * N * ROW);

  function multiply(rows: number): ReplayInput {
    const builder = new UnitBuilder();
    const inner = addLoop(builder.unit, [
      builder.record('segment', [builder.slot('load', { delta: 8 }), builder.slot('load', { delta: ROW })]),
    ]);
    const store = builder.alone('segment', [builder.slot('store')]);
    const steps: EncodedStep[] = [];
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < N; j++) {
        steps.push(
          { path: inner, words: [BigInt(N), BigInt(left + i * ROW), BigInt(right + j * 8)] },
          { path: store, words: [BigInt(product + i * ROW + j * 8)] },
        );
      }
    }
    return inputOf(builder, steps);
  }

  const expected = (rows: number): object => ({
    compulsory: 3200 + rows * 2 * 20,
    conflict: rows * (160 * 140 + 140 + 700) + (rows / 16) * 730,
    capacity: (rows - 1) * 3200,
  });

  test.each(ENGINES)('%s: 16 rows of it', (_, engine) => {
    const result = engine(multiply(16));
    expect(missesOf(result, 'l1')).toEqual(expected(16));
    expect(missesOf(result, 'l2')).toEqual({ compulsory: 3200 + 16 * 2 * 20 });
  });

  test('native: all 160 rows have 3,725,700 conflict, 508,800 capacity and 9,600 compulsory misses', () => {
    const result = replayNatively(multiply(160));
    expect(missesOf(result, 'l1')).toEqual({ compulsory: 9600, conflict: 3_725_700, capacity: 508_800 });
    expect(missesOf(result, 'l1')).toEqual(expected(160));
    // 9,600 lines in a row are at most 10 in a set of the L2.
    expect(missesOf(result, 'l2')).toEqual({ compulsory: 9600 });
    expect(result.totals.references).toBe(2 * N ** 3 + N ** 2);
  });
});

/**
 * to[i][j] from the five points of `from` around (i, j), for the inner i and j: loads of north, west, centre, east,
 * south, a store. Rows of W doubles are W / 8 lines; `to` lies behind `from`.
 *
 * Narrow, W = 512: a row has one line in each set of the L1. Until a row has been south, centre and north, 3 rows of
 * `from` and 3 of `to` pass at most, 6 lines of a set: one miss for each line, R of `from` and R - 2 rows of `to` for R
 * rows. A second sweep finds lines that a whole sweep (126 rows of 64 lines) lies behind: each misses again, capacity.
 * The L2 holds the 8,064 lines. Wide, W = 8192: a row has 1,024 lines, more than the L1. Each line of a row misses once
 * as south, once as centre, once as north: the first is compulsory, the others capacity (3 rows lie between). Rows 1 to
 * R - 2 are stored: one compulsory miss a line. In the first sweep over i = 1 north and centre are compulsory too. So
 * 1,024 * (R + R - 2) compulsory and 1,024 * 2 * (R - 3) capacity. The L2 has a line of each row in each set, 10 of 16.
 */
describe('a five-point stencil', () => {
  function stencil(width: number, rows: number, sweeps: number): ReplayInput {
    const builder = new UnitBuilder();
    const kinds = ['load', 'load', 'load', 'load', 'load', 'store'] as const;
    const loop = addLoop(builder.unit, [
      builder.record(
        'segment',
        kinds.map((kind) => builder.slot(kind, { delta: 8 })),
      ),
    ]);
    const steps: EncodedStep[] = [];
    const at = (i: number, j: number): bigint => BigInt(ARRAYS_AT + (i * width + j) * 8);
    for (let sweep = 0; sweep < sweeps; sweep++) {
      for (let i = 1; i < rows - 1; i++) {
        steps.push({
          path: loop,
          words: [BigInt(width - 2), at(i - 1, 1), at(i, 0), at(i, 1), at(i, 2), at(i + 1, 1), at(rows + i, 1)],
        });
      }
    }
    return inputOf(builder, steps);
  }

  test.each(ENGINES)('%s: rows that fit miss once a line and sweep', (_, engine) => {
    const result = engine(stencil(512, 64, 2));
    expect(missesOf(result, 'l1')).toEqual({ compulsory: 64 * (64 + 62), capacity: 64 * (64 + 62) });
    expect(missesOf(result, 'l2')).toEqual({ compulsory: 8064 });
  });

  test.each(ENGINES)('%s: rows that do not fit miss as south, as centre and as north', (_, engine) => {
    const result = engine(stencil(8192, 6, 1));
    expect(missesOf(result, 'l1')).toEqual({ compulsory: 1024 * (6 + 4), capacity: 1024 * 2 * 3 });
    expect(missesOf(result, 'l2')).toEqual({ compulsory: 10_240 });
    expect(result.totals.references).toBe(4 * 8190 * 6);
  });
});

/**
 * A list of K nodes, `spacing` bytes apart, linked in any order and walked R times: one load of a node's `next`, in its
 * first 8 bytes. A node a line: K <= 512 nodes in a row are at most 8 in a set, so all stay: K compulsory misses. K =
 * 1,024: 16 in each set of 8 ways, always in the same order: LRU has just replaced the next. Every step misses: K
 * compulsory, (R - 1) K capacity (1,023 others came between). K = 513: only the 9 of set 0 replace each other: 9 (R -
 * 1), and the 512 others that came between are as many as the L1 holds: capacity. 16 nodes that are 4,096 bytes apart
 * all lie in set 0, and 15 others come between: (R - 1) 16 conflict.
 */
describe('a walk along a list', () => {
  function walk(nodes: number, spacing: number, rounds: number): ReplayInput {
    const builder = new UnitBuilder();
    const path = builder.alone('segment', [builder.slot('load')]);
    // 7 has no divisor in common with any of the lengths.
    const steps = Array.from({ length: nodes * rounds }, (_, step) => ({
      path,
      words: [BigInt(ARRAYS_AT + ((step * 7) % nodes) * spacing)],
    }));
    return inputOf(builder, steps);
  }

  const ROUNDS = 20;
  test.each([
    [512, LINE, { compulsory: 512 }],
    [1024, LINE, { compulsory: 1024, capacity: (ROUNDS - 1) * 1024 }],
    [513, LINE, { compulsory: 513, capacity: (ROUNDS - 1) * 9 }],
    [16, 4096, { compulsory: 16, conflict: (ROUNDS - 1) * 16 }],
  ])('of %i nodes, %i bytes apart', (nodes, spacing, expected) => {
    for (const [name, engine] of ENGINES) {
      const result = engine(walk(nodes, spacing, ROUNDS));
      expect(missesOf(result, 'l1'), name).toEqual(expected);
      expect(missesOf(result, 'l2'), name).toEqual({ compulsory: nodes });
    }
  });
});
