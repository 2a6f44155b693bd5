// Stage: profile -> views. The numbers from samples that rows of several views share: references, misses by level and
// class, latency. docs/sampled-views.md defines each.

import { boundsOf } from '../base/estimate.js';
import { LATENCIES, type SamplingFacts } from '../profile/sampled.js';
import { CLASSES, DPROF_RULES, LEVELS } from '../contract/machine.js';
import type { EstimateSums } from './estimate-sums.js';
import { SampledRow } from './row-estimates.js';

/** A row of estimates, with what its samples cannot say and why. */
export class Marks<Row extends object> extends SampledRow<Row> {
  constructor(
    row: Row,
    private readonly facts: SamplingFacts,
  ) {
    super(row);
  }

  /** A number that samples say. */
  sum(place: string, sums: EstimateSums, ...names: readonly string[]): void {
    const { value, low, high } = sums.estimate(...names);
    this.write(place, value);
    // If no access was met, its latency is unknown.
    if (value > 0 || !names.some((name) => name in LATENCIES)) this.bound(place, boundsOf({ value, low, high }));
  }

  /** A number that no sample can say; `fact` says why. */
  nothing(place: string): void {
    this.write(place, null);
  }

  isUnknown(fact: string): boolean {
    return Object.hasOwn(this.facts.unknown, fact);
  }
}

export const REFERENCES = ['loads', 'stores', 'kindUnknown'] as const;
export const KINDS = [
  ['loads', 'Loads'],
  ['stores', 'Stores'],
] as const;
export const missesOf = (level: string): readonly string[] => [`${level}.missLoads`, `${level}.missStores`];

/** The estimates of references that are known to hit or to miss the L1. */
export const KNOWN = ['served.l1', ...missesOf('l1')];

/**
 * True if the samples of this row do not tell the number: either none of them says whether it hit or missed, or some do
 * not and no other shows a miss.
 */
export function isUnclear(sums: EstimateSums, level: (typeof LEVELS)[number], kind: (typeof KINDS)[number]): boolean {
  const [plural, suffix] = kind;
  const above = LEVELS[LEVELS.indexOf(level) - 1];
  const lookups =
    above === undefined ? sums.get(plural) : sums.get(`${above}.miss${suffix}`, `${above}.unknown${suffix}`);
  const unclear = sums.get(`${level}.unknown${suffix}`);
  return unclear > 0 && (unclear >= lookups || sums.get(`${level}.miss${suffix}`) === 0);
}

/** Samples do not say who served every miss, so not what the misses of a level cost. */
export function markNoLevels(marks: Marks<object>): void {
  for (const level of LEVELS) marks.nothing(`levelCycles.${level}`);
  for (const name of ['level', 'class', 'cycles', 'share']) marks.nothing(`costliest.${name}`);
}

/** No sample says the cost of a line of a row. */
export function markMostMisses(marks: Marks<object>): void {
  for (const name of ['cycles', 'misses', 'share']) marks.nothing(`mostMissesAt.${name}`);
}

/** The counts that rows of all tally views have. */
export function markCounts(marks: Marks<object>, sums: EstimateSums, whole: EstimateSums): void {
  for (const [plural] of KINDS) {
    if (marks.isUnknown(`references.${plural}`)) marks.nothing(`references.${plural}`);
    else marks.sum(`references.${plural}`, sums, plural);
  }
  if (whole.get('kindUnknown') > 0) marks.sum('references.unknown', sums, 'kindUnknown');
  marks.bound('total.references', sums.interval(...REFERENCES));
  for (const level of LEVELS) marks.bound(`total.${level}Misses`, sums.interval(...missesOf(level)));
  marks.bound('share.ofL1Misses', sums.share(missesOf('l1'), missesOf('l1'), whole));
  marks.bound('share.missRate', sums.share(missesOf('l1'), KNOWN));
  for (const level of LEVELS)
    for (const [plural, suffix] of KINDS)
      if (whole.get(`${level}.unknown${suffix}`) > 0)
        marks.sum(`unknown.${level}.${plural}`, sums, `${level}.unknown${suffix}`);
  markNoLevels(marks);
  if (marks.isUnknown('latency')) marks.nothing('missLatencyCycles');
  else marks.sum('missLatencyCycles', sums, 'missLatencyCycles');
}

export function markMean(
  marks: Marks<object>,
  place: string,
  sums: EstimateSums,
  name: 'latencyCycles' | 'missLatencyCycles',
): void {
  const mean = sums.mean(name);
  marks.write(place, mean?.mean ?? null);
  marks.bound(place, mean?.interval ?? null);
}

/** Classes that a backward search can tell. */
const FOUND = CLASSES.filter((name) => name !== 'compulsory');

export function markClassified(marks: Marks<object>, sums: EstimateSums, whole: EstimateSums): void {
  for (const level of LEVELS) {
    const places = KINDS.map((kind) => ({
      kind,
      isUnknown: marks.isUnknown(`misses.${level}.${kind[0]}`) || isUnclear(sums, level, kind),
    }));
    const known = places.filter(({ isUnknown }) => !isUnknown);
    const unclear = sums.get(`${level}.unknownLoads`, `${level}.unknownStores`);
    // If no sample shows a miss while some may have missed, nothing is known.
    if (known.length === 0 || (unclear > 0 && sums.get(...missesOf(level)) === 0))
      marks.nothing(`levels.${level}.misses`);
    else marks.sum(`levels.${level}.misses`, sums, ...known.map(({ kind: [, suffix] }) => `${level}.miss${suffix}`));
    marks.nothing(`levels.${level}.classes.compulsory`);
    marks.nothing(`levels.${level}.compulsoryShared`);
    if (marks.isUnknown('classes')) {
      for (const name of FOUND) marks.nothing(`levels.${level}.classes.${name}`);
      for (const name of DPROF_RULES) marks.nothing(`levels.${level}.dprofRule.${name}`);
    } else {
      for (const name of FOUND) marks.sum(`levels.${level}.classes.${name}`, sums, `${level}.${name}`);
      for (const name of DPROF_RULES) marks.sum(`levels.${level}.dprofRule.${name}`, sums, `${level}.dprof.${name}`);
    }
    if (whole.get(`${level}.unclassified`) > 0)
      marks.sum(`levels.${level}.unclassified`, sums, `${level}.unclassified`);
  }
}
