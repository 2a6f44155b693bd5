// Stage: command line. What a change brings on each machine of a request, and under each schedule.

import { availableParallelism } from 'node:os';
import { formatCount, plural } from '../base/format-number.js';
import type { Machine, Schedule } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { closeObjects } from '../profile/object-source.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import type { Labelled } from '../report/text-lines.js';
import { sumAll } from '../views/counter-sums.js';
import type { ReplayRequest } from './machine-options.js';
import { ProgressLine } from './progress.js';
import { replayQuietly } from './replay-trace.js';

interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Estimated cycles over the schedules; `ratio`: after : before, of the same schedule each. */
export interface MachineRange {
  readonly machine: string;
  readonly schedules: number;
  readonly cycles: { readonly before: Interval; readonly after: Interval };
  readonly ratio: Interval;
}

/** `first`: profiles on the first machine, under the first schedule. */
export async function rangesOf(
  { before, after }: { readonly before: OpenedTrace; readonly after: OpenedTrace },
  first: { readonly before: Profile; readonly after: Profile },
  machines: readonly Machine[],
  schedules: readonly Schedule[],
  request: ReplayRequest,
  named: string,
): Promise<MachineRange[]> {
  const all = 2 * (machines.length * schedules.length - 1);
  let done = 0;
  const line = new ProgressLine(() => `replaying ${named}, before and after: ${done} of ${all} replays done`);
  try {
    const ranges: MachineRange[] = [];
    for (const machine of machines) {
      const [was, is]: number[][] = [[], []];
      for (const schedule of schedules) {
        if (machine === machines[0] && schedule === schedules[0]) {
          was.push(cyclesIn(first.before));
          is.push(cyclesIn(first.after));
          continue;
        }
        was.push(await cyclesOf(before, machine, schedule, request));
        done++;
        is.push(await cyclesOf(after, machine, schedule, request));
        done++;
      }
      ranges.push({
        machine: machine.name,
        schedules: schedules.length,
        cycles: { before: intervalOf(was), after: intervalOf(is) },
        ratio: intervalOf(is.map((cycles, index) => cycles / Math.max(1, was[index]))),
      });
    }
    return ranges;
  } finally {
    line.stop();
  }
}

export function describeRange({ machine, schedules, cycles, ratio }: MachineRange): Labelled {
  const spell = ({ low, high }: Interval, of: (value: number) => string): string =>
    of(low) === of(high) ? of(low) : `${of(low)} to ${of(high)}`;
  return [
    'range',
    `${machine}, ${plural(schedules, 'schedule')}: estimated cycles ${spell(cycles.before, formatCount)} -> ` +
      `${spell(cycles.after, formatCount)}, ${spell(ratio, (value) => value.toFixed(2))} x`,
  ];
}

async function cyclesOf(
  trace: OpenedTrace,
  machine: Machine,
  schedule: Schedule,
  request: ReplayRequest,
): Promise<number> {
  const profile = await replayQuietly(trace, machine, schedule, request, request.workers ?? availableParallelism());
  closeObjects(profile);
  return cyclesIn(profile);
}

function cyclesIn({ tallies }: Profile): number {
  return sumAll(tallies).get('missLatencyCycles');
}

function intervalOf(values: readonly number[]): Interval {
  return { low: Math.min(...values), high: Math.max(...values) };
}
