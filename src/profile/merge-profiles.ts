// Stage: profiles -> profile. Several runs on one machine as one profile: rows of equal names added, objects side by side. The result depends on
// which runs they are, not on the order or the steps in which they were merged.

import { NO_INDEX } from '../base/ids.js';
import type { Machine } from '../replay/machine.js';
import { COUNTERS, type Totals } from '../replay/result.js';
import { freezeTakers, freezeUnusedBytes, type TakerRow, type UnusedBytesRow } from './label-columns.js';
import { closedStampsOf, describeRuns, runsOf } from './merged-runs.js';
import { requireAlike } from './mergeable.js';
import { RowTypeBuilder, SiteBuilder, StringBuilder } from './name-tables.js';
import { freezeNames, freezeTallies, type Renumber, type TallyRow } from './profile-builder.js';
import { COLUMNS } from './profile-format.js';
import type { MergedRun, ObjectColumns, ObjectCounterColumns, Profile, SharingSideColumns, TakerColumns } from './profile.js';
import { mergeScheduleTables } from './schedule-table.js';
import { freezePairs, type Pair, type Side } from './sharing-columns.js';

export interface NamedProfile {
  /** What errors call it: the file. */
  readonly name: string;
  readonly profile: Profile;
}

/** At least two. */
export function mergeProfiles(named: readonly NamedProfile[]): Profile {
  requireAlike(named);
  const profiles = named.map(({ profile }) => profile);
  const strings = new StringBuilder();
  const types = new RowTypeBuilder(strings);
  const sites = new SiteBuilder(strings);
  const numbers = profiles.map((profile) => internNames(profile, strings, types, sites));
  const { renumber, ...tables } = freezeNames(strings, types, sites);

  const slices = sliceRuns(profiles);
  const runs = slices.map(({ run }) => run);
  const [{ machine, schedule }] = profiles;
  const schedules = profiles[0].schedules && mergeScheduleTables(profiles.map(({ schedules: table }) => table!));
  return {
    run: describeRuns(runs),
    runs,
    machine: { ...machine, name: profiles.map(({ machine: { name } }): Machine['name'] => name).sort()[0] },
    schedule,
    ...(schedules && { schedules }),
    totals: { ...addTotals(profiles.map(({ totals }) => totals)), closedStamps: closedStampsOf(runs) },
    phases: [],
    ...tables,
    tallies: freezeTallies(addTallies(profiles, numbers), renumber),
    sharing: freezePairs(addPairs(profiles, numbers), renumber),
    ...joinObjects(slices, numbers, renumber),
    evictions: freezeTakers(addTakers(profiles.map(({ evictions }) => evictions), numbers), renumber),
    invalidations: freezeTakers(addTakers(profiles.map(({ invalidations }) => invalidations), numbers), renumber),
    unusedBytes: freezeUnusedBytes(addUnusedBytes(profiles, numbers), renumber),
  };
}

/** Numbers in a profile's tables to numbers of the builders. */
function internNames({ strings: texts, types: rows, sites: places }: Profile, strings: StringBuilder, types: RowTypeBuilder, sites: SiteBuilder): Renumber {
  const string = texts.map((text) => strings.intern(text));
  const type = Array.from(rows.name, (name, row) => types.intern(texts[name], rows.family[row]));
  const site = Array.from(places.line, (line, row) => sites.intern(texts[places.function[row]], texts[places.file[row]], line, places.column[row]));
  return { type: (number) => type[number], site: (number) => site[number], string: (number) => (number === NO_INDEX ? NO_INDEX : string[number]) };
}

/** One run's part of a profile. */
interface RunSlice {
  readonly run: MergedRun;
  readonly profile: Profile;
  /** Place among the profiles. */
  readonly index: number;
  readonly from: number;
}

/** In the order of their digests; runs of equal digests are equal. */
function sliceRuns(profiles: readonly Profile[]): RunSlice[] {
  const slices = profiles.flatMap((profile, index) => {
    let next = 0;
    return runsOf(profile).map((run): RunSlice => {
      const from = next;
      next += run.objects;
      return { run, profile, index, from };
    });
  });
  return slices.sort((a, b) => (a.run.digest < b.run.digest ? -1 : a.run.digest > b.run.digest ? 1 : 0));
}

function addTotals(all: readonly Totals[]): Totals {
  const sums: Record<string, number | number[]> = {};
  for (const totals of all) {
    for (const [name, value] of Object.entries(totals) as [string, number | readonly number[]][]) {
      const known = sums[name];
      if (typeof value === 'number') sums[name] = ((known as number | undefined) ?? 0) + value;
      else sums[name] = value.map((count, at) => count + ((known as number[] | undefined)?.[at] ?? 0));
    }
  }
  return sums as unknown as Totals;
}

/** The row of a key, made when it is first asked for. */
class KeyedRows<Row> {
  readonly #rows = new Map<string, Row>();

  of(key: string, make: () => Row): Row {
    let row = this.#rows.get(key);
    if (row === undefined) this.#rows.set(key, (row = make()));
    return row;
  }

  get all(): Row[] {
    return [...this.#rows.values()];
  }
}

function addTallies(profiles: readonly Profile[], numbers: readonly Renumber[]): TallyRow[] {
  const rows = new KeyedRows<TallyRow>();
  profiles.forEach(({ tallies }, index) => {
    for (let row = 0; row < tallies.type.length; row++) {
      const names = { type: numbers[index].type(tallies.type[row]), field: numbers[index].string(tallies.field[row]), rule: tallies.rule[row], site: numbers[index].site(tallies.site[row]), core: tallies.core[row] };
      const { counters } = rows.of(Object.values(names).join(' '), () => ({ ...names, counters: new Float64Array(COUNTERS.length) }));
      for (let counter = 0; counter < COUNTERS.length; counter++) counters[counter] += tallies.counters[row * COUNTERS.length + counter];
    }
  });
  return rows.all;
}

function addPairs(profiles: readonly Profile[], numbers: readonly Renumber[]): Pair[] {
  const rows = new KeyedRows<Pair>();
  profiles.forEach(({ sharing }, index) => {
    for (let row = 0; row < sharing.class.length; row++) {
      const [missed, writer] = [sharing.missed, sharing.writer].map((side) => sideOf(side, row, numbers[index]));
      const kind = { class: sharing.class[row], relation: sharing.relation[row] };
      const key = [...Object.values(kind), ...Object.values(missed), ...Object.values(writer)].join(' ');
      rows.of(key, () => ({ ...kind, missed, writer, misses: 0 })).misses += sharing.misses[row];
    }
  });
  return rows.all;
}

function sideOf(side: SharingSideColumns, row: number, { type, string, site }: Renumber): Side {
  return {
    type: type(side.type[row]),
    field: string(side.field[row]),
    site: site(side.site[row]),
    allocationSite: site(side.allocationSite[row]),
    allocationThread: side.allocationThread[row],
    variable: string(side.variable[row]),
  };
}

function addTakers(tables: readonly TakerColumns[], numbers: readonly Renumber[]): TakerRow[] {
  const rows = new KeyedRows<TakerRow>();
  tables.forEach((table, index) => {
    for (let row = 0; row < table.level.length; row++) {
      const names = { level: table.level[row], taker: numbers[index].type(table.taker[row]), owner: numbers[index].type(table.owner[row]), bin: table.bin[row] };
      rows.of(Object.values(names).join(' '), () => ({ ...names, lines: 0 })).lines += table.lines[row];
    }
  });
  return rows.all;
}

function addUnusedBytes(profiles: readonly Profile[], numbers: readonly Renumber[]): UnusedBytesRow[] {
  const rows = new KeyedRows<UnusedBytesRow>();
  profiles.forEach(({ unusedBytes: table }, index) => {
    for (let row = 0; row < table.type.length; row++) {
      const names = { type: numbers[index].type(table.type[row]), field: numbers[index].string(table.field[row]) };
      const sum = rows.of(`${names.type} ${names.field}`, () => ({ ...names, fetchedBytes: 0, unusedBytes: 0 }));
      sum.fetchedBytes += table.fetchedBytes[row];
      sum.unusedBytes += table.unusedBytes[row];
    }
  });
  return rows.all;
}

/** Each run's as they were, one run after the other. */
function joinObjects(slices: readonly RunSlice[], numbers: readonly Renumber[], renumber: Renumber): { objects: ObjectColumns; objectCounters: ObjectCounterColumns } {
  const named: Partial<Record<keyof ObjectColumns, keyof Renumber>> = { type: 'type', site: 'site', freeSite: 'site', variable: 'string', callPath: 'string' };
  const join = (field: keyof ObjectColumns, Column: Float64ArrayConstructor | Uint32ArrayConstructor | Uint8ArrayConstructor): Float64Array | Uint32Array | Uint8Array => {
    const column = new Column(slices.reduce((sum, { run }) => sum + run.objects, 0));
    const kind = named[field];
    let at = 0;
    for (const { run, profile, index, from } of slices) {
      const part = profile.objects[field].subarray(from, from + run.objects);
      column.set(kind === undefined ? part : part.map((number) => renumber[kind](numbers[index][kind](number))), at);
      at += run.objects;
    }
    return column;
  };
  const arrays = { f64: Float64Array, u32: Uint32Array, u8: Uint8Array };
  const objects = Object.fromEntries(Object.entries(COLUMNS.objects).map(([field, element]) => [field, join(field as keyof ObjectColumns, arrays[element])])) as unknown as ObjectColumns;
  return { objects, objectCounters: joinObjectCounters(slices) };
}

function joinObjectCounters(slices: readonly RunSlice[]): ObjectCounterColumns {
  let first = 0;
  const parts = slices.map(({ run, profile: { objectCounters: table }, from }) => {
    // By object: a run's lie together.
    const [begin, end] = [lowerBound(table.object, from), lowerBound(table.object, from + run.objects)];
    const base = first;
    first += run.objects;
    return { object: table.object.subarray(begin, end).map((object) => object - from + base), counter: table.counter.subarray(begin, end), value: table.value.subarray(begin, end) };
  });
  const count = parts.reduce((sum, { object }) => sum + object.length, 0);
  const joined = { object: new Uint32Array(count), counter: new Uint8Array(count), value: new Float64Array(count) };
  let at = 0;
  for (const part of parts) {
    joined.object.set(part.object, at);
    joined.counter.set(part.counter, at);
    joined.value.set(part.value, at);
    at += part.object.length;
  }
  return joined;
}

/** First row of a sorted column that is not below `limit`. */
function lowerBound(column: Uint32Array, limit: number): number {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
