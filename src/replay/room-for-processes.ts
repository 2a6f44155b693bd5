// Stage: trace -> replay. Chooses which processes are replayed together where more were given than there are spaces of
// addresses: those that recorded most, and the one that began first (docs/replay/processes.md, "Rules").

import { MOST_SPACES } from '../contract/input.js';
import type { LeftOut } from '../contract/left-out.js';
import type { TraceParts } from './open-trace.js';

/** One space is for what they share. */
export const MOST_PROCESSES = MOST_SPACES - 1;

/** `traces`: in the order in which the processes began. Those chosen keep it. */
export function chooseProcesses<Timed extends { readonly trace: TraceParts }>(
  traces: readonly Timed[],
): { chosen: readonly Timed[]; leftOut?: LeftOut } {
  if (traces.length <= MOST_PROCESSES) return { chosen: traces };
  const [first, ...others] = traces.map((timed) => ({ timed, bytes: eventBytes(timed.trace) }));
  // Sorting is stable: of equal ones those that began first.
  const bySize = others.toSorted((a, b) => b.bytes - a.bytes);
  const chosen = new Set([first, ...bySize.slice(0, MOST_PROCESSES - 1)].map(({ timed }) => timed));
  const without = bySize.slice(MOST_PROCESSES - 1);
  const sum = (all: readonly { readonly bytes: number }[]): number =>
    all.reduce((total, { bytes }) => total + bytes, 0);
  return {
    chosen: traces.filter((timed) => chosen.has(timed)),
    leftOut: {
      processes: without.length,
      ofProcesses: traces.length,
      bytes: sum(without),
      ofBytes: sum([first, ...others]),
    },
  };
}

function eventBytes({ threads }: TraceParts): number {
  return threads.reduce((total, { bytes }) => bytes.reduce((sum, chunk) => sum + chunk, total), 0);
}
