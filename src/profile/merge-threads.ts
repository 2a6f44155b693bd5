// Stage: profiles -> profile. What threads have in common, of several runs: rows of equal names are added; thread N is that number in each run.

import type { Renumber } from './profile-builder.js';
import type { Profile } from './profile.js';
import { freezeSharedVariables, type SharedVariableRow } from './thread-columns.js';

/** All of the profiles have it, or none. */
export function mergeThreadTables(profiles: readonly Profile[], numbers: readonly Renumber[], renumber: Renumber): Pick<Profile, 'sharedVariables' | 'sharedAddresses'> {
  const all = profiles.flatMap(({ sharedAddresses }) => sharedAddresses ?? []);
  if (all.length === 0) return {};
  const sum = (of: 'shared' | 'kept' | 'uncounted'): number => all.reduce((total, one) => total + one[of], 0);
  return {
    sharedVariables: freezeSharedVariables(addSharedVariables(profiles, numbers), renumber),
    sharedAddresses: {
      shared: sum('shared'), kept: sum('kept'), uncounted: sum('uncounted'),
      isFull: all.some(({ isFull }) => isFull),
      mostCounts: Math.max(...all.map(({ mostCounts }) => mostCounts)),
    },
  };
}

function addSharedVariables(profiles: readonly Profile[], numbers: readonly Renumber[]): SharedVariableRow[] {
  const rows = new Map<string, SharedVariableRow>();
  profiles.forEach(({ sharedVariables: table }, index) => {
    const { type, string, site } = numbers[index];
    table?.accesses.forEach((accesses, row) => {
      const names = { type: type(table.type[row]), variable: string(table.variable[row]), site: site(table.site[row]), thread: table.thread[row] };
      const key = Object.values(names).join(' ');
      const known = rows.get(key);
      if (known === undefined) rows.set(key, { ...names, accesses });
      else known.accesses += accesses;
    });
  });
  return [...rows.values()];
}
