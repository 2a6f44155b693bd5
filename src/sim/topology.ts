// Stage: replay. Which cache of each level, and which socket, each core uses. Consecutive cores share: core c uses unit
// floor(c / n) of a level that n cores share.

import { DprofError } from '../base/dprof-error.js';
import type { CompleteMachine } from '../contract/complete-machine.js';

export interface Topology {
  /** By level, then by core: the number of the cache that it uses. */
  readonly unitOf: readonly [readonly number[], readonly number[], readonly number[]];
  /** By level. */
  readonly units: readonly [number, number, number];
  /** By core. */
  readonly socketOf: readonly number[];
}

export function topologyOf(machine: CompleteMachine): Topology {
  const { cores, coresPerLlc, coresPerL1, coresPerL2, coresPerSocket } = machine;
  const named = Object.entries({ coresPerL1, coresPerL2, coresPerLlc, coresPerSocket });
  named.slice(1).forEach(([name, number], index) => {
    const [smallerName, smaller] = named[index];
    if (number >= cores || number % smaller === 0) return;
    throw new DprofError(
      `machine ${machine.name}: ${name} ${number} is no multiple of ${smallerName} ${smaller}`,
      'each level is shared by whole groups of the one above it',
      2,
    );
  });
  const groups = (size: number): number[] => Array.from({ length: cores }, (_, core) => Math.floor(core / size));
  const count = (size: number): number => Math.ceil(cores / size);
  return {
    unitOf: [groups(coresPerL1), groups(coresPerL2), groups(coresPerLlc)],
    units: [count(coresPerL1), count(coresPerL2), count(coresPerLlc)],
    socketOf: groups(coresPerSocket),
  };
}
