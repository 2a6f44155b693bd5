// The ordered ranges against a plain array of bytes, and the two places where old releases are forgotten.

import { describe, expect, it } from 'vitest';
import { NO_RANGE, RangeMap } from '../../src/base/range-map.js';
import type { RangeRelease } from '../../src/order/range-cells.js';
import { NOT_ISSUED, ReleaseLane, type Release } from '../../src/order/release-lane.js';
import { ReleaseRanges } from '../../src/order/release-ranges.js';
import { RandomNumbers } from '../random/random-numbers.js';

describe('RangeMap', () => {
  it.each([1, 2, 3])('puts, clears and raises like an array of bytes, seed %i', (seed) => {
    const random = new RandomNumbers(seed);
    const map = new RangeMap();
    const bytes = new Int32Array(4000).fill(NO_RANGE);
    for (let step = 0; step < 4000; step++) {
      const begin = random.below(3990);
      const end = begin + random.below(step % 50 === 0 ? 500 : 10);
      const value = random.below(1000);
      switch (random.below(4)) {
        case 0:
          map.clear(begin, end);
          bytes.fill(NO_RANGE, begin, Math.min(end, 4000));
          break;
        case 1:
          map.raise(begin, end, value);
          for (let at = begin; at < Math.min(end, 4000); at++) bytes[at] = Math.max(bytes[at], value);
          break;
        default:
          map.put(begin, end, value);
          bytes.fill(value, begin, Math.min(end, 4000));
      }
      const probe = random.below(3990);
      expect(map.find(probe)).toBe(bytes[probe]);
      expect(map.overlaps(probe, probe + 5)).toBe(bytes.subarray(probe, probe + 5).some((byte) => byte !== NO_RANGE));
    }
    const painted = new Int32Array(4000).fill(NO_RANGE);
    for (const { begin, end, value } of map.overlapping(0, 10_000)) painted.fill(value, begin, Math.min(end, 4000));
    expect(painted).toEqual(bytes);
  });

  it('ranges touch without overlapping; an empty one is none', () => {
    const map = new RangeMap();
    map.put(0, 16, 1);
    map.put(16, 32, 2);
    map.put(8, 8, 3);
    expect([map.find(15), map.find(16), map.find(32), map.overlaps(32, 40)]).toEqual([1, 2, NO_RANGE, false]);
  });
});

const release = (key: bigint, clock = NOT_ISSUED): Release => ({ key, thread: 0, clock, waiters: null });

describe('ReleaseLane', () => {
  it('finds the last release below a key, before and after pruning', () => {
    const lane = new ReleaseLane();
    for (let index = 0; index < 100; index++) lane.push(release(BigInt(index * 10), index < 60 ? index : NOT_ISSUED));
    expect(lane.lastBelow(0n)).toBeUndefined();
    expect(lane.lastBelow(505n)?.clock).toBe(50);
    expect([lane.lastBelow(500n)?.clock, lane.lastBelow(990n)?.key]).toEqual([49, 980n]);
    expect(lane.isLong).toBe(true);
    lane.prune(505n);
    expect(lane.isLong).toBe(false);
    expect([lane.lastBelow(505n)?.clock, lane.lastBelow(506n)?.key, lane.lastBelow(2000n)?.key]).toEqual([
      50,
      500n,
      990n,
    ]);
  });
});

describe('ReleaseRanges', () => {
  it('a free that does not know its size is of more than its first byte once it is issued', () => {
    const ranges = new ReleaseRanges();
    const free: RangeRelease = { key: 5n, thread: 0, clock: NOT_ISSUED, waiters: null, begin: 1000, end: 1001 };
    ranges.add(free);
    const pending: Release[] = [];
    expect([ranges.before(1008, 1016, 9n, 1, pending), pending]).toEqual([0, []]);
    expect([ranges.before(992, 1001, 9n, 1, pending), pending]).toEqual([0, [free]]);
    free.clock = 7;
    ranges.issue(free, 1000, 1100);
    expect([ranges.before(1099, 1200, 9n, 1, pending), ranges.before(1100, 1200, 9n, 1, pending)]).toEqual([7, 0]);
    // not below its own key, not its own thread
    expect([ranges.before(1099, 1200, 5n, 1, pending), ranges.before(1099, 1200, 9n, 0, pending)]).toEqual([0, 0]);
  });

  it('answers the same after folding what every later acquire is behind', () => {
    const random = new RandomNumbers(4);
    const plain: RangeRelease[] = [];
    const ranges = new ReleaseRanges();
    for (let index = 0; index < 300; index++) {
      const begin = random.below(100_000);
      const one: RangeRelease = {
        key: BigInt(index),
        thread: index % 2,
        clock: NOT_ISSUED,
        waiters: null,
        begin,
        end: begin + random.pick([16, 500, 90_000]),
      };
      plain.push(one);
      ranges.add(one);
    }
    for (const one of plain.slice(0, 250)) {
      one.clock = Number(one.key) * 2;
      ranges.issue(one, one.begin, one.end);
    }
    for (const floor of [0n, 100n, 200n]) {
      ranges.fold(floor);
      for (let query = 0; query < 200; query++) {
        const begin = random.below(100_000);
        const end = begin + random.pick([0, 1, 100, 5000, 80_000]);
        const key = floor + BigInt(random.below(300 - Number(floor)));
        const pending: Release[] = [];
        const clock = ranges.before(begin, end, key, 2, pending);
        const hits = plain.filter((one) => one.key < key && begin < end && one.begin < end && begin < one.end);
        expect(clock).toBe(Math.max(0, ...hits.filter((one) => one.clock !== NOT_ISSUED).map((one) => one.clock)));
        const lastOf = (thread: number): RangeRelease[] =>
          hits.filter((one) => one.clock === NOT_ISSUED && one.thread === thread).slice(-1);
        expect(new Set(pending)).toEqual(new Set([...lastOf(0), ...lastOf(1)]));
      }
    }
  });
});
