// Stage: views -> text. How parallel the replay was, and which memory was renamed: lines below every table.

import { formatShare, plural } from '../base/format-number.js';
import type { Parallelism } from '../views/parallelism.js';
import type { Labelled } from './text-lines.js';

/** What acquires of each kind wait for. */
const WAITED_FOR: Readonly<Record<string, string>> = {
  ...{ mutex: 'mutexes', rwlock: 'read-write locks', spinlock: 'spinlocks', semaphore: 'semaphores' },
  ...{ condition: 'conditions', barrier: 'barriers', threadJoin: 'the end of threads', once: 'initialisation' },
  ...{ file: 'pipes and sockets', atomic: 'atomics', process: 'the end of processes' },
  ...{ allocation: 'memory that others gave back', blocked: 'blocking system calls' },
};
const MOST_CAUSES = 2;

export function parallelismLines(parallelism: Parallelism | null): Labelled[] {
  if (parallelism === null) return [];
  const { allocations, stacks } = parallelism.renamed;
  const renamed = [
    ...(allocations > 0 ? [plural(allocations, 'allocation')] : []),
    ...(stacks > 0 ? [`${plural(stacks, 'stack')} of threads`] : []),
  ];
  return [
    ['parallelism', `${runningText(parallelism)}; ${waitsText(parallelism)}`],
    ...(renamed.length > 0
      ? [['renamed', `${renamed.join(' and ')}: memory that another thread had yet to give back`] as Labelled]
      : []),
  ];
}

/** Numbers of threads are put together by powers of two: 1, 2, 3-4, 5-8 and so on. */
function runningText({ running }: Parallelism): string {
  const groups = new Map<number, { from: number; to: number; instructions: number }>();
  let all = 0;
  for (const { threads, instructions } of running) {
    const power = threads === 0 ? -1 : Math.ceil(Math.log2(threads));
    const group = groups.get(power) ?? { from: threads, to: threads, instructions: 0 };
    groups.set(power, { ...group, to: threads, instructions: group.instructions + instructions });
    all += instructions;
  }
  const shares = [...groups.values()].map(({ from, to, instructions }) => {
    const threads = from === to ? `${from}` : `${from}-${to}`;
    return `${threads} ${to === 1 ? 'thread' : 'threads'} ${formatShare(instructions, all)}`;
  });
  return shares.length === 0 ? 'no replay time' : `${shares.join(', ')} of replay time`;
}

function waitsText({ waits }: Parallelism): string {
  const all = waits.reduce((sum, { instructions }) => sum + instructions, 0);
  if (all === 0) return 'no thread waited';
  const most = waits
    .slice(0, MOST_CAUSES)
    .filter(({ instructions }, place) => place === 0 || instructions * 10 >= all)
    .map((wait) => `${WAITED_FOR[wait.for] ?? wait.for} (${formatShare(wait.instructions, all)})`);
  return `threads waited most for ${most.join(', ')}`;
}
