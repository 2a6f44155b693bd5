// Stage: file -> profile. What a profile says of what threads have in common: checked before it is used.

import { HEADER_BYTES, ProfileError } from './profile-format.js';
import { checkBelow, checkLengths } from './profile-indices.js';
import type { Profile, SharedAddressFacts } from './profile.js';

export function checkThreadTables(profile: Profile): void {
  checkSharedVariables(profile);
  checkLocks(profile);
}

function checkSharedVariables({ sharedVariables, sharedAddresses, types, strings, sites }: Profile): void {
  if ((sharedVariables === undefined) !== (sharedAddresses === undefined))
    throw new ProfileError('profile sharedAddresses', HEADER_BYTES, 'it and the table sharedVariables', 'one of them');
  if (sharedVariables === undefined) return;
  checkAddresses(sharedAddresses);
  checkLengths('sharedVariables', sharedVariables.type.length, sharedVariables);
  checkBelow('sharedVariables.type', sharedVariables.type, types.name.length);
  checkBelow('sharedVariables.variable', sharedVariables.variable, strings.length);
  checkBelow('sharedVariables.site', sharedVariables.site, sites.function.length);
}

function checkAddresses(facts: unknown): void {
  const { shared, kept, uncounted, mostCounts, isFull } = (facts ?? {}) as Partial<
    Record<keyof SharedAddressFacts, unknown>
  >;
  const areCounts = [shared, kept, uncounted, mostCounts].every(
    (count) => Number.isSafeInteger(count) && (count as number) >= 0,
  );
  if (areCounts && typeof isFull === 'boolean') return;
  throw new ProfileError(
    'profile sharedAddresses',
    HEADER_BYTES,
    'counts of addresses and accesses',
    JSON.stringify(facts).slice(0, 100),
  );
}

function checkLocks({ locks, lockThreads, lockCallers, lockData, types, strings }: Profile): void {
  const tables = { locks, lockThreads, lockCallers, lockData };
  const missing = Object.entries(tables)
    .filter(([, table]) => table === undefined)
    .map(([name]) => name);
  if (missing.length === 4) return;
  if (missing.length > 0)
    throw new ProfileError(
      'column list',
      HEADER_BYTES,
      'all tables of locks, or none',
      `none of ${missing.join(', ')}`,
    );
  const rows = locks!.kind.length;
  checkLengths('locks', rows, locks!);
  checkBelow('locks.type', locks!.type, types.name.length);
  checkBelow('locks.name', locks!.name, strings.length);
  for (const [name, table] of Object.entries({
    lockThreads: lockThreads!,
    lockCallers: lockCallers!,
    lockData: lockData!,
  })) {
    checkLengths(name, table.lock.length, table);
    checkBelow(`${name}.lock`, table.lock, rows);
  }
  checkBelow('lockCallers.callPath', lockCallers!.callPath, strings.length, true);
  checkBelow('lockData.type', lockData!.type, types.name.length);
}
