// Stage: trace -> blocks. How often each machine block of a plain body would have run: docs/program-blocks.md, "How
// often". A block with a record's probe ran as often as the record was made; for the others what comes in goes out.

import type { RecordTable } from '../contract/catalog.js';
import { RecordFlag } from '../trace/layout.js';
import { edgeCounts, recordWays, type RecordWays } from './edge-counts.js';
import { atLeast, atMost } from './flow-bounds.js';
import { solveFlow, type Copies } from './flow.js';
import type { CodeBlock, CodeFunction } from './machine-code.js';
import { plainBody } from './plain-body.js';
import type { RecordExecutions } from './record-executions.js';

export interface CountedBlock extends CodeBlock {
  /** At least, and at most: the same where it follows. null: nobody knows. */
  readonly executions: number | null;
  readonly atMost: number;
  /** Of its probes, in the order of its code. */
  readonly records: readonly number[];
}

/** Of the catalog's records. */
export type RecordFacts = Pick<RecordTable, 'function' | 'flags'>;

/**
 * The plain body's blocks, in the order of the code. `first`: from units to their first records. Null if one of the
 * function's units is not in the trace.
 */
export function countBlocks(
  { blocks, probes, targets }: CodeFunction,
  first: ReadonlyMap<string, number>,
  counted: RecordExecutions,
  facts: RecordFacts,
): CountedBlock[] | null {
  if (probes.some(({ unit }) => !first.has(unit))) return null;
  const records = new Map<number, number[]>(); // by address
  for (const { address, unit, record } of probes) {
    const own = records.get(address) ?? [];
    records.set(address, own);
    if (record > 0) own.push(first.get(unit)! + record - 1);
  }
  const plain = plainBody(blocks, new Set(records.keys()));
  const own = plain.map(({ address }) => records.get(address) ?? []);
  const ways = recordWays(plain, own, targets);
  const edges = edgeCounts(plain, ways, counted);
  const copies = [
    ...withoutTails(plain, copiesOf(own, counted.made), ways, counted),
    ...failures(plain, own, ways, counted, facts),
    ...callsOf(plain, probes, first, counted, facts),
  ];
  const found = solveFlow(plain, { copies, edges, targets });
  // What can not have run says more of what is beside it.
  const never = atMost(plain, found, { edges, targets }).flatMap((most, block): Copies[] =>
    most === 0 && found[block] === null ? [{ blocks: [block], executions: 0 }] : [],
  );
  const executions = never.length === 0 ? found : solveFlow(plain, { copies: [...copies, ...never], edges, targets });
  const most = atMost(plain, executions, { edges, targets });
  const least = atLeast(plain, executions, { edges });
  const pieces = plain.map((block, index) => ({
    ...block,
    executions: executions[index] ?? (least[index] > 0 ? least[index] : null),
    atMost: Math.max(most[index], least[index]),
    records: own[index],
  }));
  // A block may be nothing but the test that chooses.
  return joinPieces(pieces).filter(({ instructions }) => instructions > 0);
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
function callsOf(
  plain: readonly CodeBlock[],
  probes: CodeFunction['probes'],
  first: ReadonlyMap<string, number>,
  { made }: RecordExecutions,
  { function: functionOf, flags }: RecordFacts,
): Copies[] {
  const probe = probes.find(({ record }) => record > 0);
  if (probe === undefined || plain.length === 0 || plain[0].otherBody === 0) return [];
  const begin = first.get(probe.unit)!;
  let executions = 0;
  // A function's records stand together in its unit.
  for (let record = begin + probe.record - 1, own = functionOf[record]; functionOf[record] === own; record--) {
    if ((flags[record] & RecordFlag.entry) !== 0) executions += made[record];
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
  { next }: RecordExecutions,
  { flags }: RecordFacts,
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

/** One block again where a probe stands in its middle. */
function joinPieces(pieces: readonly CountedBlock[]): CountedBlock[] {
  const sources = new Map<number, number>(); // how many blocks lead there
  for (const { next } of pieces) for (const address of next) sources.set(address, (sources.get(address) ?? 0) + 1);
  const joined: CountedBlock[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    const goesOn =
      before !== undefined &&
      !before.leaves &&
      before.next.length === 1 &&
      before.next[0] === piece.address &&
      sources.get(piece.address) === 1 &&
      before.executions === piece.executions &&
      before.atMost === piece.atMost;
    if (goesOn) joined[joined.length - 1] = join(before, piece);
    else joined.push(piece);
  }
  return joined;
}

function join(one: CountedBlock, other: CountedBlock): CountedBlock {
  const { next, leaves, isJump } = other;
  return {
    ...one,
    address: one.instructions > 0 ? one.address : other.address,
    code: one.code + other.code,
    stretches: joinStretches(one, other),
    instructions: one.instructions + other.instructions,
    records: [...one.records, ...other.records],
    next,
    leaves,
    isJump,
  };
}

/** A stretch goes on behind a probe unless a call or the block ended it there. */
function joinStretches(one: CodeBlock, other: CodeBlock): readonly string[] {
  const [last, first] = [one.stretches.at(-1), other.stretches[0]];
  const goesOn = last !== undefined && first !== undefined && one.code.endsWith(last) && other.code.startsWith(first);
  return goesOn
    ? [...one.stretches.slice(0, -1), last + first, ...other.stretches.slice(1)]
    : [...one.stretches, ...other.stretches];
}
