// The recorded schedule: stamps decide, instructions interpolate.

import { expect, it } from 'vitest';
import { replayDrawing } from '../drawn/replay-drawing.js';

function order(text: string, stamps: readonly (readonly number[])[]): string {
  const { references } = replayDrawing(text, { schedule: 'recorded', stamp: (row, core) => stamps[row]?.[core] ?? 0 });
  return references.map((line) => line.split(' ')[2]).join(' ');
}

const DRAWING = `
      core 0           core 1
      blocked          blocked
      R @a1            R @b1
      R @a2            blocked
      R @a3            R @b2
      blocked`;

it(
  'positions between two stamps interpolate by instructions, floored; ties go to the lower thread; behind the ' +
    'last stamp all is the last stamp',
  () => {
    // Thread 0: four instructions from 100 to 110: a1 at 100 + floor(10 x 1/4) = 102, a2 at 105, a3 at 107.
    // Thread 1: two instructions from 101 to 105: b1 at 103; b2 behind the last stamp: 105, after a2.
    expect(order(DRAWING, [[100, 101], [], [0, 105], [], [110]])).toBe('a1 b1 a2 b2 a3');
  },
);

it('before the first stamp all is the first stamp', () => {
  expect(
    order(
      `
      core 0           core 1
      R @a1            R @b1
      R @a2            blocked
      blocked          R @b2
      `,
      [[], [0, 49], [50]],
    ),
  ).toBe('b1 b2 a1 a2');
});

it('stamps beyond 2^53 are exact', () => {
  const far = 2 ** 53;
  expect(order(DRAWING, [[far, far + 2], [], [0, far + 10], [], [far + 16]])).toBe('a1 b1 a2 b2 a3');
});

it('nobody waits, and a clock only counts instructions', () => {
  const { result } = replayDrawing(
    `
      core 0                     core 1
      work 10
      lock m; W @a1; unlock m
                                 lock m; W @b1; unlock m
      `,
    { schedule: 'recorded' },
  );
  expect(result.totals).toMatchObject({ segmentsThatWaited: 0, instructions: 12 });
});
