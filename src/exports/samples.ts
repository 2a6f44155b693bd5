// Stage: profile -> exports. The samples that viewers of code profiles expect: the tallies by type, field, function and
// line, added up over cores and rules.

import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { CLASSES, LEVELS } from '../contract/machine.js';
import { compareRanks, rankSums, sumBy } from '../views/counter-sums.js';
import { framesOf } from '../views/frames.js';
import { selectTallies } from '../views/row-filter.js';
import type { RowFilter, ViewOptions } from '../views/view.js';
import { placesOf, type ExportPlace, type ExportSample, type ExportSums } from './export-sample.js';
import { listSiteSamples } from './site-samples.js';

/** `--by site`: stacks lead to the allocations of what was missed, not to the accesses that missed. */
export type SampleChoice = RowFilter & Pick<ViewOptions, 'by'>;

type Stack = ExportPlace & Pick<ExportSample, 'callers' | 'inlined'>;

/** Most L1 misses first, then by names. */
export function listSamples(profile: Profile, { by, ...filter }: SampleChoice = {}): ExportSample[] {
  if (by === 'site') return listSiteSamples(profile, filter);
  const { tallies, types, strings, sites } = profile;
  const isAsked = selectTallies(profile, filter);
  const frames = framesOf(profile);
  const stackAt = (site: number): Stack => {
    const charged = frames.charged(site);
    const [callers, inwards]: ExportPlace[][] = [[], []];
    let isCaller = false;
    for (let at = site; at !== 0; at = sites.caller[at]) {
      const [name, file] = [strings[sites.function[at]] || null, strings[sites.file[at]] || null];
      (isCaller ? callers : inwards).unshift({ function: name, file, line: sites.line[at] });
      isCaller ||= at === charged;
    }
    const [own = { function: null, file: null, line: 0 }, ...inlined] = inwards;
    return { ...own, callers, inlined };
  };
  /** The first site that reads like it: columns are not told apart. */
  const sameSites = new Map<string, number>();
  const firstLike = (site: number): number => {
    const key = JSON.stringify(stackAt(site));
    if (!sameSites.has(key)) sameSites.set(key, site);
    return sameSites.get(key)!;
  };
  const sums = sumBy(tallies, (row) => {
    const site = tallies.site[row];
    return isAsked(row) ? `${tallies.type[row]} ${tallies.field[row]} ${firstLike(site)}` : null;
  });
  const samples = [...sums].map(([key, own]): ExportSample => {
    const [type, field, site] = key.split(' ').map(Number);
    return {
      type: strings[types.name[type]],
      field: field === NO_INDEX ? null : strings[field],
      ...stackAt(site),
      sums: own,
    };
  });
  const compare = compareRanks('misses');
  const spelled = (sample: ExportSample): string =>
    [sample.type, sample.field ?? '', ...placesOf(sample).flatMap(spellPlace)].join('\n');
  return samples
    .map((sample) => ({ sample, rank: rankSums(sample.sums, spelled(sample)) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ sample }) => sample);
}

function spellPlace({ function: name, file, line }: ExportPlace): string[] {
  return [name ?? '', file ?? '', String(line).padStart(10, '0')];
}

export interface Measure {
  /** The name on the command line. */
  readonly name: string;
  readonly title: string;
  readonly unit: 'count' | 'cycles';
  readonly of: (sums: ExportSums) => number;
  /** Of accesses alone: no object counts it. */
  readonly isOfAccesses?: true;
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
    isOfAccesses: true,
  },
  {
    name: 'miss-cycles',
    title: 'estimated cycles of L1 misses',
    unit: 'cycles',
    of: (sums) => sums.get('missLatencyCycles'),
  },
];

/** The measures that such samples have. */
export function choose<One extends { readonly isOfAccesses?: true }>(all: readonly One[], { by }: SampleChoice): One[] {
  return all.filter(({ isOfAccesses }) => by !== 'site' || !isOfAccesses);
}

export const MEASURE_NAMES = MEASURES.map(({ name }) => name);

export interface ExportFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

/** Data first, as a flame graph reads from its root: type, field, then the line of code. */
export function stackOf(sample: ExportSample): ExportFrame[] {
  const { type, field } = sample;
  return [{ name: type }, ...(field === null ? [] : [{ name: `${type}.${field}` }]), ...placesOf(sample).map(frameOf)];
}

function frameOf({ function: name, file, line }: ExportPlace): ExportFrame {
  const place = file === null ? '' : ` (${file}:${line})`;
  return { name: `${name ?? '(unknown)'}${place}`, ...(file !== null && { file, ...(line > 0 && { line }) }) };
}
