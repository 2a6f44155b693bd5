// Stage: trace -> blocks. How often each machine block of a plain body would have run: docs/program-blocks.md, "How
// often". A block with a record's probe ran as often as the record was made; for the others what comes in goes out.

import { edgeCounts, recordWays } from './edge-counts.js';
import { knownCopies } from './known-copies.js';
import { atLeast, atMost } from './flow-bounds.js';
import { solveFlow, type Copies } from './flow.js';
import type { CodeBlock, CodeFunction } from './machine-code.js';
import { otherWays } from './other-ways.js';
import { plainBody } from './plain-body.js';
import type { RecordExecutions, RecordFacts } from './record-executions.js';

export interface CountedBlock extends CodeBlock {
  /** At least, and at most: the same where it follows. null: nobody knows. */
  readonly executions: number | null;
  readonly atMost: number;
  /** Of its probes, in the order of its code. */
  readonly records: readonly number[];
}

/**
 * The plain body's blocks, in the order of the code. `first`: from units to their first records; `before`: what is not
 * to be counted of `counted`. Null if one of the function's units is not in the trace.
 */
export function countBlocks(
  code: CodeFunction,
  first: ReadonlyMap<string, number>,
  counted: RecordExecutions,
  facts: RecordFacts,
  before?: RecordExecutions,
): CountedBlock[] | null {
  const pieces = countPieces(code, first, counted, facts);
  const others = pieces && before && countPieces(code, first, before, facts)!;
  const own = others ? pieces.map((piece, index) => subtract(piece, others[index])) : pieces;
  // A block may be nothing but the test that chooses.
  return own && joinPieces(own).filter(({ instructions }) => instructions > 0);
}

function countPieces(
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
  const copies = knownCopies(plain, own, ways, { probes, first, counted, facts });
  const flow = { edges, targets, others: otherWays(plain, own, targets, counted, facts) };
  const found = solveFlow(plain, { copies, ...flow });
  // What can not have run says more of what is beside it.
  const never = atMost(plain, found, flow).flatMap((most, block): Copies[] =>
    most === 0 && found[block] === null ? [{ blocks: [block], executions: 0 }] : [],
  );
  const executions = never.length === 0 ? found : solveFlow(plain, { copies: [...copies, ...never], ...flow });
  const most = atMost(plain, executions, flow);
  const least = atLeast(plain, executions, flow);
  return plain.map((block, index) => ({
    ...block,
    executions: executions[index] ?? (least[index] > 0 ? least[index] : null),
    atMost: Math.max(most[index], least[index]),
    records: own[index],
  }));
}

/** Less what it ran before. */
function subtract(piece: CountedBlock, before: CountedBlock): CountedBlock {
  const most = Math.max(0, piece.atMost - (before.executions ?? 0));
  const isExact = piece.executions === piece.atMost && before.executions === before.atMost;
  const least = isExact ? most : Math.max(0, (piece.executions ?? 0) - before.atMost);
  return { ...piece, executions: least > 0 || most === 0 || isExact ? least : null, atMost: most };
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
