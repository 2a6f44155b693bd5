// Stage: test. Samplers held against a second reading of what they do: distances, threads, skid and stores counted
// apart, draw by draw.

import { expect, test } from 'vitest';
import { Draws } from '../../../src/order/draws.js';
import {
  eventsOf,
  SAMPLER_KINDS,
  Samplers,
  STORE_PERIODS,
  type Drawn,
  type SamplerKind,
} from '../../../src/hardware/validate/samplers.js';

const kindOf = (name: string): SamplerKind => SAMPLER_KINDS.find((kind) => kind.name === name)!;

interface Access {
  readonly thread: number;
  readonly isStore: boolean;
  readonly latency: number;
  /** Its segment has so many instructions, and this access alone. */
  readonly instructions: number;
}

/** Slots are numbers of accesses, so that a draw says which it was. */
function draw(
  kind: SamplerKind,
  period: number,
  accesses: readonly Access[],
  { skid = 0, seed = 1, threads = 1 } = {},
): Drawn {
  const records = {
    instructions: Uint32Array.from(accesses, ({ instructions }) => instructions),
    slotCount: new Uint16Array(accesses.length).fill(1),
    firstSlot: Uint32Array.from(accesses, (_, index) => index),
  };
  const samplers = new Samplers(records, [{ kind, period }], skid, seed, threads);
  accesses.forEach(({ thread, isStore, latency }, index) => {
    samplers.segment(thread, index);
    samplers.access(thread, isStore, index, 0, null, latency, false, false);
  });
  return samplers.samplers[0].drawn;
}

function someAccesses(count: number, threads: number, seed: number): Access[] {
  const draws = new Draws(seed);
  return Array.from({ length: count }, () => ({
    thread: draws.below(threads),
    isStore: draws.below(3) === 0,
    latency: [4, 14, 50, 200][draws.below(4)],
    instructions: 1 + draws.below(9),
  }));
}

/** -1: none. */
function firstBehind(starts: readonly number[], place: number, skid: number): number {
  for (let at = place + 1; at < starts.length; at++) if (starts[at] >= starts[place] + skid) return at;
  return -1;
}

const gaps = (places: readonly number[]): number[] => places.slice(1).map((place, index) => place - places[index]);

test.each([100, 1000])(
  'a distance is the period, a tenth more or less, and anything in between: period %i',
  (period) => {
    const { slot } = draw(kindOf('even'), period, someAccesses(400 * period, 1, 5));
    const found = gaps(slot);
    expect(Math.min(...found)).toBeGreaterThanOrEqual(0.9 * period - 1);
    expect(Math.max(...found)).toBeLessThanOrEqual(1.1 * period + 1);
    // Ten bins of the range, each with a tenth of the draws, within five standard deviations.
    const bins = new Array<number>(10).fill(0);
    for (const gap of found) bins[Math.max(0, Math.min(9, Math.floor((gap / period - 0.9) * 50)))]++;
    for (const bin of bins)
      expect(Math.abs(bin - found.length / 10)).toBeLessThanOrEqual(5 * Math.sqrt(found.length * 0.09));
  },
);

test('threads draw on their own: what one does moves no draw of another', () => {
  const both = someAccesses(60_000, 2, 9);
  for (const kind of SAMPLER_KINDS) {
    const together = draw(kind, 300, both, { skid: 7, threads: 2 });
    for (const thread of [0, 1]) {
      const places = both.flatMap((access, index) => (access.thread === thread ? [index] : []));
      const alone = draw(
        kind,
        300,
        places.map((place) => both[place]),
        { skid: 7, threads: 2 },
      );
      expect(alone.slot.map((slot) => places[slot])).toEqual(
        together.slot.filter((slot) => both[slot].thread === thread),
      );
    }
    expect(
      together.slot.some((slot) => both[slot].thread === 0) && together.slot.some((slot) => both[slot].thread === 1),
    ).toBe(true);
  }
});

test.each([0, 1, 5, 10, 64])('skid: of the same draws, the first access that is %i instructions behind', (skid) => {
  const accesses = someAccesses(40_000, 1, 21);
  const starts = [0];
  for (const { instructions } of accesses) starts.push(starts.at(-1)! + instructions);
  starts.pop();
  const due = draw(kindOf('latency'), 700, accesses, { seed: 3 });
  const late = draw({ ...kindOf('latency'), skids: true }, 700, accesses, { seed: 3, skid });
  // Looked for from each access that was due; what is due while one is awaited comes with that one.
  const expected = new Map<number, number>();
  let awaited = -1;
  due.slot.forEach((place, draw) => {
    if (place >= awaited) awaited = skid === 0 ? place : firstBehind(starts, place, skid);
    if (awaited >= 0) expected.set(awaited, (expected.get(awaited) ?? 0) + due.weight[draw]);
  });
  expect(late.slot.map((slot, draw) => [slot, late.weight[draw]])).toEqual([...expected]);
  expect(late.slot.length).toBeGreaterThan(1000);
});

test('stores apart: loads at the period, stores at two and a half times, each counting for as many', () => {
  const accesses = someAccesses(300_000, 1, 4);
  const { slot, weight } = draw(kindOf('cacheperf'), 100, accesses);
  const ordinal = new Map<number, number>();
  let [loads, stores] = [0, 0];
  accesses.forEach(({ isStore }, index) => ordinal.set(index, isStore ? stores++ : loads++));
  for (const [isStore, period] of [
    [false, 100],
    [true, 100 * STORE_PERIODS],
  ] as const) {
    const drawn = slot.filter((place) => accesses[place].isStore === isStore);
    const found = gaps(drawn.map((place) => ordinal.get(place)!));
    expect([Math.min(...found) >= 0.9 * period - 1, Math.max(...found) <= 1.1 * period + 1]).toEqual([true, true]);
    expect(Math.abs(drawn.length - (isStore ? stores : loads) / period)).toBeLessThanOrEqual(5);
  }
  expect(slot.every((place, draw) => weight[draw] === (accesses[place].isStore ? STORE_PERIODS : 1))).toBe(true);
  // So shares are those of accesses, and a period that makes so many samples does.
  const ofStores =
    slot.reduce((sum, place, draw) => sum + (accesses[place].isStore ? weight[draw] : 0), 0) /
    weight.reduce((sum, one) => sum + one, 0);
  expect(ofStores).toBeCloseTo(stores / (loads + stores), 2);
  expect(
    Math.abs(
      slot.length -
        eventsOf(kindOf('cacheperf'), { accesses: 300_000, loads, latencyCycles: 0, loadLatencyCycles: 0 }) / 100,
    ),
  ).toBeLessThanOrEqual(5);
});
