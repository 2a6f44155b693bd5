// Stage: profile -> exports. The samples that viewers of code profiles expect: the tallies by type, field, function and
// line, added up over cores and rules.

import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { CLASSES, LEVELS } from '../contract/machine.js';
import { compareRanks, type CounterSums, rankSums, sumBy } from '../views/counter-sums.js';
import { selectTallies } from '../views/row-filter.js';
import type { RowFilter } from '../views/view.js';

export interface ExportSample {
  readonly type: string;
  readonly field: string | null;
  readonly function: string | null;
  readonly file: string | null;
  /** 0: not known. */
  readonly line: number;
  readonly sums: CounterSums;
}

/** Most L1 misses first, then by names. */
export function listSamples(profile: Profile, filter: RowFilter = {}): ExportSample[] {
  const { tallies, types, strings, sites } = profile;
  const isAsked = selectTallies(profile, filter);
  const sums = sumBy(tallies, (row) => {
    const site = tallies.site[row];
    return isAsked(row)
      ? `${tallies.type[row]} ${tallies.field[row]} ${sites.function[site]} ${sites.file[site]} ${sites.line[site]}`
      : null;
  });
  const samples = [...sums].map(([key, own]): ExportSample => {
    const [type, field, name, file, line] = key.split(' ').map(Number);
    return {
      type: strings[types.name[type]],
      field: field === NO_INDEX ? null : strings[field],
      function: strings[name] || null,
      file: strings[file] || null,
      line,
      sums: own,
    };
  });
  const compare = compareRanks('misses');
  const spelled = ({ type, field, function: name, file, line }: ExportSample): string =>
    [type, field ?? '', name ?? '', file ?? '', String(line).padStart(10, '0')].join('\n');
  return samples
    .map((sample) => ({ sample, rank: rankSums(sample.sums, spelled(sample)) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ sample }) => sample);
}

export interface Measure {
  /** The name on the command line. */
  readonly name: string;
  readonly title: string;
  readonly unit: 'count' | 'cycles';
  readonly of: (sums: CounterSums) => number;
}

export const MEASURES: readonly Measure[] = [
  { name: 'references', title: 'references', unit: 'count', of: (sums) => sums.references },
  ...LEVELS.map(
    (level): Measure => ({
      name: `${level}-misses`,
      title: `${level === 'llc' ? 'LLC' : level.toUpperCase()} misses`,
      unit: 'count',
      of: (sums) => sums.misses(level),
    }),
  ),
  ...CLASSES.map(
    (name): Measure => ({
      name: `l1-${name}`,
      title: `L1 misses, ${name.replace('-', ' ')}`,
      unit: 'count',
      of: (sums) => sums.get(`l1.${name}`),
    }),
  ),
  {
    name: 'cycles',
    title: 'estimated cycles of all references',
    unit: 'cycles',
    of: (sums) => sums.get('latencyCycles'),
  },
  {
    name: 'miss-cycles',
    title: 'estimated cycles of L1 misses',
    unit: 'cycles',
    of: (sums) => sums.get('missLatencyCycles'),
  },
];

export const MEASURE_NAMES = MEASURES.map(({ name }) => name);

export interface ExportFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

/** Data first, as a flame graph reads from its root: type, field, then the line of code that referenced it. */
export function framesOf({ type, field, function: name, file, line }: ExportSample): ExportFrame[] {
  const place = file === null ? '' : ` (${file}:${line})`;
  return [
    { name: type },
    ...(field === null ? [] : [{ name: `${type}.${field}` }]),
    { name: `${name ?? '(unknown)'}${place}`, ...(file !== null && { file, ...(line > 0 && { line }) }) },
  ];
}
