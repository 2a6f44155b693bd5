// Stage: check. The numbers that dprof.yml can name, and how each is got from a profile. docs/check.md lists them,
// docs/definitions.md says what they mean.

import { closestNames, didYouMean } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import { CLASSES, LEVELS, type LevelName, type MissClass } from '../contract/machine.js';
import { sizeInName } from '../diff/resized-sites.js';
import type { Profile } from '../profile/profile.js';
import { sumAll } from '../views/counter-sums.js';
import { buildUnusedBytes } from '../views/unused-bytes.js';
import type { Asked, ClassName, MeasureName, MissesName, RateName } from './asked.js';
import { findSubject, type Found, type SubjectKind } from './subject.js';

export interface Measure {
  readonly of: readonly SubjectKind[];
  /** '': plain, as cycles and bytes are; '%': in percent alone; `bytes?`: bytes or percent, and one must say. */
  readonly unit: '' | '%' | 'bytes' | 'bytes?' | 'cycles' | 'lines';
  readonly value: (profile: Profile, found: Found) => number;
  /** What percentages are of; without: the same number of the whole run. */
  readonly whole?: (profile: Profile, found: Found) => number;
  readonly meaning: string;
}

const ALL: readonly SubjectKind[] = ['run', 'type', 'function', 'line', 'site'];

/** What is known of each reference, and not of objects. */
const OF_REFERENCES: readonly SubjectKind[] = ['run', 'type', 'function', 'line'];

const counted = (meaning: string, value: (found: Found) => number, of = ALL): Measure => ({
  of,
  unit: '',
  value: (_, found) => value(found),
  meaning,
});

const classOf = (level: LevelName, name: MissClass): Measure =>
  counted(`${level.toUpperCase()} misses of that class`, ({ sums }) => sums.get(`${level}.${name}`));

function byName<Name extends string>(entries: readonly (readonly [Name, Measure])[]): Record<Name, Measure> {
  return Object.fromEntries(entries) as Record<Name, Measure>;
}

export const MEASURES: Readonly<Record<MeasureName, Measure>> = {
  references: counted('loads and stores', ({ sums }) => sums.references),
  loads: counted('loads', ({ sums }) => sums.get('loads'), OF_REFERENCES),
  stores: counted('stores, atomics included', ({ sums }) => sums.get('stores'), OF_REFERENCES),
  ...byName(
    LEVELS.map((level): readonly [MissesName, Measure] => [
      `${level}-misses`,
      counted(`misses of the ${level.toUpperCase()}`, ({ sums }) => sums.misses(level)),
    ]),
  ),
  ...byName(
    LEVELS.map((level): readonly [RateName, Measure] => [
      `${level}-miss-rate`,
      {
        of: ALL,
        unit: '%',
        value: (_, { sums }) => sums.misses(level),
        whole: (_, { sums }) => sums.references,
        meaning: `of all references that miss the ${level.toUpperCase()}`,
      },
    ]),
  ),
  ...byName(CLASSES.map((name): readonly [ClassName, Measure] => [name, classOf('l1', name)])),
  ...byName(
    LEVELS.flatMap((level) =>
      CLASSES.map((name): readonly [ClassName, Measure] => [`${level}-${name}`, classOf(level, name)]),
    ),
  ),
  'cache-to-cache': counted(
    "references served by another core's cache",
    ({ sums }) => sums.get('served.cache'),
    OF_REFERENCES,
  ),
  'estimated-cycles': {
    ...counted('latency of the references that miss the L1', ({ sums }) => sums.get('missLatencyCycles')),
    unit: 'cycles',
  },
  instructions: {
    of: ['run'],
    unit: '',
    value: ({ totals }) => totals.instructions,
    meaning: "of the program's own code",
  },
  invalidations: {
    of: ['run'],
    unit: '',
    value: ({ totals }) => totals.invalidations,
    meaning: "lines that another core's store took away",
  },
  bytes: { of: ['type'], unit: 'bytes', value: (profile, found) => sizeOf(profile, found), meaning: 'of one object' },
  lines: {
    of: ['type'],
    unit: 'lines',
    value: (profile, found) => Math.ceil(sizeOf(profile, found) / profile.machine.lineBytes),
    meaning: "cache lines of one object that begins at a line's start",
  },
  'unused-bytes': {
    of: ['run', 'type'],
    unit: 'bytes?',
    value: (profile, found) => fetched(profile, found).unusedBytes,
    whole: (profile, found) => fetched(profile, found).fetchedBytes,
    meaning: 'fetched into an L1 and not used before they left it; in percent: of all that were fetched',
  },
};

/** Of one run. Throws DprofError if the subject or the mark is not in it, or has no such number. */
export function measure(profile: Profile, asked: Asked): number {
  const found = findSubject(profile, asked.subject);
  const { value, unit, whole } = MEASURES[asked.measure];
  const own = value(profile, found);
  if (unit !== '%' && !asked.isShare) {
    const work = workOf(profile, asked);
    return work === 0 ? 0 : own / work;
  }
  const all = whole ? whole(profile, found) : value(profile, { sums: sumAll(profile.tallies), isOwn: () => true });
  return all === 0 ? 0 : (100 * own) / all;
}

function workOf(profile: Profile, { per, measure: name }: Asked): number {
  if (per === undefined) return 1;
  if (per.of !== 'mark') return profile.totals[per.of] / per.count;
  const times = profile.marks.find((mark) => mark.name === per.name)?.times;
  if (times !== undefined) return times / per.count;
  const closest = closestNames(
    per.name ?? '',
    profile.marks.map((mark) => mark.name),
  );
  throw new DprofError(
    `${name} per ${per.name}: the run has no such mark`,
    profile.marks.length === 0
      ? 'it has none: the program sets them with dprof_mark("name") of dprof.h'
      : didYouMean(closest),
    2,
  );
}

function fetched(profile: Profile, { type }: Found): { readonly unusedBytes: number; readonly fetchedBytes: number } {
  const { sums, rows } = buildUnusedBytes(profile);
  if (type === undefined) return sums;
  return rows.find((row) => row.field === null && row.type === type) ?? { unusedBytes: 0, fetchedBytes: 0 };
}

function sizeOf({ layouts = [] }: Profile, { type = '', field }: Found): number {
  const layout = layouts.find(({ name }) => name === type);
  const member = field === undefined ? undefined : layout?.members.find(({ name }) => name === field);
  const size = field === undefined ? (layout?.sizeBytes ?? sizeInName(type)) : member?.sizeBytes;
  if (size !== undefined && size !== null) return size;
  const what = field === undefined ? type : `${type}.${field}`;
  throw new DprofError(`${what} has no size that the run knows`, 'sizes are known of structs, classes and unions', 2);
}
