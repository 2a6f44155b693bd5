// The largest keys of other threads, against a list of all keys.

import { expect, it } from 'vitest';
import { LatestKeys, LatestKeysByRange } from '../../src/order/latest-keys.js';
import { RandomNumbers } from '../random/random-numbers.js';

interface Seen {
  readonly begin: number;
  readonly end: number;
  readonly thread: number;
  readonly key: bigint;
}

/** The largest key of other threads above `floor`, in the seen ranges that meet [begin, end); null if none. */
function largest(seen: readonly Seen[], begin: number, end: number, floor: bigint, thread: number): bigint | null {
  const keys = seen
    .filter((one) => one.thread !== thread && one.begin < end && begin < one.end && one.key > floor)
    .map(({ key }) => key);
  return keys.length === 0 ? null : keys.reduce((a, b) => (b > a ? b : a));
}

it.each([1, 2, 3])('keys in any order, by themselves and by range, seed %i', (seed) => {
  const random = new RandomNumbers(seed);
  const latest = new LatestKeys();
  const byRange = new LatestKeysByRange(Array.from({ length: 33 }, (_, bound) => bound * 8));
  const seen: Seen[] = [];
  for (let step = 0; step < 400; step++) {
    const first = random.below(32);
    const [begin, end] = [first * 8, (first + 1 + random.below(32 - first)) * 8];
    const thread = random.below(4);
    const floor = BigInt(random.below(1000));
    expect(latest.above(floor, thread)?.key ?? null).toBe(largest(seen, 0, 256, floor, thread));
    expect(byRange.above(begin, end, floor, thread)?.key ?? null).toBe(largest(seen, begin, end, floor, thread));
    const key = BigInt(random.below(1000));
    latest.add(thread, key);
    byRange.add(begin, end, thread, key);
    seen.push({ begin, end, thread, key });
  }
});
