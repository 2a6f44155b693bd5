// Stage: blocks. Blocks -> what became of each, on all cores that this process may use. Those that the machine
// disturbed come again at the end.

import { setTimeout as pause } from 'node:timers/promises';
import type { BlockAnswer } from './block.js';
import { measureOn } from './block-program.js';
import { usableCores } from './usable-processors.js';

const PASSES = 6;
const MOST_AT_ONCE = 8; // blocks that a core has taken
const PAUSE_MS = 100;

/** `onBlock`: after each that is done. */
export async function measureBlocks(
  program: string,
  hexes: readonly string[],
  onBlock: () => void = () => {},
): Promise<BlockAnswer[]> {
  const answers: BlockAnswer[] = [];
  let left = hexes.map((_, index) => index);
  for (let pass = 0; pass < PASSES && left.length > 0; pass++) {
    if (pass > 0) await pause(PAUSE_MS);
    await measureSome(program, hexes, left, (index, answer) => {
      if (answers[index] === undefined) onBlock();
      answers[index] = answer;
    });
    left = left.filter((index) => answers[index].status === 'unstable');
  }
  return answers;
}

/** A processor takes the next block when it is done with one: where it is noisy, blocks take longer. */
async function measureSome(
  program: string,
  hexes: readonly string[],
  asked: readonly number[],
  put: (index: number, answer: BlockAnswer) => void,
): Promise<void> {
  let at = 0;
  const next = (): { hex: string; index: number } | undefined => {
    if (at === asked.length) return undefined;
    const index = asked[at++];
    return { hex: hexes[index], index };
  };
  const processors = usableCores().slice(0, asked.length);
  const atOnce = Math.min(MOST_AT_ONCE, Math.ceil(asked.length / processors.length));
  const ended = await Promise.allSettled(
    processors.map((processor) => measureOn(program, processor, next, atOnce, (answer, index) => put(index, answer))),
  );
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
