// The language of drawn traces itself: what a drawing means in references and in types.

import { expect, it } from 'vitest';
import { replayDrawing } from './replay-drawing.js';

const memory = {
  types: { 'struct counter': { size: 64, fields: { a: [0, 8], b: [8, 4] } } },
  globals: { counter: ['struct counter', 0x4000] },
  heap: { p: { address: 0x10000, size: 64, type: 'struct counter' } },
} as const;

it('rows are time, columns are cores, ties go to the lower core', () => {
  const { references } = replayDrawing(
    `
    core 0            core 1
    W counter.a       R counter.b
                      R counter.b
    A counter+16:4
    work 3
    R @123:2          W p.b
    `,
    memory,
  );
  expect(references).toEqual(['0 w 4000 8', '1 r 4008 4', '1 r 4008 4', '0 a 4010 4', '1 w 10008 4', '0 r 123 2']);
});

it('an expectation that is not met is a failure', () => {
  const draw = (expectation: string): unknown => replayDrawing(`core 0\nW counter.a => ${expectation}`, memory);
  expect(() => draw('l1')).toThrow();
  expect(() => draw('memory compulsory')).not.toThrow();
});
