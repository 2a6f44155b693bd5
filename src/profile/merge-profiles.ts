// Stage: profiles -> profile. Several runs on one machine as one profile: rows of equal names added, objects side by
// side. The result depends on which runs they are, not on the order or the steps in which they were merged.

import { lowerBound } from '../base/lower-bound.js';
import { addParallelism } from './parallelism.js';
import { NO_INDEX } from '../base/ids.js';
import type { Columns, ColumnsOf } from '../base/table-description.js';
import type { Machine } from '../contract/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import type { Totals } from '../contract/result.js';
import type { Flow } from './flow.js';
import { FlowRows } from './flow-rows.js';
import { mergeLayouts, type NewNames } from './layouts.js';
import { LockRows } from './lock-columns.js';
import { addMarks } from './marks.js';
import { closedStampsOf, describeRuns, runsOf } from './merged-runs.js';
import { mergeNames } from './merged-names.js';
import { type NamedProfile, requireAlike } from './mergeable.js';
import { RowTypeBuilder, SiteBuilder, StringBuilder } from './name-tables.js';
import { freezeNames } from './profile-builder.js';
import {
  closeObjects,
  listObjects,
  loadObjects,
  objectsOf,
  rechunk,
  sliceColumns,
  type ObjectPart,
  type ObjectSource,
  type ProfileObjects,
} from './object-source.js';
import type { MergedRun, Profile, SharedAddressFacts } from './profile.js';
import { mergeScheduleTables } from './schedule-table.js';
import { Rows } from './rows.js';
import { renumberColumns, type Renumber } from './table-rows.js';
import {
  cellsOf,
  MEMORY_TABLES,
  SHARED_VARIABLE_TABLES,
  TABLES,
  type LockColumns,
  type TableDescription,
} from './tables.js';

/** At least two. */
export function mergeProfiles(named: readonly NamedProfile[]): Profile {
  requireAlike(named);
  const profiles = named.map(({ profile }) => profile);
  const strings = new StringBuilder();
  const types = new RowTypeBuilder(strings);
  const sites = new SiteBuilder(strings);
  const { files, names } = mergeNames(profiles);
  const numbers = profiles.map((profile, index) => internNames(profile, names[index], strings, types, sites));
  const { renumber, ...tables } = freezeNames(strings, types, sites);

  const addUp = <C extends Columns>(
    table: TableDescription<C>,
    of: (profile: Profile) => ColumnsOf<C>,
  ): ColumnsOf<C> => {
    const rows = new Rows(table, 'runs');
    profiles.forEach((profile, index) => rows.addTable(of(profile), numbers[index]));
    return rows.freeze(renumber);
  };
  const slices = sliceRuns(profiles);
  const runs = slices.map(({ run }) => run);
  const [{ machine, schedule }] = profiles;
  const cpus = mergeCpus(profiles);
  const layouts = mergeLayouts(
    profiles.map((profile) => profile.layouts),
    names,
  );
  const schedules = profiles[0].schedules && mergeScheduleTables(profiles.map(({ schedules: table }) => table!));
  const parallelism = addParallelism(profiles.map(({ parallelism: own }) => own));
  return {
    run: describeRuns(runs),
    runs,
    machine: { ...machine, name: profiles.map(({ machine: { name } }): Machine['name'] => name).sort()[0] },
    schedule,
    ...(cpus && { cpus }),
    ...(schedules && { schedules }),
    totals: { ...addTotals(profiles.map(({ totals }) => totals)), closedStamps: closedStampsOf(runs) },
    ...(parallelism && { parallelism }),
    phases: [],
    marks: addMarks(profiles.flatMap(({ marks }) => marks)),
    ...tables,
    tallies: addUp(TABLES.tallies, ({ tallies }) => tallies),
    sharing: addUp(TABLES.sharing, ({ sharing }) => sharing),
    ...joinObjects(slices, numbers, renumber),
    evictions: addUp(TABLES.evictions, ({ evictions }) => evictions),
    invalidations: addUp(TABLES.invalidations, ({ invalidations }) => invalidations),
    unusedBytes: addUp(TABLES.unusedBytes, ({ unusedBytes }) => unusedBytes),
    ...(profiles[0].flow && { flow: mergeFlows(profiles, numbers, renumber) }),
    ...(layouts && { layouts }),
    ...(files && { files }),
    ...(profiles[0].locks && mergeLocks(profiles, numbers, renumber)),
    ...(profiles.every(({ memoryStructs }) => memoryStructs !== undefined) && {
      memoryStructs: addUp(MEMORY_TABLES.memoryStructs, (profile) => profile.memoryStructs!),
    }),
    ...(profiles[0].sharedVariables && {
      sharedVariables: addUp(SHARED_VARIABLE_TABLES.sharedVariables, (profile) => profile.sharedVariables!),
      sharedAddresses: addAddresses(profiles.map(({ sharedAddresses }) => sharedAddresses!)),
    }),
  };
}

/** At least one. */
function mergeFlows(profiles: readonly Profile[], numbers: readonly Renumber[], renumber: Renumber): Flow {
  const rows = new FlowRows('runs');
  const flows = profiles.map(({ flow }) => flow!);
  flows.forEach((flow, index) => rows.addFlow(flow, numbers[index]));
  const facts = {
    by: flows[0].by,
    mostPaths: Math.max(...flows.map(({ mostPaths }) => mostPaths)),
    mostSteps: Math.max(...flows.map(({ mostSteps }) => mostSteps)),
  };
  return rows.freeze(facts, renumber);
}

/** Thread N is that number in each run. */
function mergeLocks(profiles: readonly Profile[], numbers: readonly Renumber[], renumber: Renumber): LockColumns {
  const rows = new LockRows();
  profiles.forEach((profile, index) => rows.addTables(profile as LockColumns, numbers[index]));
  return rows.freeze(renumber);
}

function addAddresses(all: readonly SharedAddressFacts[]): SharedAddressFacts {
  const sum = (of: 'shared' | 'kept' | 'uncounted'): number => all.reduce((total, one) => total + one[of], 0);
  return {
    shared: sum('shared'),
    kept: sum('kept'),
    uncounted: sum('uncounted'),
    isFull: all.some(({ isFull }) => isFull),
    mostCounts: Math.max(...all.map(({ mostCounts }) => mostCounts)),
  };
}

/** Numbers in a profile's tables to numbers of the builders. */
function internNames(
  { strings: texts, types: rows, sites: places }: Profile,
  names: NewNames,
  strings: StringBuilder,
  types: RowTypeBuilder,
  sites: SiteBuilder,
): Renumber {
  const string = texts.map((text) => strings.intern(text));
  const type = Array.from(rows.name, (name, row) => types.intern(names.type(texts[name]), rows.family[row]));
  const site: number[] = [];
  const internSite = (row: number): number =>
    row === 0
      ? 0
      : (site[row] ??= sites.intern(
          texts[places.function[row]],
          names.file(texts[places.file[row]]),
          places.line[row],
          places.column[row],
          {
            flags: places.flags[row],
            receiver: places.receiver[row] === NO_INDEX ? NO_INDEX : string[places.receiver[row]],
            caller: internSite(places.caller[row]),
          },
        ));
  places.line.forEach((_, row) => internSite(row)); // now: names are frozen before rows are added
  return {
    type: (number) => type[number],
    site: internSite,
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
  const sums: Partial<Record<keyof Totals, number | readonly number[]>> = {};
  for (const totals of all) {
    for (const [name, value] of Object.entries(totals) as [keyof Totals, number | readonly number[]][]) {
      const known = sums[name];
      if (typeof value === 'number') sums[name] = ((known as number | undefined) ?? 0) + value;
      else sums[name] = value.map((count, at) => count + ((known as number[] | undefined)?.[at] ?? 0));
    }
  }
  return sums as Totals;
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

function* renumberedObjects(
  slices: readonly RunSlice[],
  numbers: readonly Renumber[],
  renumber: Renumber,
): Generator<ProfileObjects> {
  const both = numbers.map(({ type, site, string }) => ({
    type: (number: number): number => renumber.type(type(number)),
    site: (number: number): number => renumber.site(site(number)),
    string: (number: number): number => renumber.string(string(number)),
  }));
  let base = 0;
  for (const { run, profile, index, from } of slices) {
    for (const { first, objects, counters } of listObjects(profile)) {
      const [begin, end] = [Math.max(from, first), Math.min(from + run.objects, first + objects.address.length)];
      if (begin >= end) continue;
      const own = sliceColumns(counters, lowerBound(counters.object, begin), lowerBound(counters.object, end));
      yield {
        first: begin - from + base,
        objects: renumberColumns(
          cellsOf(TABLES.objects, objects.core !== undefined),
          sliceColumns(objects, begin - first, end - first),
          both[index],
        ),
        counters: { ...own, object: own.object.map((object) => object - from + base) },
      };
    }
    base += run.objects;
  }
}
