// Stage: profiles -> profile. What threads have in common, of several runs: rows of equal names are added; thread N is
// that number in each run.

import { addTo, LockRows } from './lock-columns.js';
import type { Renumber } from './profile-builder.js';
import type { LockColumns, Profile } from './profile.js';
import { freezeSharedVariables, type SharedVariableRow } from './thread-columns.js';

type ThreadTables = Pick<Profile, 'sharedVariables' | 'sharedAddresses' | keyof LockColumns>;

/** All of the profiles have a table, or none. */
export function mergeThreadTables(
  profiles: readonly Profile[],
  numbers: readonly Renumber[],
  renumber: Renumber,
): ThreadTables {
  const shared = profiles.flatMap(({ sharedAddresses }) => sharedAddresses ?? []);
  const sum = (of: 'shared' | 'kept' | 'uncounted'): number => shared.reduce((total, one) => total + one[of], 0);
  return {
    ...(profiles[0].locks && mergeLocks(profiles, numbers, renumber)),
    ...(shared.length > 0 && {
      sharedVariables: freezeSharedVariables(addSharedVariables(profiles, numbers), renumber),
      sharedAddresses: {
        shared: sum('shared'),
        kept: sum('kept'),
        uncounted: sum('uncounted'),
        isFull: shared.some(({ isFull }) => isFull),
        mostCounts: Math.max(...shared.map(({ mostCounts }) => mostCounts)),
      },
    }),
  };
}

function addSharedVariables(profiles: readonly Profile[], numbers: readonly Renumber[]): SharedVariableRow[] {
  const rows = new Map<string, SharedVariableRow>();
  profiles.forEach(({ sharedVariables: table }, index) => {
    const { type, string, site } = numbers[index];
    table?.accesses.forEach((accesses, row) => {
      const names = {
        type: type(table.type[row]),
        variable: string(table.variable[row]),
        site: site(table.site[row]),
        thread: table.thread[row],
      };
      const key = Object.values(names).join(' ');
      const known = rows.get(key);
      if (known === undefined) rows.set(key, { ...names, accesses });
      else known.accesses += accesses;
    });
  });
  return [...rows.values()];
}

function mergeLocks(profiles: readonly Profile[], numbers: readonly Renumber[], renumber: Renumber): LockColumns {
  const rows = new LockRows();
  profiles.forEach(({ locks, lockThreads, lockCallers, lockData }, index) => {
    const { type, string } = numbers[index];
    const rowOf = Array.from(locks!.kind, (kind, lock) => {
      const row = rows.of(kind, type(locks!.type[lock]), string(locks!.name[lock]));
      rows.add(row, locks!, lock);
      return row;
    });
    lockThreads!.lock.forEach((lock, at) =>
      addTo(rowOf[lock].byThread, lockThreads!.thread[at], lockThreads!.acquisitions[at]),
    );
    lockCallers!.lock.forEach((lock, at) =>
      addTo(rowOf[lock].byPath, string(lockCallers!.callPath[at]), lockCallers!.acquisitions[at]),
    );
    lockData!.lock.forEach((lock, at) => rows.addData(rowOf[lock], type(lockData!.type[at]), lockData!, at));
  });
  return rows.freeze(renumber);
}
