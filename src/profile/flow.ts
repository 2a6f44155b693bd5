// Stage: profile. The flow of a replay as columns with names: paths that objects took, how long their lines lay in the
// caches, and in which sets. docs/data-flow.md defines each number.

import { PATHS_BY, type FlowFacts } from '../replay/places.js';
import type { FlowTables } from './tables.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

export type { FlowFacts } from '../replay/places.js';

export interface Flow extends FlowFacts, FlowTables {}

/** Bits of `flags` of a path. */
export const FREED_ON_OTHER_CORE = 1;
export const CUT = 2;

/** Checks a value of a profile's directory, which may be anything. */
export function checkFlowFacts(facts: unknown): void {
  const { by, mostPaths, mostSteps } = (facts ?? {}) as Partial<Record<keyof FlowFacts, unknown>>;
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  if ((PATHS_BY as readonly unknown[]).includes(by) && isCount(mostPaths) && isCount(mostSteps)) return;
  throw new ProfileError(
    'flow of the profile',
    HEADER_BYTES,
    `paths by ${PATHS_BY.join(', ')}, how many, and of how many steps`,
    JSON.stringify(facts).slice(0, 100),
  );
}
