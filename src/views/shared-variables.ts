// Stage: profile -> views. DINAMITE's shared variables: where the program refers to addresses that several threads
// refer to about equally often, by source line and variable, and how often each thread does. docs/threads.md.

import { DprofError } from '../base/dprof-error.js';
import type { Profile, SharedAddressFacts } from '../profile/profile.js';
import { wrapRows } from './envelope.js';
import type { View } from './view.js';

export interface SharedVariableRow {
  readonly file: string | null;
  /** null: the debug information does not say. */
  readonly line: number | null;
  readonly variable: string;
  readonly type: string;
  readonly threadcount: number;
  readonly totalcount: number;
  /** By thread. */
  readonly threads: Readonly<Record<string, number>>;
}

export interface SharedVariables extends View<SharedVariableRow> {
  readonly addresses: SharedAddressFacts;
}

/** Most accesses first, then by file, line and variable. */
export function buildSharedVariables(profile: Profile): SharedVariables {
  const { sharedVariables: columns, sharedAddresses: addresses, strings, types, sites } = profile;
  if (columns === undefined || addresses === undefined) {
    throw new DprofError(
      'shared variables were not collected when this profile was made',
      'dprof report TRACE --view shared-variables, or dprof replay TRACE --shared-variables -o PROFILE',
    );
  }
  const rows = new Map<
    string,
    SharedVariableRow & { totalcount: number; threadcount: number; readonly threads: Record<string, number> }
  >();
  columns.accesses.forEach((accesses, at) => {
    const [site, variable, type] = [columns.site[at], columns.variable[at], columns.type[at]];
    const key = `${site} ${variable} ${type}`;
    let row = rows.get(key);
    if (row === undefined) {
      const file = strings[sites.file[site]];
      row = {
        file: file || null,
        line: file ? sites.line[site] : null,
        variable: strings[variable],
        type: strings[types.name[type]],
        threadcount: 0,
        totalcount: 0,
        threads: {},
      };
      rows.set(key, row);
    }
    row.threadcount++;
    row.totalcount += accesses;
    row.threads[columns.thread[at]] = accesses;
  });
  // The columns are sorted by site and variable, and so are equals.
  const sorted = [...rows.values()].sort((a, b) => b.totalcount - a.totalcount);
  return { ...wrapRows(profile, 'shared-variables', sorted), addresses };
}

export function byCount({ threads }: SharedVariableRow): { readonly thread: number; readonly count: number }[] {
  return Object.entries(threads)
    .map(([thread, count]) => ({ thread: Number(thread), count }))
    .sort((a, b) => b.count - a.count || a.thread - b.thread);
}
