// Stage: trace -> blocks. How often control came to a block, or left it in its middle, by no way of the control flow
// graph: a thread that begins or ends there (fork, a window's border, exit), an exception, a longjmp.

import { RecordFlag } from '../trace/layout.js';
import type { CodeBlock } from './machine-code.js';
import type { RecordExecutions, RecordFacts } from './record-executions.js';

/** By block; null: nobody knows. */
export interface OtherWays {
  readonly into: readonly (number | null)[];
  readonly out: readonly (number | null)[];
}

/** `records`: by block, those with a probe at its begin; `targets`: where computed jumps lead. */
export function otherWays(
  blocks: readonly CodeBlock[],
  records: readonly (readonly number[])[],
  targets: readonly number[],
  { made, next }: RecordExecutions,
  { function: functionOf, flags }: RecordFacts,
): OtherWays {
  const places = new Map<number, number[]>(); // blocks of each record
  for (const [block, own] of records.entries())
    for (const record of new Set(own)) places.set(record, [...(places.get(record) ?? []), block]);
  const [into, out] = [new Sums(blocks.length, places), new Sums(blocks.length, places)];
  const ahead = records.map((own, block) => (own.length > 0 ? recordedAhead(blocks, records, block, targets) : null));
  const behind = new Map<number, number>(); // made behind another record of the same call
  for (const record of recordsOfFunction([...places.keys()], functionOf))
    for (const [to, times] of next.get(record) ?? []) behind.set(to, (behind.get(to) ?? 0) + times);
  for (const [record, own] of places) {
    let went = 0;
    for (const [to, times] of next.get(record) ?? []) {
      went += times;
      const at = places.get(to);
      if (at === undefined || own.some((block) => ahead[block] === null)) continue;
      if (own.some((block) => at.some((other) => other === block || ahead[block]!.has(other)))) continue;
      out.add(record, times);
      into.add(to, times);
    }
    if ((flags[record] & RecordFlag.exit) === 0) out.add(record, made[record] - went);
    if ((flags[record] & RecordFlag.entry) === 0) into.add(record, made[record] - (behind.get(record) ?? 0));
  }
  return { into: into.byBlock, out: out.byBlock };
}

class Sums {
  readonly byBlock: (number | null)[];

  constructor(
    blocks: number,
    private readonly places: ReadonlyMap<number, readonly number[]>,
  ) {
    this.byBlock = Array.from({ length: blocks }, () => 0);
  }

  /** Of a record with several places, nobody knows at which. */
  add(record: number, times: number): void {
    if (times <= 0) return;
    const own = this.places.get(record)!;
    for (const block of own) {
      const sum = this.byBlock[block];
      this.byBlock[block] = sum === null || own.length > 1 ? null : sum + times;
    }
  }
}

/** The next blocks with records on all ways from the block; null: some way leads where nobody knows. */
function recordedAhead(
  blocks: readonly CodeBlock[],
  records: readonly (readonly number[])[],
  from: number,
  targets: readonly number[],
): ReadonlySet<number> | null {
  const index = new Map(blocks.map(({ address }, at) => [address, at]));
  const found = new Set<number>();
  const seen = new Set<number>();
  const ahead = [from];
  for (let block = ahead.pop(); block !== undefined; block = ahead.pop()) {
    const { isJump, callsLast, endsInCall, next } = blocks[block];
    if (callsLast || (isJump && targets.length === 0)) return null;
    for (const address of isJump ? targets : next) {
      const to = index.get(address);
      if (to === undefined && !endsInCall) return null;
      if (to === undefined || seen.has(to)) continue;
      seen.add(to);
      if (records[to].length > 0) found.add(to);
      else ahead.push(to);
    }
  }
  return found;
}

/** A function's records stand together in its unit. */
function* recordsOfFunction(some: readonly number[], functionOf: RecordFacts['function']): Generator<number> {
  if (some.length === 0) return;
  const own = functionOf[some[0]];
  let first = some[0];
  while (first > 0 && functionOf[first - 1] === own) first--;
  for (let record = first; functionOf[record] === own; record++) yield record;
}
