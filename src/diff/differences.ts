// Stage: profiles -> diff. The differences in how two profiles were made: changes may come from there instead of from
// the program.

import { formatShare } from '../base/format-number.js';
import { differingFields } from '../profile/mergeable.js';
import type { Profile, WindowBorder } from '../profile/profile.js';

export interface MadeDifferently {
  /** "machine l1.ways", "schedule", "window". */
  readonly what: string;
  readonly before: string;
  readonly after: string;
  /** The effect of the difference on the numbers. */
  readonly meaning: string;
}

interface Question {
  readonly what: string;
  readonly answer: (profile: Profile) => string;
  readonly meaning: string;
}

const questions: readonly Question[] = [
  {
    what: 'numbers',
    answer: ({ sampled }) =>
      sampled === undefined
        ? 'of every access'
        : sampled.facts.histories === null
          ? 'sampled'
          : 'sampled, with histories',
    meaning: 'estimates are off by chance, and classes are known from histories or a replay only',
  },
  {
    what: 'schedule',
    answer: ({ schedule }) => schedule,
    meaning: 'other orders of the threads have other sharing; replay both with the same --schedule',
  },
  {
    what: 'map',
    answer: ({ cpus }) => (cpus === undefined ? 'thread' : 'cpu'),
    meaning: 'threads were placed on cores in two ways; replay both with the same --map',
  },
  {
    what: 'threads',
    answer: ({ run }) => String(run.threads),
    meaning: 'more threads share more, and do more; compare them per work',
  },
  {
    what: 'runs',
    answer: ({ runs }) => String(runs?.length ?? 1),
    meaning: 'counts are sums over runs; compare them per work',
  },
  {
    what: 'window',
    answer: ({ window }) =>
      window === undefined ? 'none' : `${spellBorder(window.from, 'beginning')} to ${spellBorder(window.to, 'end')}`,
    meaning: 'counts are of different parts of a run; compare them per work',
  },
  {
    what: "kernel's stores",
    answer: ({ run }) => (run.kernelStores === true ? 'replayed' : 'counted'),
    meaning: 'one has references that the other only counts as unseen bytes',
  },
  {
    what: 'paths',
    answer: ({ flow }) => (flow === undefined ? 'none' : `by ${flow.by}`),
    meaning: 'they are not compared; replay both with the same --path-by, and without --no-flow',
  },
  {
    what: 'truncated',
    answer: ({ run }) => (run.truncated ? 'yes' : 'no'),
    meaning: 'one is the beginning of a run only',
  },
  {
    what: 'damaged',
    answer: ({ run: { damaged } }) =>
      damaged === undefined ? 'no' : `${formatShare(damaged.bytes, damaged.ofBytes)} left out`,
    meaning: 'parts of a damaged trace are in no number',
  },
  {
    what: 'processes left out',
    answer: ({ run: { leftOut } }) =>
      leftOut === undefined ? 'none' : `${leftOut.processes} of ${leftOut.ofProcesses}`,
    meaning: 'what they did is in no number',
  },
  {
    what: 'address randomisation',
    answer: ({ run }) => (run.addressRandomisation ? 'on' : 'off'),
    meaning: 'where memory lies decides about sets, and is drawn anew in each run; record without --aslr',
  },
  {
    what: 'skipped',
    answer: ({ totals }) => (totals.windowsClosed > 0 ? `${totals.windowsClosed} times` : 'nothing'),
    meaning: 'what happened while no window of the recording was open is in no number',
  },
];

/** Machine first, field by field; the name of a machine says nothing about a number. */
export function listDifferences(before: Profile, after: Profile): MadeDifferently[] {
  const machines = differingFields(before.machine, after.machine).map(({ field, first, second }) => ({
    what: `machine ${field}`,
    before: first,
    after: second,
    meaning:
      field === 'cores'
        ? 'a machine has as many cores as the trace has threads, unless it says; replay both with the same --cores'
        : 'misses differ for that alone; replay both on the same machine',
  }));
  const others = questions.flatMap(({ what, answer, meaning }) => {
    const [first, second] = [answer(before), answer(after)];
    return first === second ? [] : [{ what, before: first, after: second, meaning }];
  });
  return [...machines, ...others];
}

function spellBorder(border: WindowBorder | null, end: string): string {
  return border === null ? end : border.asked;
}
