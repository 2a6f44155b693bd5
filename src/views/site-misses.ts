// Stage: profile -> views. Miss classification by site: one row for each call path that allocates, with all its objects
// of a type, and one for each variable that is an object.

import { listObjects } from '../profile/object-source.js';
import type { Profile } from '../profile/profile.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import { OBJECT_COUNTERS } from '../contract/result.js';
import { column, count, name, type Column } from './columns.js';
import { sortRanked, usualSort } from './counter-sums.js';
import type { PathFrame } from './frames.js';
import { levelMisses, type LevelMisses } from './level-misses.js';
import { outsideObjects } from './object-misses.js';
import { briefSite, ownSite, spellName, type OwnSite } from './sites.js';
import { spellType } from './split-rows.js';

export interface SiteMissRow extends OwnSite {
  readonly type: string;
  readonly variable: string | null;
  /** Objects that were referenced, and the sum of their sizes. */
  readonly objects: number;
  readonly bytes: number;
  readonly references: number;
  readonly missLatencyCycles: number;
  readonly levels: Record<LevelName, LevelMisses>;
}

interface SiteSums {
  readonly type: number;
  readonly site: number;
  readonly variable: number;
  objects: number;
  bytes: number;
  references: number;
  readonly counters: Float64Array;
}

const NO_SITE: OwnSite = { function: null, site: null, receiver: null, callPath: [] };

export function classifySites(profile: Profile): SiteMissRow[] {
  const { strings, types } = profile;
  const ranked = sumSites(profile).map((sums) => {
    const counter = (name: string): number => sums.counters[OBJECT_COUNTERS.indexOf(name)];
    const row: SiteMissRow = {
      type: strings[types.name[sums.type]],
      variable: spellName(profile, sums.variable),
      ...ownSite(profile, sums.site, 'allocation'),
      objects: sums.objects,
      bytes: sums.bytes,
      references: sums.references,
      missLatencyCycles: counter('missLatencyCycles'),
      levels: levelMisses(counter),
    };
    return {
      rank: {
        misses: row.levels[LEVELS[0]].misses,
        cycles: row.missLatencyCycles,
        name: `${row.type}\n${row.variable ?? ''}\n${String(sums.site).padStart(10)}`,
      },
      row,
    };
  });
  const { object: _, variable, function: name, site, ...rest } = outsideObjects(profile);
  if (rest.references > 0)
    ranked.push({
      rank: { misses: rest.levels.l1.misses, cycles: rest.missLatencyCycles, name: '' },
      row: { ...NO_SITE, ...rest, variable, function: name, site, objects: 0, bytes: 0 },
    });
  return sortRanked(ranked, usualSort(profile));
}

type Allocated = Pick<SiteMissRow, 'type' | 'variable' | keyof OwnSite>;

/** The subject of a row; where several allocate the same at one line, also who called that. */
export function siteColumns(rows: readonly Allocated[]): Column<never>[] {
  const callers = findCallers(rows);
  return [
    column('name', 'type', 'type', (row: Allocated) => spellType(row), { shortest: 12, all: 'all sites' }),
    column('name', 'receiver', 'received by', ({ receiver, variable }: Allocated) => receiver ?? variable, {
      nothing: '-',
      shortest: 8,
    }),
    name('at', 'site', { nothing: '(unknown)', shortest: 14 }, 'site'),
    ...(callers.size === 0
      ? []
      : [
          column('name', 'callPath', 'called at', (row: Allocated) => callers.get(row) ?? '', {
            meaning: 'the caller that tells the row from others of its line.',
            shortest: 9,
          }),
        ]),
    name('in', 'function', { nothing: '', shortest: 8, expendable: 3 }),
    count('objects', 'objects'),
    count('bytes', 'bytes', { meaning: 'of all its objects.', expendable: 2 }),
  ];
}

/** Of rows that are alike but for their call paths: the innermost frame that tells most of them apart. */
function findCallers(rows: readonly Allocated[]): Map<Allocated, string> {
  const alike = new Map<string, Allocated[]>();
  for (const row of rows) {
    if (row.callPath.length === 0) continue;
    const key = JSON.stringify([spellType(row), row.receiver ?? row.variable, row.site]);
    alike.set(key, [...(alike.get(key) ?? []), row]);
  }
  const callers = new Map<Allocated, string>();
  for (const group of alike.values()) {
    const callersAt = (at: number): Set<string> => new Set(group.map(({ callPath }) => spellCaller(callPath[at])));
    const depths = Array.from({ length: Math.max(...group.map(({ callPath }) => callPath.length)) }, (_, at) => at);
    const telling = depths.reduce((most, at) => (callersAt(at).size > callersAt(most).size ? at : most), 0);
    if (callersAt(telling).size > 1) for (const row of group) callers.set(row, spellCaller(row.callPath[telling]));
  }
  return callers;
}

/** "main.c:12"; the function if no debug information says more. */
function spellCaller(frame: PathFrame | undefined): string {
  return briefSite(frame?.site ?? null) ?? frame?.function ?? '';
}

/** Of all objects that were referenced. */
export function sumSites(profile: Profile): SiteSums[] {
  const sites = new Map<string, SiteSums>();
  for (const { first, objects, counters } of listObjects(profile)) {
    const sumsOf = Array.from(objects.address, (_, object): SiteSums | null => {
      if (objects.references[object] === 0) return null;
      const [type, site, variable] = [objects.type[object], objects.site[object], objects.variable[object]];
      const key = `${type} ${site} ${variable}`;
      let sums = sites.get(key);
      if (sums === undefined) {
        const none = { objects: 0, bytes: 0, references: 0, counters: new Float64Array(OBJECT_COUNTERS.length) };
        sites.set(key, (sums = { type, site, variable, ...none }));
      }
      sums.objects++;
      sums.bytes += objects.sizeBytes[object];
      sums.references += objects.references[object];
      return sums;
    });
    counters.counter.forEach((counter, row) => {
      const sums = sumsOf[counters.object[row] - first];
      if (sums !== null) sums.counters[counter] += counters.value[row];
    });
  }
  return [...sites.values()];
}
