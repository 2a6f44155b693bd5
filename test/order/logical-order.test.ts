// The logical schedule as drawings: rows are instruction time, and recorded time too (a row's stamps are later than
// those of the rows above).

import { describe, expect, it } from 'vitest';
import { replayDrawing } from '../drawn/replay-drawing.js';

function order(text: string, options: Parameters<typeof replayDrawing>[1] = {}): string {
  return replayDrawing(text, options)
    .references.map((line) => line.split(' ')[2])
    .join(' ');
}

describe('without synchronisation', () => {
  it('the thread with the smallest clock goes next, whatever time it was recorded at', () => {
    expect(
      order(`
      core 0           core 1
      work 10          R @b1
      R @a1
                       R @b2
      R @a2
      `),
    ).toBe('b1 b2 a1 a2');
  });

  it('equal clocks: the lower thread', () => {
    expect(
      order(`
      core 0           core 1           core 2
      R @a1            R @b1            R @c1
      R @a2            R @b2            R @c2
      `),
    ).toBe('a1 b1 c1 a2 b2 c2');
  });

  it('a segment that takes long lets the others go on', () => {
    expect(
      order(`
      core 0           core 1
      R @a1            R @b1
                       R @b2
                       R @b3
      R @a2            R @b4
      `),
    ).toBe('a1 b1 b2 b3 a2 b4');
  });

  it('replay time is the running maximum of the clocks', () => {
    const { result } = replayDrawing('core 0           core 1\nwork 10          work 3\nwork 10');
    expect(result.totals).toMatchObject({ instructions: 20, segments: 3, segmentsThatWaited: 0 });
  });
});

describe('an acquire', () => {
  const late = (between: string): string => `
      core 0                     core 1
      work 10
      lock m; W @a1; unlock m
                                 ${between}; W @b1; unlock m
                                 W @b2
      W @a2`;

  it('waits for the releases on its object that were recorded before it, and takes their clock', () => {
    const { references, result } = replayDrawing(late('lock m'));
    // The unlock comes at clock 13 (a1 lasts from row 1 to row 4); there thread 1 goes on, for three rows.
    expect(references.map((line) => line.split(' ')[2])).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(result.totals).toMatchObject({ segments: 6, segmentsThatWaited: 1, instructions: 16 });
  });

  it('does not wait on another object, nor on another kind of object', () => {
    expect(order(late('lock other'))).toBe('b1 b2 a1 a2');
    expect(order(late('acquire rwlock m'))).toBe('b1 b2 a1 a2');
  });

  it('does not wait for a release that was recorded after it', () => {
    expect(
      order(`
      core 0                     core 1
                                 lock m; W @b1; unlock m
      work 10
      lock m; W @a1; unlock m
      `),
    ).toBe('b1 a1');
    const { result } = replayDrawing(
      `
      core 0                     core 1
      lock m; W @a1; unlock m
      lock m; W @a2; unlock m
                                 lock m; W @b1; unlock m
      `,
      { stamp: (row, core) => (core === 1 ? 10 : 100 * (row + 1)) },
    );
    expect(result.totals.segmentsThatWaited).toBe(1);
  });

  it('raises the clock to that of the release although it need not wait any more', () => {
    const { references, result } = replayDrawing(`
      core 0                     core 1
      work 2
      unlock m
                                 work 1
                                 lock m; W @b1
      `);
    expect(references).toHaveLength(1);
    // Thread 1 comes to its lock at clock 3, thread 0 unlocked at 2: nothing to raise.
    expect(result.totals.segmentsThatWaited).toBe(0);
  });

  it('an atomic with a result acquires before its segment is issued and releases when it is', () => {
    expect(
      order(`
      core 0           core 1
      work 10
      A @a0
                       A @a0
                       R @b1
      R @a1
      `),
    ).toBe('a0 a0 b1 a1'); // a0 is released at clock 10, before its three instructions
  });

  it('joins: the thread that was created starts at its creation, the join waits for the end', () => {
    const { references, result } = replayDrawing(`
      core 0           core 1
      work 20
      create 1
      W @a1
                       start 0; W @b1
                       work 50
                       end
      join 1; W @a2
      `);
    expect(references.map((line) => line.split(' ')[2])).toEqual(['b1', 'a1', 'a2']);
    // 20 at the creation, b1 one row, work 50; a2 one row.
    expect(result.totals.instructions).toBe(20 + 1 + 50 + 1);
    expect(result.totals.segmentsThatWaited).toBe(2);
  });

  it('a barrier holds everybody until the last has come', () => {
    expect(
      order(`
      core 0                   core 1
      R @a1                    work 30
      release barrier b
                               release barrier b
      acquire barrier b        acquire barrier b
      R @a2                    R @b2
      `),
    ).toBe('a1 a2 b2');
  });

  it('a call that blocked waits for all that others did before it returned', () => {
    expect(
      order(`
      core 0                     core 1           core 2
      work 10                                     work 12
      R @a1
      release file f                              release file f
                                 blocked; R @b1
      R @a2                                       R @c2
      `),
    ).toBe('a1 b1 a2 c2');
  });
});

describe('the same run', () => {
  const drawing = `
      core 0                     core 1
      lock m; W @a1; unlock m    alloc p; W @10000
      work 7                     free p
      lock m; W @a2; unlock m    lock m; W @b1; unlock m
      alloc q; W @10000          A @a2
      A @a2                      work 3`;
  const heap = { p: { address: 0x10000, size: 64 }, q: { address: 0x10000, size: 48 } };

  it('goes in the same order however it was cut into chunks', () => {
    const whole = replayDrawing(drawing, { heap });
    for (const stepsPerChunk of [1, 2, 5]) {
      const cut = replayDrawing(drawing, { heap, stepsPerChunk });
      expect(cut.references).toEqual(whole.references);
      expect(cut.result).toEqual(whole.result);
    }
  });
});
