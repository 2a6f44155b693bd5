// Stage: profile -> views. Rows with classes of misses from samples: those of the miss classification, and functions.

import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import type { SampledPart } from '../profile/sampled.js';
import { EstimateSums, estimatesBy } from './estimate-sums.js';
import type { Sampled } from './row-estimates.js';
import { selectTallies } from './row-filter.js';
import { sampledObject } from './sampled-object-row.js';
import { markClassified, markCounts, markMean, markMostMisses, Marks } from './sampled-rows.js';
import { sumsOfAll } from './sampled-view.js';
import { spellFunction, spellSite } from './sites.js';
import type { ClassifiedBy, ViewOptions } from './view.js';
import type { ClassifiedRow, FunctionRow } from './miss-rows.js';

export function sampledMissRows(
  profile: Profile,
  sampled: SampledPart,
  rows: readonly ClassifiedRow[],
  options: ViewOptions,
): Sampled<ClassifiedRow>[] {
  const by = options.by ?? 'type';
  if (by === 'object') return rows.map((row) => sampledObject(row, sampled));
  if (by === 'site')
    throw new DprofError('samples do not say which misses an object had', 'give --by object, or a trace', 2);
  return markRows(
    profile,
    sampled,
    rows,
    by,
    by === 'type' || by === 'field' ? { function: options.function } : options,
  );
}

export function sampledFunctionRows(
  profile: Profile,
  sampled: SampledPart,
  rows: readonly FunctionRow[],
  options: ViewOptions,
): Sampled<FunctionRow>[] {
  return markRows(profile, sampled, rows, 'function', options, (marks, own) => {
    if (marks.isUnknown('latency')) marks.nothing('latencyCycles');
    else marks.sum('latencyCycles', own, 'latencyCycles');
    markMean(marks, 'averageLatencyCycles', own, 'latencyCycles');
  });
}

/** The columns that tell rows apart; keysOf gives their values for a tally. */
const KEYS: Readonly<Record<Exclude<ClassifiedBy, 'object' | 'site'>, readonly string[]>> = {
  type: ['type', 'field'],
  field: ['type', 'field'],
  function: ['function'],
  line: ['line', 'function'],
  core: ['core'],
};

function markRows<Row extends object>(
  profile: Profile,
  sampled: SampledPart,
  rows: readonly Row[],
  by: Exclude<ClassifiedBy, 'object' | 'site'>,
  asked: ViewOptions,
  more: (marks: Marks<Row>, sums: EstimateSums) => void = () => {},
): Sampled<Row>[] {
  const isAsked = selectTallies(profile, asked);
  const whole = sumsOfAll(profile, sampled);
  const keys = keysOf(profile, by);
  const sums = estimatesBy(profile, sampled, (row) =>
    isAsked(row) ? keys(row).map((key) => JSON.stringify(key)) : [],
  );
  return rows.map((row) => {
    const key = KEYS[by].map((name) => Object.entries(row).find(([own]) => own === name)?.[1] ?? null);
    const own = sums.get(JSON.stringify(key)) ?? new EstimateSums(sampled);
    const marks = new Marks(row, sampled.facts);
    markCounts(marks, own, whole);
    markClassified(marks, own, whole);
    if (by === 'type' || by === 'field') markMostMisses(marks);
    more(marks, own);
    return marks.row;
  });
}

/**
 * The keys of the rows that a tally counts for. If rows are types with fields, a tally of a field counts for its type
 * too.
 */
function keysOf(
  profile: Profile,
  by: Exclude<ClassifiedBy, 'object' | 'site'>,
): (row: number) => readonly (readonly unknown[])[] {
  const { strings, types, tallies } = profile;
  const typeOf = (row: number): string => strings[types.name[tallies.type[row]]];
  const fieldOf = (row: number): string | null =>
    tallies.field[row] === NO_INDEX ? null : strings[tallies.field[row]];
  const functionOf = (row: number): string | null => spellFunction(profile, tallies.site[row]);
  switch (by) {
    case 'type':
      return (row) => [[typeOf(row), null], ...(fieldOf(row) === null ? [] : [[typeOf(row), fieldOf(row)]])];
    case 'field':
      return (row) => [[typeOf(row), fieldOf(row)]];
    case 'function':
      return (row) => [[functionOf(row)]];
    case 'line':
      return (row) => [[spellSite(profile, tallies.site[row]), functionOf(row)]];
    case 'core':
      return (row) => [[tallies.core[row]]];
  }
}
