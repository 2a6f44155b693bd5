// Stage: trace -> blocks. How often control went from a block to one that may follow it: what the records say that came
// next, where each way on leads to records of its own.

import type { CodeBlock } from './machine-code.js';
import type { RecordExecutions } from './record-executions.js';

/** How often control went a way, between these; the same twice where the records say it. */
export interface EdgeRange {
  readonly least: number;
  readonly most: number;
}

/** Of the block of that number and the place of the way in its `next`; null: the records say nothing. */
export type EdgeCounts = (block: number, way: number) => EdgeRange | null;

/** In the place of a record: a call in a tail position comes first. What is made behind it, nobody says. */
const TAIL_CALL = -1;

/** Which records are made before and behind a block. */
export interface RecordWays {
  /** Those of which one is the first that is made there or behind. */
  firstsOf(address: number): ReadonlySet<number>;
  /**
   * The last one that is made before the end of the block, and the first ones that are made on ways that led elsewhere
   * since then; null if the last one depends on where control came from.
   */
  lastOf(block: number): { readonly last: number; readonly elsewhere: ReadonlySet<number> } | null;
  /** Whether the code has its place. */
  has(record: number): boolean;
}

/** `records`: by block, those with a probe at its begin; `targets`: where computed jumps lead. */
export function recordWays(
  blocks: readonly CodeBlock[],
  records: readonly (readonly number[])[],
  targets: readonly number[],
): RecordWays {
  const index = new Map(blocks.map(({ address }, at) => [address, at]));
  const copies = new Map<number, number>(); // blocks of each record
  for (const own of records) for (const record of new Set(own)) copies.set(record, (copies.get(record) ?? 0) + 1);
  const sources = blocks.map((): number[] => []);
  for (const [from, block] of blocks.entries())
    for (const address of block.next) if (index.has(address)) sources[index.get(address)!].push(from);

  const firstsOf = (address: number, seen = new Set<number>()): Set<number> => {
    const block = index.get(address);
    if (block === undefined || seen.has(block)) return new Set();
    seen.add(block);
    if (records[block].length > 0) return new Set([records[block][0]]);
    const { isJump, callsLast, next } = blocks[block];
    const firsts = (isJump ? targets : next).flatMap((way) => [...firstsOf(way, seen)]);
    return new Set(callsLast ? [TAIL_CALL, ...firsts] : firsts);
  };

  const lastOf: RecordWays['lastOf'] = (block) => {
    const elsewhere = new Set<number>();
    for (let at = block, steps = 0; steps <= blocks.length; steps++) {
      const last = records[at].at(-1);
      if (last !== undefined) return copies.get(last) === 1 ? { last, elsewhere } : null;
      if (sources[at].length !== 1 || targets.includes(blocks[at].address)) return null;
      const [before] = sources[at];
      for (const address of blocks[before].next)
        if (address !== blocks[at].address) for (const record of firstsOf(address)) elsewhere.add(record);
      at = before;
    }
    return null;
  };

  return { firstsOf, lastOf, has: (record) => copies.has(record) };
}

export function edgeCounts(
  blocks: readonly CodeBlock[],
  { firstsOf, lastOf, has }: RecordWays,
  { next }: RecordExecutions,
): EdgeCounts {
  return (block, way) => {
    const found = lastOf(block);
    if (found === null) return null;
    const { last, elsewhere } = found;
    const ways = blocks[block].next.map((address) => firstsOf(address));
    if (ways[way].size === 0 || ways[way].has(TAIL_CALL)) return null;
    const came = next.get(last);
    let [least, most] = [0, 0];
    // The code of some places became part of other places' code.
    for (const [record, times] of came ?? []) if (!has(record)) most += times;
    for (const record of ways[way]) {
      const times = came?.get(record) ?? 0;
      most += times;
      const isShared = (other: ReadonlySet<number>): boolean => other.has(record) || other.has(TAIL_CALL);
      if (!isShared(elsewhere) && !ways.some((other, at) => at !== way && isShared(other))) least += times;
    }
    return { least, most };
  };
}
