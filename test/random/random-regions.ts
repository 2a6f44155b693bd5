// Regions of a random program: directed graphs of records with several ways through, some without records, and
// addresses derived from one that was logged on every way.

import { PATHS_PER_ENTRY, SIZE_DYNAMIC, SlotKind, STRIDE_LOGGED } from '../../src/trace/layout.js';
import type { UnitSlot } from '../../src/trace/unit.js';
import { addLoop, addRegion, type RegionNode } from '../drawn/region-builder.js';
import type { UnitBuilder } from '../drawn/unit-builder.js';
import type { RandomNumbers } from './random-numbers.js';

const REGIONS = 12;
const LOOPS = 4;
const MAX_NODES = 7;
/** Enough for 64 paths: the region needs a filler. */
const DIAMONDS = 6;

/** Slots of a random segment; with `stamped`, an atomic is its last. */
export type MakeSlots = (stamped: boolean) => UnitSlot[];

/** The number of each region's path 0. */
export function randomRegions(
  builder: UnitBuilder,
  random: RandomNumbers,
  functions: readonly number[],
  makeSlots: MakeSlots,
): number[] {
  const loops = Array.from({ length: LOOPS }, (_, index) =>
    randomLoop(builder, random, functions, makeSlots, index === 0 ? PATHS_PER_ENTRY + 2 : random.between(1, 3)),
  );
  return [...loops, ...randomGraphs(builder, random, functions, makeSlots)];
}

function randomLoop(
  builder: UnitBuilder,
  random: RandomNumbers,
  functions: readonly number[],
  makeSlots: MakeSlots,
  count: number,
): number {
  const logged: number[] = [];
  const records = Array.from({ length: count }, () => {
    const slots = makeSlots(false).filter(
      ({ kind, sizeBytes }) => LOOP_KINDS.includes(kind) && sizeBytes !== SIZE_DYNAMIC,
    );
    deriveSome(slots, builder.unit.slots.length, [...logged], logged, random);
    for (const slot of slots) if (slot.base === 0) slot.delta = random.pick([0, 4, 8, 64, -8, STRIDE_LOGGED]);
    return builder.record('segment', slots, { instructions: random.between(1, 20), function: random.pick(functions) });
  });
  return addLoop(builder.unit, records);
}

const LOOP_KINDS: readonly number[] = [
  SlotKind.load,
  SlotKind.store,
  SlotKind.copyLoad,
  SlotKind.copyStore,
  SlotKind.fill,
];

function randomGraphs(
  builder: UnitBuilder,
  random: RandomNumbers,
  functions: readonly number[],
  makeSlots: MakeSlots,
): number[] {
  return Array.from({ length: REGIONS }, (_, index) => {
    const shape = index === 0 ? diamonds() : randomShape(random);
    const onEveryWay = dominators(shape);
    const logged = shape.map((): number[] => []);
    const nodes = shape.map(({ to, ends }, node): RegionNode => {
      const isLast = to?.length === 0;
      const count = node > 0 && random.chance(25) ? 0 : random.chance(25) ? 2 : 1;
      const records = Array.from({ length: count }, (_unused, position) => {
        const slots = makeSlots(isLast && position === count - 1 && random.chance(40));
        deriveSome(
          slots,
          builder.unit.slots.length,
          [...onEveryWay[node]].flatMap((other) => logged[other]),
          logged[node],
          random,
        );
        return builder.record('segment', slots, {
          instructions: random.between(1, 20),
          function: random.pick(functions),
        });
      });
      return { records, to, ends };
    });
    return addRegion(builder.unit, nodes);
  });
}

function diamonds(): Omit<RegionNode, 'records'>[] {
  const shape = Array.from({ length: DIAMONDS }, (_, index) => [
    { to: [2 * index + 1, 2 * index + 2] },
    { to: [2 * index + 2] },
  ]).flat();
  return [...shape, { to: [] }];
}

function randomShape(random: RandomNumbers): Omit<RegionNode, 'records'>[] {
  const count = random.between(1, MAX_NODES);
  const shape = Array.from({ length: count }, (_, index) => {
    const later = count - 1 - index;
    const to = new Set(
      Array.from({ length: later === 0 ? 0 : random.between(0, 3) }, () => index + 1 + random.below(later)),
    );
    return { to, ends: to.size === 0 || random.chance(25) };
  });
  // Every node but the first has a way in.
  for (let index = 1; index < count; index++) {
    const from = shape[random.below(index)];
    if (!shape.some(({ to }) => to.has(index))) from.to.add(index);
  }
  return shape.map(({ to, ends }) => ({ to: [...to], ends }));
}

/** By node: the nodes on every way to it, itself included. */
function dominators(shape: readonly Omit<RegionNode, 'records'>[]): Set<number>[] {
  const found: Set<number>[] = [];
  shape.forEach((_, node) => {
    const before = shape.flatMap(({ to }, from) => (to?.includes(node) ? [from] : []));
    const common =
      before.length === 0
        ? []
        : [...found[before[0]]].filter((other) => before.every((from) => found[from].has(other)));
    found.push(new Set([...common, node]));
  });
  return found;
}

const NO_ADDRESS: readonly number[] = [SlotKind.gather, SlotKind.scatter, SlotKind.value];

/** Lets some addresses derive from one of `bases` or of this record; `own` takes the logged ones. */
function deriveSome(
  slots: readonly UnitSlot[],
  firstSlot: number,
  bases: readonly number[],
  own: number[],
  random: RandomNumbers,
): void {
  const logged = [...bases];
  slots.forEach((slot, index) => {
    if (NO_ADDRESS.includes(slot.kind)) return;
    if (logged.length > 0 && random.chance(40)) {
      slot.base = 1 + random.pick(logged);
      slot.delta = random.pick([0, 4, 8, 24, 300, -8, -100]);
    } else {
      logged.push(firstSlot + index);
      own.push(firstSlot + index);
    }
  });
}
