// Stage: profile -> views. What each machine block of a run costs: how often it ran, cycles of its instructions, and of
// its misses. docs/program-blocks.md, "What it costs", has the rules.

import { NO_INDEX } from '../base/ids.js';
import type { CountedBlock } from '../blocks/block-executions.js';
import type { Catalog } from '../contract/catalog.js';
import { CLASSES, LEVELS, type LevelName, type Machine } from '../contract/machine.js';
import { COUNTERS, type TallyTable } from '../contract/result.js';
import { costOfLevels } from './level-cycles.js';
import { missesAtATime } from './run-cycles.js';

/** A plain body's blocks. */
export interface CountedFunction {
  /** As other views call it, and as the linker spells it. */
  readonly function: string;
  readonly symbol: string;
  /** The ELF file, and where it begins in it. */
  readonly file: string;
  readonly address: number;
  readonly blocks: readonly CountedBlock[];
  /** Innermost ones of several blocks that ran, each with the block first at which an iteration begins. */
  readonly loops: readonly (readonly CountedBlock[])[];
}

/** Where the time of a block goes. */
export type Bound = 'compute' | 'dependency' | 'latency' | 'sharing';

/** Cycles of one execution whose data are in the L1. */
export interface BlockPrice {
  /** What it took here; null: it has no number. */
  readonly measured: number | null;
  /** What llvm-mca predicts; null: it is not here, or does not know an instruction. */
  readonly predicted: number | null;
  /** The same if no instruction waited for another. */
  readonly throughput: number | null;
  /** The first of these that there is; else by the number of instructions. */
  readonly cycles: number;
  readonly by: 'measured' | 'llvm-mca' | 'instructions';
}

/** A block, or a loop of several. */
export interface BlockCost {
  readonly of: CountedFunction;
  /** Of a loop: at which an iteration begins. */
  readonly block: CountedBlock;
  /** The blocks of a loop; none: it is a block. */
  readonly parts: readonly BlockCost[];
  /** Of a loop: iterations. */
  readonly executions: number;
  /** Of one execution, as all below but those that say otherwise. */
  readonly instructions: number;
  readonly price: BlockPrice;
  /** By the level that was missed. */
  readonly missCycles: Readonly<Record<LevelName, number>>;
  /** The part of them that other instructions do not hide. */
  readonly waitCycles: number;
  readonly misses: Readonly<Record<LevelName, number>>;
  /** Cycles of misses by type, of all executions. */
  readonly typeCycles: ReadonlyMap<string, number>;
  /** Whose misses cost most; null: none. */
  readonly type: string | null;
  /** Misses of the L1, of all executions, and those of them that another core made. */
  readonly l1: { readonly all: number; readonly shared: number };
  readonly bound: Bound;
  /** Of all executions: price and waiting. */
  readonly cycles: number;
}

/** Of a replay of the whole run; `types`: what the data profile calls them, by row. */
export interface TypedTallies {
  readonly tallies: TallyTable;
  readonly types: readonly string[];
}

/**
 * `isHopped`: as for runCycles. Blocks of which nobody knows how often they
 * ran are left out.
 */
export function costBlocks(
  functions: readonly CountedFunction[],
  catalog: Catalog,
  { tallies, types }: TypedTallies,
  machine: Machine,
  priceOf: (block: CountedBlock) => BlockPrice,
  isHopped: (type: string) => boolean,
): BlockCost[] {
  const slots = new SlotCounters(tallies, types);
  const shares = copiesOf(functions);
  return functions.flatMap((of) =>
    of.blocks.flatMap((block): BlockCost[] => {
      if (block.executions === null || block.executions === 0) return [];
      const counters = new Float64Array(COUNTERS.length);
      const hopped = new Float64Array(COUNTERS.length);
      const typeCycles = new Map<string, number>();
      for (const record of new Set(block.records)) {
        const share = block.executions / shares.get(record)!;
        const first = catalog.records.firstSlot[record];
        for (let slot = first; slot < first + catalog.records.slotCount[record]; slot++) {
          for (const [type, own] of slots.of(slot)) {
            const waits = isHopped(type);
            for (let counter = 0; counter < counters.length; counter++) {
              counters[counter] += own[counter] * share;
              if (waits) hopped[counter] += own[counter] * share;
            }
            typeCycles.set(type, (typeCycles.get(type) ?? 0) + missCyclesOf(own, machine) * share);
          }
        }
      }
      return [costBlock({ of, block }, { counters, hopped, typeCycles }, machine, priceOf(block))];
    }),
  );
}

/** Of all executions. */
interface BlockCounters {
  readonly counters: Float64Array;
  /** The part of them of types whose misses come one after the other. */
  readonly hopped: Float64Array;
  readonly typeCycles: ReadonlyMap<string, number>;
}

function costBlock(
  { of, block }: Pick<BlockCost, 'of' | 'block'>,
  { counters, hopped, typeCycles }: BlockCounters,
  machine: Machine,
  price: BlockPrice,
): BlockCost {
  const executions = block.executions!;
  const get = (name: string): number => counters[COUNTERS.indexOf(name)];
  const { levelCycles } = costOfLevels(get, machine);
  const missesOf = (level: LevelName): number => get(`${level}.missLoads`) + get(`${level}.missStores`);
  const instructions = executions * block.instructions;
  const getHopped = (name: string): number => hopped[COUNTERS.indexOf(name)];
  const oneByOne = costOfLevels(getHopped, machine).levelCycles;
  let wait = 0;
  for (const level of LEVELS) {
    const others = missesOf(level) - getHopped(`${level}.missLoads`) - getHopped(`${level}.missStores`);
    wait += oneByOne[level] + (levelCycles[level] - oneByOne[level]) / missesAtATime(others, instructions);
  }
  const perExecution = (count: (level: LevelName) => number): Record<LevelName, number> => ({
    l1: count('l1') / executions,
    l2: count('l2') / executions,
    llc: count('llc') / executions,
  });
  const waitCycles = wait / executions;
  const l1 = l1Misses(get);
  return {
    of,
    block,
    parts: [],
    executions,
    instructions: block.instructions,
    price,
    missCycles: perExecution((level) => levelCycles[level]),
    waitCycles,
    misses: perExecution(missesOf),
    typeCycles,
    type: costliestType(typeCycles),
    l1,
    bound: boundOf(price, waitCycles, l1),
    cycles: executions * price.cycles + wait,
  };
}

export function costliestType(typeCycles: ReadonlyMap<string, number>): string | null {
  const [[type] = [null, 0]] = [...typeCycles].filter(([, cycles]) => cycles > 0).sort(([, a], [, b]) => b - a);
  return type;
}

function l1Misses(get: (name: string) => number): BlockCost['l1'] {
  return {
    all: CLASSES.map((name) => get(`l1.${name}`)).reduce((sum, count) => sum + count, 0),
    shared: get('l1.true-sharing') + get('l1.false-sharing') + get('l1.compulsoryShared'),
  };
}

/** Instructions wait for each other if they take half as long again as they need side by side. */
const LONG = 1.5;

export function boundOf(
  { cycles, predicted, throughput }: BlockPrice,
  waitCycles: number,
  { all, shared }: BlockCost['l1'],
): Bound {
  if (waitCycles > cycles) return shared > all / 2 ? 'sharing' : 'latency';
  return throughput !== null && (predicted ?? cycles) > LONG * throughput ? 'dependency' : 'compute';
}

/** By record: how often its blocks ran, all copies together. */
function copiesOf(functions: readonly CountedFunction[]): Map<number, number> {
  const executions = new Map<number, number>();
  for (const { blocks } of functions)
    for (const block of blocks)
      for (const record of new Set(block.records))
        executions.set(record, (executions.get(record) ?? 0) + (block.executions ?? 0));
  return executions;
}

function missCyclesOf(counters: Float64Array, machine: Machine): number {
  const { l1, l2, llc } = costOfLevels((name) => counters[COUNTERS.indexOf(name)], machine).levelCycles;
  return l1 + l2 + llc;
}

/** Counters by slot and type: many slots have none. */
class SlotCounters {
  private readonly rows = new Map<number, Map<string, Float64Array>>();

  constructor({ slot, counters }: TallyTable, types: readonly string[]) {
    const width = COUNTERS.length;
    for (const [row, of] of slot.entries()) {
      if (of === NO_INDEX) continue;
      const ofSlot = this.rows.get(of) ?? new Map<string, Float64Array>();
      this.rows.set(of, ofSlot);
      const own = ofSlot.get(types[row]) ?? new Float64Array(width);
      ofSlot.set(types[row], own);
      for (let counter = 0; counter < width; counter++) own[counter] += counters[row * width + counter];
    }
  }

  of(slot: number): Iterable<[string, Float64Array]> {
    return this.rows.get(slot) ?? [];
  }
}
