// Stage: profile -> views. A view that was built of estimates, marked as that: each number that samples say has its
// interval beside it, and what no sample can say is null. docs/sampled-views.md defines each.

import { countInterval, type Interval } from '../base/intervals.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { LATENCIES, type SampledPart, type SamplingFacts } from '../profile/sampled.js';
import { CLASSES, DPROF_RULES, LEVELS, serversOf } from '../replay/machine.js';
import { EstimateSums, estimatesBy } from './estimate-sums.js';
import { selectTallies } from './row-filter.js';
import { markDataFlow, markWorkingSet } from './sampled-flow-views.js';
import { spellFunction, spellSite } from './sites.js';
import type { View, ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';

/** Numbers of a row, and under `intervals` the bounds of those that samples say, at the same places. */
export type SampledRow = Record<string, unknown>;

const ONLY_BY_REPLAY = 'only a replay sees it: record the program, dprof record, and report on its trace';

const TALLY_VIEWS: readonly string[] = ['data-profile', 'miss-classification', 'functions'];

type Sampled = ViewDefinition<View<unknown>>['sampled'];

/** Whether samples, with histories if there are any, say anything of the view. */
export function isSampledView({ facts }: SampledPart, sampled: Sampled): boolean {
  return sampled === 'alone' || (sampled === 'with histories' && facts.histories !== null);
}

export function requireSampledView(part: SampledPart, name: string, sampled: Sampled): void {
  if (isSampledView(part, sampled)) return;
  if (sampled === undefined) throw new DprofError(`samples say nothing of ${name}`, ONLY_BY_REPLAY);
  throw new DprofError(
    `samples alone have no paths, so no ${name}`,
    "take histories and give them too: dprof history --type 'struct NAME' -o Y.dphistories -- PROGRAM; dprof report X.dpsamples Y.dphistories",
  );
}

export function markSampled(
  profile: Profile,
  sampled: SampledPart,
  name: string,
  options: ViewOptions,
  view: View<unknown>,
): View<unknown> {
  const whole = estimatesBy(profile, sampled, () => ['']).get('') ?? new EstimateSums(sampled);
  const rows = view.rows as readonly SampledRow[];
  const marked: readonly SampledRow[] = TALLY_VIEWS.includes(name)
    ? markTallies(profile, sampled, name, options, rows, whole)
    : name === 'address-set'
      ? rows.map((row) => markObject(row, sampled))
      : name === 'working-set'
        ? markWorkingSet(profile, sampled, rows)
        : name === 'data-flow'
          ? markDataFlow(profile, sampled, rows)
          : rows;
  const {
    orderBound: _,
    timelinePartInstructions: partNs,
    ...envelope
  } = view as View<unknown> & { readonly timelinePartInstructions?: number };
  return {
    ...envelope,
    ...(partNs !== undefined && { timelinePartInstructions: null, timelinePartNanoseconds: partNs }),
    schedule: 'sampled',
    sampled: sampled.facts,
    orderBound: null,
    outsideLife: null,
    unseenBytes: null,
    lostSegments: null,
    totals: markTotals(view, whole, sampled.facts),
    rows: marked,
  } as unknown as View<unknown>;
}

/** What is written at dotted places of a row. */
class Marks {
  readonly row: SampledRow;
  readonly #intervals: SampledRow = {};

  constructor(
    row: SampledRow,
    private readonly facts: SamplingFacts,
  ) {
    this.row = { ...structuredClone(row), intervals: this.#intervals };
  }

  /** A number that samples say. */
  estimate(place: string, sums: EstimateSums, ...names: readonly string[]): void {
    const value = sums.get(...names);
    write(this.row, place, value);
    // How long an access takes that was not met, nobody knows.
    if (value > 0 || !names.some((name) => name in LATENCIES)) this.interval(place, sums.interval(...names));
  }

  interval(place: string, interval: Interval | null): void {
    if (interval !== null) write(this.#intervals, place, interval);
  }

  /** What no sample can say, of which `fact` says why. */
  nothing(place: string): void {
    write(this.row, place, null);
  }

  isUnknown(fact: string): boolean {
    return Object.hasOwn(this.facts.unknown, fact);
  }
}

function write(into: SampledRow, place: string, value: unknown): void {
  const keys = place.split('.');
  const last = keys.pop()!;
  let at = into;
  for (const key of keys) at = (at[key] ??= {}) as SampledRow;
  at[last] = value;
}

const REFERENCES = ['loads', 'stores', 'kindUnknown'] as const;
const KINDS = [
  ['loads', 'Loads'],
  ['stores', 'Stores'],
] as const;
const missesOf = (level: string): readonly string[] => [`${level}.missLoads`, `${level}.missStores`];

/** Of which a sample says whether they missed the L1. */
const KNOWN = ['served.l1', ...missesOf('l1')];

/** No sample of this row's says it, though some of others do; or none shows a miss, and of some nobody knows. */
function isUnclear(sums: EstimateSums, level: (typeof LEVELS)[number], kind: (typeof KINDS)[number]): boolean {
  const [plural, suffix] = kind;
  const above = LEVELS[LEVELS.indexOf(level) - 1];
  const lookups =
    above === undefined ? sums.get(plural) : sums.get(`${above}.miss${suffix}`, `${above}.unknown${suffix}`);
  const unclear = sums.get(`${level}.unknown${suffix}`);
  return unclear > 0 && (unclear >= lookups || sums.get(`${level}.miss${suffix}`) === 0);
}

/** What rows of all tally views have. */
function markCounts(marks: Marks, sums: EstimateSums, whole: EstimateSums): void {
  for (const [plural] of KINDS) {
    if (marks.isUnknown(`references.${plural}`)) marks.nothing(`references.${plural}`);
    else marks.estimate(`references.${plural}`, sums, plural);
  }
  if (whole.get('kindUnknown') > 0) marks.estimate('references.unknown', sums, 'kindUnknown');
  marks.interval('total.references', sums.interval(...REFERENCES));
  for (const level of LEVELS) marks.interval(`total.${level}Misses`, sums.interval(...missesOf(level)));
  marks.interval('share.ofL1Misses', sums.share(missesOf('l1'), missesOf('l1'), whole));
  marks.interval('share.missRate', sums.share(missesOf('l1'), KNOWN));
  for (const level of LEVELS)
    for (const [plural, suffix] of KINDS)
      if (whole.get(`${level}.unknown${suffix}`) > 0)
        marks.estimate(`unknown.${level}.${plural}`, sums, `${level}.unknown${suffix}`);
  if (marks.isUnknown('latency')) marks.nothing('missLatencyCycles');
  else marks.estimate('missLatencyCycles', sums, 'missLatencyCycles');
}

function markTallies(
  profile: Profile,
  sampled: SampledPart,
  name: string,
  options: ViewOptions,
  rows: readonly SampledRow[],
  whole: EstimateSums,
): SampledRow[] {
  const { strings, types, tallies } = profile;
  const by = name === 'data-profile' ? 'type' : name === 'functions' ? 'function' : (options.by ?? 'type');
  const isAsked =
    name === 'data-profile'
      ? () => true
      : selectTallies(profile, by === 'type' || by === 'field' ? { function: options.function } : options);
  const typeOf = (row: number): string => strings[types.name[tallies.type[row]]];
  const fieldOf = (row: number): string | null =>
    tallies.field[row] === NO_INDEX ? null : strings[tallies.field[row]];
  const keys: Record<typeof by, (row: number) => readonly unknown[]> = {
    type: (row) => [[typeOf(row), null], ...(fieldOf(row) === null ? [] : [[typeOf(row), fieldOf(row)]])],
    field: (row) => [[typeOf(row), fieldOf(row)]],
    function: (row) => [[spellFunction(profile, tallies.site[row])]],
    line: (row) => [[spellSite(profile, tallies.site[row]), spellFunction(profile, tallies.site[row])]],
    core: (row) => [[tallies.core[row]]],
    object: () => [],
  };
  const sums = estimatesBy(profile, sampled, (row) =>
    isAsked(row) ? keys[by](row).map((key) => JSON.stringify(key)) : [],
  );
  const keyOf: Record<typeof by, (row: SampledRow) => readonly unknown[]> = {
    type: ({ type, field = null }) => [type, field],
    field: ({ type, field }) => [type, field],
    function: ({ function: own }) => [own],
    line: ({ line, function: own }) => [line, own],
    core: ({ core }) => [core],
    object: ({ object }) => [object],
  };
  if (by === 'object') return rows.map((row) => markObject(row, sampled));
  const counted = new Set(Array.from(sampled.lives.type, (type) => strings[types.name[type]]));
  return rows.map((row) => {
    const own = sums.get(JSON.stringify(keyOf[by](row))) ?? new EstimateSums(sampled);
    const marks = new Marks(row, sampled.facts);
    markCounts(marks, own, whole);
    if (name === 'data-profile') markProfileRow(marks, profile, sampled, own, counted.has(row.type as string));
    else markClassified(marks, own, whole);
    if (name === 'functions') {
      if (marks.isUnknown('latency')) marks.nothing('latencyCycles');
      else marks.estimate('latencyCycles', own, 'latencyCycles');
      markMean(marks, 'averageLatencyCycles', own, 'latencyCycles');
    }
    return marks.row;
  });
}

function markMean(marks: Marks, place: string, sums: EstimateSums, name: 'latencyCycles' | 'missLatencyCycles'): void {
  const mean = sums.mean(name);
  write(marks.row, place, mean?.mean ?? null);
  marks.interval(place, mean?.interval ?? null);
}

/** `isCounted`: objects of the type were. */
function markProfileRow(
  marks: Marks,
  { machine, strings, types }: Profile,
  { lives }: SampledPart,
  sums: EstimateSums,
  isCounted: boolean,
): void {
  for (const level of LEVELS) {
    for (const kind of KINDS) {
      const [plural, suffix] = kind;
      if (marks.isUnknown(`misses.${level}.${plural}`) || isUnclear(sums, level, kind))
        marks.nothing(`misses.${level}.${plural}`);
      else marks.estimate(`misses.${level}.${plural}`, sums, `${level}.miss${suffix}`);
    }
  }
  // Of a row whose samples say no server at all, none is known not to have served it.
  const isServed =
    serversOf(machine).some((server) => sums.get(`served.${server}`) > 0) || sums.get('served.unknown') === 0;
  for (const server of serversOf(machine)) {
    if (isServed) marks.estimate(`servedBy.${server}`, sums, `served.${server}`);
    else marks.nothing(`servedBy.${server}`);
  }
  marks.estimate('servedBy.unknown', sums, 'served.unknown');
  markMean(marks, 'averageLatencyCycles', sums, 'latencyCycles');
  markMean(marks, 'averageMissLatencyCycles', sums, 'missLatencyCycles');
  for (const name of [
    'transfers',
    'orderBoundTransfers',
    'orderBound',
    'missesBeforeFirstUse',
    'missesAfterLastUse',
    'freesOnOtherCore',
  ])
    marks.nothing(name);
  if (!isCounted)
    for (const name of ['liveObjects', 'workingSetBytes', 'bounce', 'writeShared', 'frees']) marks.nothing(name);
  const row = lives.type.findIndex((type) => strings[types.name[type]] === marks.row.type);
  write(
    marks.row,
    'sampledObjects',
    row === -1
      ? null
      : {
          sampled: lives.sampledObjects[row],
          bounced: lives.bouncedObjects[row],
          writeShared: lives.writeSharedObjects[row],
        },
  );
}

/** Classes that a backward search can tell. */
const FOUND = CLASSES.filter((name) => name !== 'compulsory');

function markClassified(marks: Marks, sums: EstimateSums, whole: EstimateSums): void {
  for (const level of LEVELS) {
    const places = KINDS.map((kind) => ({
      kind,
      isUnknown: marks.isUnknown(`misses.${level}.${kind[0]}`) || isUnclear(sums, level, kind),
    }));
    const known = places.filter(({ isUnknown }) => !isUnknown);
    const unclear = sums.get(`${level}.unknownLoads`, `${level}.unknownStores`);
    // Of misses that no sample shows while some may be: nothing.
    if (known.length === 0 || (unclear > 0 && sums.get(...missesOf(level)) === 0))
      marks.nothing(`levels.${level}.misses`);
    else
      marks.estimate(`levels.${level}.misses`, sums, ...known.map(({ kind: [, suffix] }) => `${level}.miss${suffix}`));
    marks.nothing(`levels.${level}.classes.compulsory`);
    marks.nothing(`levels.${level}.compulsoryShared`);
    if (marks.isUnknown('classes')) {
      for (const name of FOUND) marks.nothing(`levels.${level}.classes.${name}`);
      for (const name of DPROF_RULES) marks.nothing(`levels.${level}.dprofRule.${name}`);
    } else {
      for (const name of FOUND) marks.estimate(`levels.${level}.classes.${name}`, sums, `${level}.${name}`);
      for (const name of DPROF_RULES)
        marks.estimate(`levels.${level}.dprofRule.${name}`, sums, `${level}.dprof.${name}`);
    }
    if (whole.get(`${level}.unclassified`) > 0)
      marks.estimate(`levels.${level}.unclassified`, sums, `${level}.unclassified`);
  }
}

function markObject(row: SampledRow, { facts }: SampledPart): SampledRow {
  const marks = new Marks(row, facts);
  const period = Math.max(facts.loadPeriod, facts.storePeriod);
  const mean =
    facts.samples === 0
      ? 0
      : facts.events.reduce((sum, event) => sum + event.samples * event.period, 0) / facts.samples;
  const references = row.references as number;
  marks.interval('references', countInterval(references, references * mean, period));
  for (const name of [
    'misses',
    'levels',
    'missLatencyCycles',
    'missesBeforeFirstUse',
    'missesAfterLastUse',
    'freedOnOtherCore',
    'bounce',
    'writeShared',
    'path',
  ])
    if (name in row) marks.nothing(name);
  if ('allocatedAt' in row) {
    write(marks.row, 'allocatedAtNanoseconds', row.allocatedAt);
    write(marks.row, 'freedAtNanoseconds', row.freedAt);
    marks.nothing('allocatedAt');
    marks.nothing('freedAt');
  }
  return marks.row;
}

function markTotals({ totals }: View<unknown>, whole: EstimateSums, facts: SamplingFacts): unknown {
  const marks = new Marks(totals as unknown as SampledRow, facts);
  marks.estimate('references', whole, ...REFERENCES);
  for (const [plural] of KINDS) {
    if (marks.isUnknown(`references.${plural}`)) marks.nothing(plural);
    else marks.estimate(plural, whole, plural);
  }
  if (whole.get('kindUnknown') > 0) marks.estimate('unknown', whole, 'kindUnknown');
  write(marks.row, 'nanoseconds', totals.instructions);
  for (const name of ['accesses', 'invalidations', 'upgrades', 'writeBacks', 'instructions', 'evictions'])
    marks.nothing(name);
  for (const name of ['latencyCycles', 'missLatencyCycles'] as const) {
    if (marks.isUnknown('latency')) marks.nothing(name);
    else marks.estimate(name, whole, name);
  }
  markClassified(marks, whole, whole);
  markMean(marks, 'averageLatencyCycles', whole, 'latencyCycles');
  marks.interval('share.missRate', whole.share(missesOf('l1'), KNOWN));
  for (const level of LEVELS)
    write(
      marks.row,
      `levels.${level}.hits`,
      (marks.row.levels as Record<string, { misses: number | null }>)[level].misses === null
        ? null
        : totals.levels[level].hits,
    );
  return marks.row;
}
