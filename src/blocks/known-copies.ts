// Stage: trace -> blocks. What the records of a function say of its blocks: which of them ran so often together.

import { RecordFlag } from '../trace/layout.js';
import type { RecordWays } from './edge-counts.js';
import type { Copies } from './flow.js';
import type { CodeBlock, CodeFunction } from './machine-code.js';
import type { RecordExecutions, RecordFacts } from './record-executions.js';

/** As countBlocks has them. */
interface Known {
  readonly probes: CodeFunction['probes'];
  readonly first: ReadonlyMap<string, number>;
  readonly counted: RecordExecutions;
  readonly facts: RecordFacts;
}

/** `records`: by block of the plain body, those with a probe at its begin. */
export function knownCopies(
  plain: readonly CodeBlock[],
  records: readonly (readonly number[])[],
  ways: RecordWays,
  known: Known,
): Copies[] {
  return [
    ...withoutTails(plain, withoutLost(plain, copiesOf(records, known.counted.made), records), ways, known.counted),
    ...failures(plain, records, ways, known),
    ...callsOf(plain, known),
  ];
}

/**
 * Where a record was made more often than the one of the block that goes on into its place, and into nothing else,
 * other code has become part of that place's, and jumps away from its own: what goes in says how often the place ran.
 */
function withoutLost(
  plain: readonly CodeBlock[],
  copies: readonly PlacedRecord[],
  records: readonly (readonly number[])[],
): PlacedRecord[] {
  const before = new Map<number, number[]>(); // by address: blocks that lead there
  for (const [block, { next }] of plain.entries())
    for (const address of next) before.set(address, [...(before.get(address) ?? []), block]);
  const placed = new Map(copies.map((copy) => [copy.record, copy]));
  return copies.filter(({ blocks: [block, ...others], executions }) => {
    const [from, ...more] = before.get(plain[block].address) ?? [];
    if (others.length > 0 || from === undefined || more.length > 0) return true;
    if (!plain[block].callsLast || plain[from].next.length > 1 || plain[from].leaves) return true;
    const last = placed.get(records[from].at(-1) ?? -1);
    return last === undefined || last.blocks.length > 1 || executions <= last.executions;
  });
}

/**
 * Where a call in a tail position took the place of a return, the place that returns has a copy less: its record is
 * made behind that call, too. What nobody can subtract is left out.
 */
function withoutTails(
  plain: readonly CodeBlock[],
  copies: readonly PlacedRecord[],
  { lastOf, has }: RecordWays,
  { next }: RecordExecutions,
): Copies[] {
  const tails = [...plain.keys()].filter((block) => plain[block].callsLast);
  const returning = returningBlocks(plain);
  const nextOf = (record: number): ReadonlyMap<number, number> => next.get(record) ?? new Map();
  /** Whether it is made behind the other one and a call whose own record has lost its place to a jump. */
  const isBehindCall = (record: number, other: number, seen = new Set<number>()): boolean =>
    [...nextOf(other).keys()].some((between) => {
      if (has(between) || seen.has(between)) return false;
      seen.add(between);
      return nextOf(between).has(record) || isBehindCall(record, between, seen);
    });
  return copies.flatMap(({ record, blocks, executions }): Copies[] => {
    if (tails.length === 0 || !blocks.some((block) => returning[block])) return [{ blocks, executions }];
    let behindTails = 0;
    for (const tail of tails) {
      const found = lastOf(tail);
      if (found === null || found.elsewhere.has(record) || isBehindCall(record, found.last)) return [];
      // A call behind a branch has a record of its own.
      if (plain[tail].next.length === 0) behindTails += nextOf(found.last).get(record) ?? 0;
    }
    return behindTails > executions ? [] : [{ blocks, executions: executions - behindTails }];
  });
}

/** What comes before the choice between the bodies runs once a call. */
function callsOf(plain: readonly CodeBlock[], { probes, first, counted, facts }: Known): Copies[] {
  const { function: functionOf, flags } = facts;
  const probe = probes.find(({ record }) => record > 0);
  if (probe === undefined || plain.length === 0 || plain[0].otherBody === 0) return [];
  const begin = first.get(probe.unit)!;
  let executions = 0;
  // A function's records stand together in its unit.
  for (let record = begin + probe.record - 1, own = functionOf[record]; functionOf[record] === own; record--) {
    if ((flags[record] & RecordFlag.entry) !== 0) executions += counted.made[record];
    if (record === begin) break;
  }
  return executions === 0 ? [] : [{ blocks: [0], executions }];
}

/**
 * Calls that do not return and have no record: the code generator made them, for a stack that was overwritten, or their
 * record lost its place. If no record that was made has lost its own, but for those of returns, they did not run.
 */
function failures(
  plain: readonly CodeBlock[],
  records: readonly (readonly number[])[],
  { has }: RecordWays,
  { counted: { next }, facts: { flags } }: Known,
): Copies[] {
  const behind = records.flat().flatMap((record) => [...(next.get(record)?.keys() ?? [])]);
  if (!behind.every((record) => has(record) || (flags[record] & RecordFlag.exit) !== 0)) return [];
  const addresses = new Set(plain.map(({ address }) => address));
  // Code that other code goes on into may have its record there.
  const isShared = new Set(plain.flatMap((block) => (block.next.length === 1 ? block.next : [])));
  return plain.flatMap(({ address, next: ways, leaves, returns, callsLast, isJump }, block): Copies[] => {
    const goesOn = ways.some((way) => addresses.has(way)) || returns || callsLast || isJump;
    const endsInCode = ways.length > 0 || leaves;
    const isFailure = !goesOn && endsInCode && records[block].length === 0 && !isShared.has(address);
    return isFailure ? [{ blocks: [block], executions: 0 }] : [];
  });
}

/** By block: whether it does nothing else than to return, also if other code goes on into its end. */
function returningBlocks(plain: readonly CodeBlock[]): boolean[] {
  const at = new Map(plain.map((block) => [block.address, block]));
  return plain.map((block) => {
    let last: CodeBlock | undefined = block;
    for (let steps = 0; last !== undefined && !last.leaves && last.next.length === 1 && steps < plain.length; steps++)
      last = at.get(last.next[0]);
    return last?.returns ?? false;
  });
}

interface PlacedRecord extends Copies {
  readonly record: number;
}

/** The blocks with a record's probe: several, if the compiler made several of its place. */
function copiesOf(records: readonly (readonly number[])[], made: Float64Array): PlacedRecord[] {
  const places = new Map<number, number[]>(); // by record
  for (const [index, of] of records.entries())
    for (const record of new Set(of)) {
      const own = places.get(record) ?? [];
      places.set(record, own);
      own.push(index);
    }
  return [...places].map(([record, own]) => ({ record, blocks: own, executions: made[record] }));
}
