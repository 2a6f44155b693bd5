// Addresses at times, beside a replay drawn as steps: the object of that time, one that came a moment later, none.

import { expect, test } from 'vitest';
import type { LiveObjects } from '../../../src/sim/access-observer.js';
import type { SimObject } from '../../../src/sim/sim-object.js';
import { NO_ADDRESS, ObjectsAtTimes } from '../../../src/hardware/validate/objects-at-times.js';

const [A, B] = [1, 2].map((number) => ({ number }) as SimObject);

/** Stamps are nanoseconds. What is at address 8 from each stamp on; null: nothing, undefined: freed memory. */
function watch(
  asked: readonly (readonly [stamp: number, address: number])[],
  steps: readonly (readonly [stamp: number, there: SimObject | null | undefined])[],
): ObjectsAtTimes {
  const found = new ObjectsAtTimes(
    {
      stamp: BigUint64Array.from(asked, ([stamp]) => BigInt(stamp)),
      address: Float64Array.from(asked, ([, address]) => address),
    },
    1e9,
  );
  let there: SimObject | null | undefined = null;
  const objects: LiveObjects = {
    find: (address) => (address === 8 ? (there ?? null) : null),
    wasFreed: (address) => address === 8 && there === undefined,
  };
  for (const [stamp, next] of steps) {
    found.step(BigInt(stamp), objects); // before the step
    there = next;
  }
  found.finish();
  return found;
}

test('the object of that time; memory is used again', () => {
  const found = watch(
    [
      [10, 8],
      [150, 8],
      [250, 8],
      [350, 8],
      [360, 16],
      [370, NO_ADDRESS],
    ],
    [
      [0, A],
      [200, B],
      [300, undefined],
      [100_000, undefined],
    ],
  );
  expect([...found.object]).toEqual([A, A, B, undefined, undefined, undefined]);
  expect([...found.isFreed]).toEqual([0, 0, 0, 1, 0, 0]);
  expect(found.late).toBe(0);
});

test('clocks agree to 20 µs: what comes within is taken, what comes later is not', () => {
  const found = watch(
    [[10_000, 8]],
    [
      [0, null],
      [29_000, A],
      [40_000, A],
    ],
  );
  expect([found.object[0], found.late]).toEqual([A, 1]);
  expect(
    watch(
      [[10_000, 8]],
      [
        [0, null],
        [31_000, A],
        [40_000, A],
      ],
    ).object[0],
  ).toBeUndefined();
});

test('what is later than the last step saw the last objects', () => {
  expect([
    ...watch(
      [
        [500, 8],
        [600, 16],
      ],
      [
        [0, A],
        [10, A],
      ],
    ).object,
  ]).toEqual([A, undefined]);
});
