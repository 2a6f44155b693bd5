// Stage: blocks. Blocks -> what became of each, on all processors that this process may use. Those that the machine
// disturbed come again at the end.

import { setTimeout as pause } from 'node:timers/promises';
import type { BlockAnswer } from './block.js';
import { measureOn } from './block-program.js';
import { usableProcessors } from './usable-processors.js';

const PASSES = 6;
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

async function measureSome(
  program: string,
  hexes: readonly string[],
  asked: readonly number[],
  put: (index: number, answer: BlockAnswer) => void,
): Promise<void> {
  const processors = usableProcessors();
  const shares = processors.map((processor, at) => ({
    processor,
    indexes: asked.filter((_, place) => place % processors.length === at),
  }));
  const ended = await Promise.allSettled(
    shares
      .filter(({ indexes }) => indexes.length > 0)
      .map(({ processor, indexes }) => {
        const share = indexes.map((index) => hexes[index]);
        return measureOn(program, processor, share, (answer, place) => put(indexes[place], answer));
      }),
  );
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
