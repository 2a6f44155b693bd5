// The check of recorded happens-before: every schedule passes it on random traces, and a sequence with one thing wrong
// does not.

import { describe, expect, it } from 'vitest';
import { checkSchedule, issueSteps } from '../../src/dump/issued-steps.js';
import { checkOrder, type IssuedStep, type OrderVerdict } from '../../src/order/order-check.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { spellSchedule } from '../../src/replay/schedule.js';
import { TraceFile } from '../../src/trace/trace-file.js';
import { parseDrawing } from '../drawn/drawing.js';
import { drawnTrace } from '../drawn/drawn-trace.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { SCHEDULES } from './schedules.js';

it('no schedule violates it on 10 random traces, which have much to violate', () => {
  let acquires = 0;
  for (let seed = 0; seed < 10; seed++) {
    const trace = openTrace(traceFile(randomTrace(seed, { actions: 300 })));
    for (const schedule of SCHEDULES) {
      const verdict = checkSchedule(replayInput(trace, randomMachine(seed), schedule));
      expect(verdict.examples, `trace ${seed}, ${spellSchedule(schedule)}`).toEqual([]);
      acquires += verdict.acquires;
    }
  }
  expect(acquires).toBeGreaterThan(1500);
});

/** Rows are recorded time, and the sequence too unless `change` makes another of it. */
function check(
  drawing: string,
  change: (steps: IssuedStep[]) => IssuedStep[] = (steps) => steps,
  options: Parameters<typeof drawnTrace>[1] = {},
): OrderVerdict {
  const input: ReplayInput = replayInput(
    openTrace(traceFile(drawnTrace(parseDrawing(drawing), options))),
    randomMachine(0),
    { kind: 'recorded' },
  );
  const file = TraceFile.open(input.path);
  const steps = [...issueSteps(file, input)];
  const verdict = checkOrder(file, input, change(steps));
  file.close();
  return verdict;
}

/** All steps of thread 1, then all of thread 0. */
const secondThreadFirst = (steps: readonly IssuedStep[]): IssuedStep[] => [
  ...steps.filter(({ thread }) => thread === 1),
  ...steps.filter(({ thread }) => thread === 0),
];

describe('a sequence with one thing wrong', () => {
  const one = `
      core 0           core 1
      R @a1            R @b1
      R @a2            R @b2`;

  it.each([
    ['two steps', one],
    ['a load and a store of the same bytes', one.replace('R @a2', 'W @a1')],
  ])('%s of one thread changed places', (_, drawing) => {
    expect(check(drawing).violations).toBe(0);
    const swapped = check(drawing, (steps) => {
      const [first, second] = steps.flatMap(({ thread }, index) => (thread === 0 ? [index] : []));
      return steps.map((step, index) => (index === first ? steps[second] : index === second ? steps[first] : step));
    });
    expect(swapped.examples).toEqual([
      'step 1 is not the next one of thread 0',
      'step 2 is not the next one of thread 0',
    ]);
  });

  it('a step is missing, or there twice', () => {
    expect(check(one, (steps) => steps.slice(0, -1)).examples).toEqual(['thread 1 has steps that were not issued']);
    expect(check(one, (steps) => [...steps, steps[3]]).examples).toEqual(['step 5 is of thread 1, which has no more']);
  });

  it.each([
    ['an unlock behind the lock that followed it', 'unlock m', 'lock m', 'the release of sync 1 of'],
    ['an atomic store behind a load that saw it', 'A @a0', 'A @a0', 'the release of sync 9 of 0xa0'],
    ['a creation behind the start', 'create 1', 'start 0', 'the release of sync 5 of 0x1'],
    ['what others did behind a call that waited for it', 'release file f', 'blocked', 'thread 0, stamp'],
  ])('%s', (_, release, acquire, example) => {
    const drawing = `
      core 0           core 1
      R @c1
      ${release}
                       ${acquire}
                       R @c2`;
    expect(check(drawing)).toMatchObject({ violations: 0 });
    const wrong = check(drawing, secondThreadFirst);
    expect(wrong.violations).toBe(1);
    expect(wrong.examples[0]).toContain(example);
  });

  it('what was locked later may be unlocked later', () => {
    expect(
      check(
        `
      core 0           core 1
                       lock m
      unlock m
      `,
        secondThreadFirst,
      ).violations,
    ).toBe(0);
  });
});

describe('memory that is given back', () => {
  const heap = {
    whole: { address: 0x10000, size: 256 },
    head: { address: 0x10000, size: 64 },
    tail: { address: 0x10080, size: 64 },
    next: { address: 0x10100, size: 64 },
  } as const;
  const reuse = (name: string): string => `
      core 0           core 1
      alloc whole
      work 40
      free whole
                       alloc ${name}`;

  it('is free before any byte of it is allocated again, although the free does not say how many there are', () => {
    for (const name of ['head', 'tail']) {
      expect(check(reuse(name), undefined, { heap }).violations, name).toBe(0);
      expect(check(reuse(name), secondThreadFirst, { heap }).examples[0], name).toContain(
        'the release of memory at 0x10000, 256 bytes by thread 0',
      );
    }
    expect(check(reuse('next'), secondThreadFirst, { heap }).violations).toBe(0);
  });

  it('so every schedule makes an allocation in its middle wait', () => {
    for (const schedule of SCHEDULES) {
      const trace = openTrace(traceFile(drawnTrace(parseDrawing(reuse('tail')), { heap })));
      expect(checkSchedule(replayInput(trace, randomMachine(0), schedule)).examples, spellSchedule(schedule)).toEqual(
        [],
      );
    }
  });
});
