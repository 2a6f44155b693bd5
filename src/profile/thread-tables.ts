// Stage: file -> profile. What a profile says of what threads have in common: checked before it is used.

import { HEADER_BYTES, ProfileError } from './profile-format.js';
import { checkBelow, checkLengths } from './profile-indices.js';
import type { Profile, SharedAddressFacts } from './profile.js';

export function checkThreadTables({ sharedVariables, sharedAddresses, types, strings, sites }: Profile): void {
  if ((sharedVariables === undefined) !== (sharedAddresses === undefined)) throw new ProfileError('profile sharedAddresses', HEADER_BYTES, 'it and the table sharedVariables', 'one of them');
  if (sharedVariables === undefined) return;
  checkAddresses(sharedAddresses);
  checkLengths('sharedVariables', sharedVariables.type.length, sharedVariables);
  checkBelow('sharedVariables.type', sharedVariables.type, types.name.length);
  checkBelow('sharedVariables.variable', sharedVariables.variable, strings.length);
  checkBelow('sharedVariables.site', sharedVariables.site, sites.function.length);
}

function checkAddresses(facts: unknown): void {
  const { shared, kept, uncounted, mostCounts, isFull } = (facts ?? {}) as Partial<Record<keyof SharedAddressFacts, unknown>>;
  const areCounts = [shared, kept, uncounted, mostCounts].every((count) => Number.isSafeInteger(count) && (count as number) >= 0);
  if (areCounts && typeof isFull === 'boolean') return;
  throw new ProfileError('profile sharedAddresses', HEADER_BYTES, 'counts of addresses and accesses', JSON.stringify(facts).slice(0, 100));
}
