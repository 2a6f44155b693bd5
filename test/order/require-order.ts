// Stage: test. Every fixture of several threads is replayed in orders that could have happened, as its stamps say.

import { expect } from 'vitest';
import { checkSchedule } from '../../src/dump/issued-steps.js';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import type { Schedule } from '../../src/contract/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { spellSchedule } from '../../src/replay/schedule.js';

const SCHEDULES: readonly Schedule[] = [{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed: 1 }];

export function requireOrder(path: string): void {
  const trace = openTrace(path);
  if (trace.threads.length < 2) return;
  const machine = resolveMachine({}, trace.threads.length);
  for (const schedule of SCHEDULES) {
    expect(
      checkSchedule(replayInput(trace, machine, schedule)).examples,
      `${path} in the order ${spellSchedule(schedule)}`,
    ).toEqual([]);
  }
}
