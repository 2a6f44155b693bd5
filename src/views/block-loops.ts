// Stage: profile -> views. The costs of blocks that are one innermost loop, as one: of an iteration.

import { LEVELS, type LevelName } from '../contract/machine.js';
import { boundOf, costliestType, type BlockCost, type BlockPrice } from './block-costs.js';

/** Blocks that are in no loop of several stay as they are. */
export function joinLoops(costs: readonly BlockCost[]): BlockCost[] {
  const costOf = new Map(costs.map((cost) => [cost.block, cost]));
  const loops = [...new Set(costs.map(({ of }) => of))]
    .flatMap(({ loops: own }) => own)
    .filter(([header]) => costOf.has(header))
    .map((loop) => loop.flatMap((block) => costOf.get(block) ?? []))
    .filter((parts) => parts.length > 1);
  const inLoop = new Set(loops.flat());
  return [...costs.filter((cost) => !inLoop.has(cost)), ...loops.map(costLoop)];
}

function costLoop(parts: readonly BlockCost[]): BlockCost {
  const [{ of, block, executions }] = parts;
  const sum = (count: (part: BlockCost) => number): number => parts.reduce((all, part) => all + count(part), 0);
  const iteration = (count: (part: BlockCost) => number): number =>
    sum((part) => part.executions * count(part)) / executions;
  const byLevel = (count: (part: BlockCost) => Readonly<Record<LevelName, number>>): Record<LevelName, number> =>
    Object.fromEntries(LEVELS.map((level) => [level, iteration((part) => count(part)[level])])) as Record<
      LevelName,
      number
    >;
  const typeCycles = new Map<string, number>();
  for (const part of parts)
    for (const [type, cycles] of part.typeCycles) typeCycles.set(type, (typeCycles.get(type) ?? 0) + cycles);
  const price = priceLoop(parts, iteration);
  const waitCycles = iteration((part) => part.waitCycles);
  const l1 = { all: sum((part) => part.l1.all), shared: sum((part) => part.l1.shared) };
  return {
    of,
    block,
    parts,
    executions,
    instructions: iteration((part) => part.instructions),
    price,
    missCycles: byLevel((part) => part.missCycles),
    waitCycles,
    misses: byLevel((part) => part.misses),
    typeCycles,
    type: costliestType(typeCycles),
    l1,
    bound: boundOf(price, waitCycles, l1),
    cycles: sum((part) => part.cycles),
  };
}

/** A number that one of the blocks lacks, the loop lacks too. */
function priceLoop(parts: readonly BlockCost[], iteration: (count: (part: BlockCost) => number) => number): BlockPrice {
  const whole = (key: 'measured' | 'predicted' | 'throughput'): number | null =>
    parts.some(({ price }) => price[key] === null) ? null : iteration(({ price }) => price[key]!);
  const costliest = [...parts].sort((a, b) => b.executions * b.price.cycles - a.executions * a.price.cycles)[0];
  return {
    measured: whole('measured'),
    predicted: whole('predicted'),
    throughput: whole('throughput'),
    cycles: iteration(({ price }) => price.cycles),
    by: costliest.price.by,
  };
}
