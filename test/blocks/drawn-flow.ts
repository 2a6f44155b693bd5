// Stage: test. Control flow graphs, drawn.
import type { CodeBlock } from '../../src/blocks/machine-code.js';

/** "1>2,3 2>4 3>4 4." is a diamond: a block's address, where it leads; a point: it returns. */
export function draw(text: string): CodeBlock[] {
  return text.split(' ').map((word) => {
    const [, address, next] = /^(\d+)(?:>([\d,]+))?\.?$/.exec(word)!;
    return {
      address: Number(address),
      code: '90',
      stretches: ['90'],
      instructions: 1,
      next: next === undefined ? [] : next.split(',').map(Number),
      leaves: word.endsWith('.'),
      isJump: false,
      otherBody: 0,
      logs: false,
      returns: word.endsWith('.'),
      callsLast: false,
      endsInCall: false,
    };
  });
}
