// Stage: histories. Histories that each saw a part of an object -> paths over all of it.
//
// Two parts are of one path if they have allocation and free in common and agree on every slot that both saw: the same
// accesses to it, in the same order. Their steps are put in one order that keeps the order of each part; where the
// parts leave it open, the mean time since allocation decides. Parts that saw no slot in common (single-offset sets of
// objects with more slots than registers) can not be matched: they are paired by how often they were seen (where all
// histories of a watch are alike, they are of every path), so the number of paths is then a lower bound. Pairwise sets
// match every part; of all paths that the parts would allow, as few are taken as account for every part, those of most
// histories first.

import type { Histories } from './histories.js';
import { addStep, distinctProjections, isWhole, keyOf, type Projection, type Step } from './projection.js';

export interface HistoryPath {
  readonly allocatedIp: number;
  readonly freedIp: number;
  readonly steps: readonly Step[];
  /** That saw a part of it. */
  readonly histories: number;
  /** Some part of every watch of a set belongs to it. */
  readonly isComplete: boolean;
  /** Those of other paths may be among them. */
  readonly parts: readonly Projection[];
}

/** A path as far as it is known. */
interface Partial {
  /** By slot, what happens to it. */
  readonly slots: ReadonlyMap<number, readonly Step[]>;
  /** The orders of steps, as `slot#number`, that its parts have. */
  readonly orders: readonly (readonly string[])[];
  readonly parts: readonly Projection[];
  readonly watches: ReadonlySet<number>;
}

/** Most partial paths of one frame; beyond that, no further way to combine parts is looked for. */
const MOST_PARTIALS = 4096;

/** The paths of one type, most frequent first. `sets`: only what the first sets saw. */
export function mergePaths(histories: Histories, type: number, sets = Infinity): HistoryPath[] {
  const rows = Array.from(histories.rows.type.keys()).filter(
    (row) => histories.rows.type[row] === type && histories.rows.set[row] < sets && isWhole(histories, row),
  );
  const frames = new Map<string, Projection[]>();
  for (const projection of distinctProjections(histories, rows)) {
    const frame = frames.get(projection.frame);
    if (frame === undefined) frames.set(projection.frame, [projection]);
    else frame.push(projection);
  }
  const watches = histories.types[type].watches.length;
  return [...frames.values()]
    .flatMap((projections) => mergeFrame(projections, watches))
    .sort((a, b) => b.histories - a.histories || compare(a.steps.map(keyOf).join(' '), b.steps.map(keyOf).join(' ')));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function mergeFrame(projections: readonly Projection[], watches: number): HistoryPath[] {
  let partials: Partial[] = [];
  for (let watch = 0; watch < watches; watch++) {
    const parts = projections
      .filter((projection) => projection.watch === watch)
      .sort((a, b) => b.histories - a.histories);
    if (parts.length > 0) partials = extend(partials, parts);
  }
  return fewest(partials).map((partial) => finish(partial, watches));
}

/** Each time the one that accounts for most histories that no other one did yet. */
function fewest(partials: readonly Partial[]): Partial[] {
  const open = new Set(partials.flatMap(({ parts }) => parts));
  const left = new Set(partials);
  const taken: Partial[] = [];
  while (open.size > 0) {
    const next = [...left].reduce((best, partial) =>
      explained(partial, open) > explained(best, open) ? partial : best,
    );
    taken.push(next);
    left.delete(next);
    for (const part of next.parts) open.delete(part);
  }
  return taken;
}

function explained({ parts }: Partial, open: ReadonlySet<Projection>): number {
  return parts.reduce((sum, part) => sum + (open.has(part) ? part.histories : 0), 0);
}

function extend(partials: readonly Partial[], parts: readonly Projection[]): Partial[] {
  const isMatchable = partials.some((partial) => parts[0].offsets.some((offset) => partial.slots.has(offset)));
  if (partials.length > 0 && !isMatchable) return pairByFrequency(partials, parts);
  const used = new Set<Projection>();
  const extended = partials.flatMap((partial) => {
    const merged = parts.flatMap((part) => {
      const both = merge(partial, part);
      if (both === null) return [];
      used.add(part);
      return [both];
    });
    return merged.length === 0 ? [partial] : merged;
  });
  return [...extended, ...parts.filter((part) => !used.has(part)).map(begin)].slice(0, MOST_PARTIALS);
}

function pairByFrequency(partials: readonly Partial[], parts: readonly Projection[]): Partial[] {
  const byFrequency = partials.toSorted((a, b) => seen(b) - seen(a));
  return Array.from({ length: Math.max(byFrequency.length, parts.length) }, (_, index) => {
    if (index >= byFrequency.length) return begin(parts[index]);
    return index < parts.length || parts.length === 1
      ? merge(byFrequency[index], parts[index] ?? parts[0])!
      : byFrequency[index];
  });
}

function seen({ parts }: Partial): number {
  return parts.reduce((sum, part) => sum + part.histories, 0);
}

function begin(part: Projection): Partial {
  const slots = new Map<number, readonly Step[]>();
  for (const offset of part.offsets)
    slots.set(
      offset,
      part.steps.filter((step) => step.offset === offset),
    );
  return { slots, orders: [orderOf(part)], parts: [part], watches: new Set([part.watch]) };
}

function orderOf({ steps }: Projection): string[] {
  const counts = new Map<number, number>();
  return steps.map(({ offset }) => {
    const number = counts.get(offset) ?? 0;
    counts.set(offset, number + 1);
    return `${offset}#${number}`;
  });
}

/** Null: they do not agree. */
function merge(partial: Partial, part: Projection): Partial | null {
  const own = begin(part);
  const shared = part.offsets.filter((offset) => partial.slots.has(offset));
  const agree = shared.every((offset) => sequence(partial.slots.get(offset)!) === sequence(own.slots.get(offset)!));
  if (!agree) return null;
  const merged: Partial = {
    slots: new Map([...own.slots, ...partial.slots]),
    orders: [...partial.orders, ...own.orders],
    parts: [...partial.parts, part],
    watches: new Set([...partial.watches, part.watch]),
  };
  return shared.length < 2 || sortSteps(merged) !== null ? merged : null;
}

function sequence(steps: readonly Step[]): string {
  return steps.map(keyOf).join(' ');
}

function finish(partial: Partial, watches: number): HistoryPath {
  const [{ allocatedIp, freedIp }] = partial.parts;
  // Orders that contradict one another only when all are taken together: the path is as the times say.
  const steps = sortSteps(partial) ?? [...collectSteps(partial).values()].sort((a, b) => meanTime(a) - meanTime(b));
  return {
    allocatedIp,
    freedIp,
    steps,
    histories: seen(partial),
    isComplete: partial.watches.size === watches,
    parts: partial.parts,
  };
}

/** Each step once, with what all parts say of it. */
function collectSteps({ parts }: Partial): Map<string, Step> {
  const steps = new Map<string, Step>();
  for (const part of parts) {
    orderOf(part).forEach((id, index) => {
      const known = steps.get(id);
      if (known === undefined) steps.set(id, { ...part.steps[index] });
      else addStep(known, part.steps[index]);
    });
  }
  return steps;
}

function meanTime({ sinceAllocationNs, histories }: Step): number {
  return sinceAllocationNs / histories;
}

/**
 * All steps in an order that keeps that of every part, the earliest first where several may be next; null if there is
 * none.
 */
function sortSteps(partial: Partial): Step[] | null {
  const steps = collectSteps(partial);
  const before = new Map([...steps.keys()].map((id) => [id, new Set<string>()]));
  for (const order of partial.orders)
    for (let index = 1; index < order.length; index++) before.get(order[index])!.add(order[index - 1]);
  const sorted: Step[] = [];
  while (before.size > 0) {
    const next = [...before]
      .filter(([, earlier]) => earlier.size === 0)
      .sort(([a], [b]) => meanTime(steps.get(a)!) - meanTime(steps.get(b)!))[0];
    if (next === undefined) return null;
    const [id] = next;
    before.delete(id);
    for (const earlier of before.values()) earlier.delete(id);
    sorted.push(steps.get(id)!);
  }
  return sorted;
}
