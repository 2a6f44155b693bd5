// Stage: test. A replay by the specification and by the native engine, whose ended objects go to a file: the bytes of
// the two profiles.

import type { ReplayInput } from '../../src/contract/input.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { closeObjects } from '../../src/profile/object-source.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { RunFacts } from '../../src/profile/profile.js';
import type { FlowFacts } from '../../src/replay/places.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from './replay-natively.js';

export const RUN: RunFacts = {
  command: ['a'],
  ended: 'exited with status 0',
  truncated: false,
  addressRandomisation: false,
  threads: 1,
  refusals: {},
  stampsPerSecond: 1,
};

export interface ProfilePair {
  readonly specified: Buffer;
  readonly native: Buffer;
  /** The native engine put objects into a file. */
  readonly hasSpilled: boolean;
  readonly references: number;
}

export interface PairOptions {
  /** Where the native engine's objects go, and how much stays in memory. */
  readonly spill: NonNullable<ReplayInput['spill']>;
  readonly workers: number;
  /** If the input's flow is collected. */
  readonly flow?: FlowFacts;
}

export function profilePair(input: ReplayInput, { spill, workers, flow }: PairOptions): ProfilePair {
  const bytesOf = (result: ReplayResult): Buffer => {
    const { machine, schedule, cpus } = input;
    const profile = buildProfile(result, input.catalog, {
      run: RUN,
      machine,
      schedule,
      ...(cpus && { cpus: [{ cpu: 0, core: 0 }] }),
      ...(flow && { flow }),
      mostSharedCounts: input.sharedVariables?.mostCounts,
    });
    try {
      return Buffer.concat(encodeProfile(profile));
    } finally {
      closeObjects(profile);
    }
  };
  const specified = simulate(input);
  const native = replayNatively({ ...input, spill }, workers);
  const hasSpilled = native.storedObjects !== undefined;
  return {
    specified: bytesOf(specified),
    native: bytesOf(native),
    hasSpilled,
    references: specified.totals.references,
  };
}
