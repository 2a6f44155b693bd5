// Stage: trace -> blocks. Which blocks of a function are of its plain body. Both bodies may end in the same code; and
// behind a call that does not return, code of the other body may follow.

import type { CodeBlock } from './machine-code.js';

/** `probed`: addresses with a probe, all in the plain body. */
export function plainBody(blocks: readonly CodeBlock[], probed: ReadonlySet<number>): CodeBlock[] {
  const at = new Map(blocks.map((block) => [block.address, block]));
  const choices = blocks.filter(({ otherBody }) => otherBody !== 0);
  const recording = closure(
    at,
    choices.map(({ otherBody }) => otherBody),
    (address) => !probed.has(address),
  );
  const logs = (address: number): boolean =>
    [...closure(at, [address], () => true)].some((reached) => at.get(reached)!.logs);
  const isPlain = (address: number): boolean => !recording.has(address) || !logs(address);
  // What comes before the choice is part of it.
  const begins = choices.length === 0 ? [] : [blocks[0].address];
  // Where plain code branches to is plain, too. Behind a call, and in a table, stands what may be of the other body.
  const plain = closure(
    at,
    [...begins, ...probed],
    (address, from) => probed.has(address) || !(from?.endsInCall || isTable(from)) || isPlain(address),
  );
  return blocks.filter(({ address }) => plain.has(address));
}

const isTable = (block: CodeBlock | undefined): boolean => block !== undefined && block.next.length > 2;

/** All that can be come to from there by addresses that are `allowed`, by which block before them. */
function closure(
  at: ReadonlyMap<number, CodeBlock>,
  from: readonly number[],
  allowed: (address: number, from?: CodeBlock) => boolean,
): Set<number> {
  const found = new Set<number>();
  const ahead = from.filter((address) => allowed(address));
  for (let address = ahead.pop(); address !== undefined; address = ahead.pop()) {
    if (found.has(address) || !at.has(address)) continue;
    found.add(address);
    const block = at.get(address)!;
    ahead.push(...block.next.filter((next) => allowed(next, block)));
  }
  return found;
}
