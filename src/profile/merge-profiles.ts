// Stage: profiles -> profile. Several runs on one machine as one profile: rows of equal names added, objects side by
// side. The result depends on which runs they are, not on the order or the steps in which they were merged.

import { NO_INDEX } from '../base/ids.js';
import type { Machine } from '../replay/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import { COUNTERS, type Totals } from '../replay/result.js';
import type { Flow } from './flow.js';
import { freezeTakers, freezeUnusedBytes, type TakerRow, type UnusedBytesRow } from './label-columns.js';
import { addMarks } from './marks.js';
import { mergeFlows } from './merge-flow.js';
import { mergeLayouts } from './layouts.js';
import { closedStampsOf, describeRuns, runsOf } from './merged-runs.js';
import { requireAlike } from './mergeable.js';
import { RowTypeBuilder, SiteBuilder, StringBuilder } from './name-tables.js';
import { freezeNames, freezeTallies, type Renumber, type TallyRow } from './profile-builder.js';
import {
  closeObjects,
  listObjects,
  loadObjects,
  lowerBound,
  mapColumns,
  objectsOf,
  rechunk,
  sliceColumns,
  type ObjectPart,
  type ObjectSource,
  type ProfileObjects,
} from './object-source.js';
import type { MergedRun, Profile, SharingSideColumns, TakerColumns } from './profile.js';
import { mergeThreadTables } from './merge-threads.js';
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
  const cpus = mergeCpus(profiles);
  const layouts = mergeLayouts(profiles.map((profile) => profile.layouts));
  const schedules = profiles[0].schedules && mergeScheduleTables(profiles.map(({ schedules: table }) => table!));
  return {
    run: describeRuns(runs),
    runs,
    machine: { ...machine, name: profiles.map(({ machine: { name } }): Machine['name'] => name).sort()[0] },
    schedule,
    ...(cpus && { cpus }),
    ...(schedules && { schedules }),
    totals: { ...addTotals(profiles.map(({ totals }) => totals)), closedStamps: closedStampsOf(runs) },
    phases: [],
    marks: addMarks(profiles.flatMap(({ marks }) => marks)),
    ...tables,
    tallies: freezeTallies(addTallies(profiles, numbers), renumber),
    sharing: freezePairs(addPairs(profiles, numbers), renumber),
    ...joinObjects(slices, numbers, renumber),
    evictions: freezeTakers(
      addTakers(
        profiles.map(({ evictions }) => evictions),
        numbers,
      ),
      renumber,
    ),
    invalidations: freezeTakers(
      addTakers(
        profiles.map(({ invalidations }) => invalidations),
        numbers,
      ),
      renumber,
    ),
    unusedBytes: freezeUnusedBytes(addUnusedBytes(profiles, numbers), renumber),
    ...(profiles[0].flow && {
      flow: mergeFlows(
        profiles.map(({ flow }) => flow as Flow),
        numbers,
        renumber,
      ),
    }),
    ...(layouts && { layouts }),
    ...mergeThreadTables(profiles, numbers, renumber),
  };
}

/** Numbers in a profile's tables to numbers of the builders. */
function internNames(
  { strings: texts, types: rows, sites: places }: Profile,
  strings: StringBuilder,
  types: RowTypeBuilder,
  sites: SiteBuilder,
): Renumber {
  const string = texts.map((text) => strings.intern(text));
  const type = Array.from(rows.name, (name, row) => types.intern(texts[name], rows.family[row]));
  const site = Array.from(places.line, (line, row) =>
    sites.intern(texts[places.function[row]], texts[places.file[row]], line, places.column[row]),
  );
  return {
    type: (number) => type[number],
    site: (number) => site[number],
    string: (number) => (number === NO_INDEX ? NO_INDEX : string[number]),
  };
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

/** Runs on different CPUs may have had different ones as one core. */
function mergeCpus(profiles: readonly Profile[]): readonly CpuCore[] | undefined {
  if (profiles[0].cpus === undefined) return undefined;
  const all = new Map(profiles.flatMap(({ cpus = [] }) => cpus.map((one) => [`${one.cpu} ${one.core}`, one] as const)));
  return [...all.values()].sort((a, b) => a.cpu - b.cpu || a.core - b.core);
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
      const names = {
        type: numbers[index].type(tallies.type[row]),
        field: numbers[index].string(tallies.field[row]),
        rule: tallies.rule[row],
        site: numbers[index].site(tallies.site[row]),
        core: tallies.core[row],
      };
      const { counters } = rows.of(Object.values(names).join(' '), () => ({
        ...names,
        counters: new Float64Array(COUNTERS.length),
      }));
      for (let counter = 0; counter < COUNTERS.length; counter++)
        counters[counter] += tallies.counters[row * COUNTERS.length + counter];
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
      const names = {
        level: table.level[row],
        taker: numbers[index].type(table.taker[row]),
        owner: numbers[index].type(table.owner[row]),
        bin: table.bin[row],
      };
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
function joinObjects(slices: readonly RunSlice[], numbers: readonly Renumber[], renumber: Renumber): ObjectPart {
  const source: ObjectSource = {
    count: slices.reduce((sum, { run }) => sum + run.objects, 0),
    hasCores: slices.some(({ profile }) => profile.cpus !== undefined),
    chunks: () => rechunk(renumberedObjects(slices, numbers, renumber)),
    close: () => slices.forEach(({ profile }) => closeObjects(profile)),
  };
  return slices.some(({ profile }) => profile.objectSource !== undefined) ? objectsOf(source) : loadObjects(source);
}

const NAMED: Partial<Record<string, keyof Renumber>> = {
  type: 'type',
  site: 'site',
  freeSite: 'site',
  variable: 'string',
  callPath: 'string',
};

function* renumberedObjects(
  slices: readonly RunSlice[],
  numbers: readonly Renumber[],
  renumber: Renumber,
): Generator<ProfileObjects> {
  let base = 0;
  for (const { run, profile, index, from } of slices) {
    for (const { first, objects, counters } of listObjects(profile)) {
      const [begin, end] = [Math.max(from, first), Math.min(from + run.objects, first + objects.address.length)];
      if (begin >= end) continue;
      const own = sliceColumns(counters, lowerBound(counters.object, begin), lowerBound(counters.object, end));
      yield {
        first: begin - from + base,
        objects: mapColumns(sliceColumns(objects, begin - first, end - first), (column, name) => {
          const kind = NAMED[name];
          return kind === undefined ? column : column.map((number) => renumber[kind](numbers[index][kind](number)));
        }),
        counters: { ...own, object: own.object.map((object) => object - from + base) },
      };
    }
    base += run.objects;
  }
}
