// Most objects at once, found in one pass with only those that live in mind, is what counting at every instant finds.

import { expect, test } from 'vitest';
import type { Profile } from '../../src/profile/profile.js';
import { EarliestFirst } from '../../src/views/earliest-first.js';
import { summariseLives } from '../../src/views/object-lives.js';
import { RandomNumbers } from '../random/random-numbers.js';

type Life = readonly [born: number, died: number];

function profileOf(
  lives: readonly Life[],
  types: readonly number[],
  sizes: readonly number[],
  runs?: readonly number[],
): Profile {
  const zeros = new Float64Array(lives.length);
  const objects = {
    address: zeros,
    sizeBytes: Float64Array.from(sizes),
    lives: new Float64Array(lives.length).fill(1),
    lifetime: zeros,
    flags: new Uint8Array(lives.length),
    type: Uint32Array.from(types),
    bornAt: Float64Array.from(lives, ([born]) => born),
    diedAt: Float64Array.from(lives, ([, died]) => died),
  };
  const objectCounters = { object: new Uint32Array(0), counter: new Uint8Array(0), value: new Float64Array(0) };
  return {
    types: { name: new Uint32Array(3) },
    totals: { instructions: 1 },
    objects,
    objectCounters,
    ...(runs && { runs: runs.map((count) => ({ objects: count })) }),
  } as unknown as Profile;
}

function mostBytesAtAnyInstant(lives: readonly Life[], sizes: readonly number[]): number {
  const bytes = (isIn: (life: Life) => boolean): number[] => sizes.filter((_, at) => isIn(lives[at]));
  return lives.reduce((most, [now]) => {
    const there = bytes(([born, died]) => born <= now && born !== died && (died === -1 || died > now)).reduce(
      (sum, size) => sum + size,
      0,
    );
    return Math.max(most, there + Math.max(0, ...bytes(([born, died]) => born === now && died === now)));
  }, 0);
}

function countAtEveryInstant(lives: readonly Life[]): number {
  const outlives =
    (now: number) =>
    ([born, died]: Life): boolean =>
      born <= now && born !== died && (died === -1 || died > now);
  return lives.reduce(
    (most, [now]) =>
      Math.max(
        most,
        lives.filter(outlives(now)).length + (lives.some(([born, died]) => born === now && died === now) ? 1 : 0),
      ),
    0,
  );
}

test('the peak is what counting at every instant finds, of each type and of the fullest run', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new RandomNumbers(seed);
    const drawn = (): Life[] =>
      Array.from({ length: random.below(40) }, () => random.below(20))
        .sort((a, b) => a - b)
        .map((born): Life => [born, random.chance(20) ? -1 : born + random.below(6)]);
    const runs = [drawn(), drawn()];
    const types = runs.map((lives) => lives.map(() => random.below(3)));
    const sizes = runs.map((lives) => lives.map(() => random.below(100)));
    const found = summariseLives(
      profileOf(
        runs.flat(),
        types.flat(),
        sizes.flat(),
        runs.map(({ length }) => length),
      ),
    );
    const expected = [0, 1, 2].map((type) =>
      Math.max(...runs.map((lives, run) => countAtEveryInstant(lives.filter((_, at) => types[run][at] === type)))),
    );
    expect(
      found.map(({ peak }) => peak),
      `seed ${seed}`,
    ).toEqual(expected);
    const ofType = <Value>(values: readonly Value[], run: number, type: number): Value[] =>
      values.filter((_, at) => types[run][at] === type);
    const bytes = [0, 1, 2].map((type) =>
      Math.max(
        ...runs.map((lives, run) => mostBytesAtAnyInstant(ofType(lives, run, type), ofType(sizes[run], run, type))),
      ),
    );
    expect(
      found.map(({ peakBytes }) => peakBytes),
      `seed ${seed}`,
    ).toEqual(bytes);
    expect(found.map(({ objects }) => objects)).toEqual(
      [0, 1, 2].map((type) => types.flat().filter((own) => own === type).length),
    );
  }
});

test('the queue gives times up in order, equal ones too', () => {
  const queue = new EarliestFirst();
  for (const time of [5, 1, Infinity, 3, 3, 9, ...Array.from({ length: 40 }, (_, at) => 100 - at)]) queue.add(time, 0);
  const sizes = [0, 1, 3, 8, 61, 100, Infinity].map((time) => {
    queue.removeUpTo(time);
    return queue.size;
  });
  expect(sizes).toEqual([46, 45, 43, 42, 40, 1, 0]);
});
