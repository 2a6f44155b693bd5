// Stage: replay -> profile. An engine's columns of numbers and the trace's catalog become the profile: names resolved,
// rows of equal names merged, everything sorted by content. Two engines with equal numbers give equal profiles.

import { NO_INDEX } from '../base/ids.js';
import type { Machine, Schedule } from '../replay/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import { COUNTERS, type ReplayResult, type TallyTable } from '../replay/result.js';
import { spellSchedule } from '../replay/schedule.js';
import type { Catalog } from '../trace/catalog.js';
import { RowTypeBuilder, SiteBuilder, StringBuilder } from './name-tables.js';
import { buildFlow } from './flow-columns.js';
import type { FlowFacts } from './flow.js';
import { buildLayouts } from './layouts.js';
import { addMarks } from './marks.js';
import { buildTakers, buildUnusedBytes } from './label-columns.js';
import { buildLocks } from './lock-columns.js';
import { buildObjects } from './object-columns.js';
import type { Profile, RunFacts, TallyColumns, WindowFacts } from './profile.js';
import { RowNames } from './row-names.js';
import { buildSharing } from './sharing-columns.js';
import { buildSharedVariables } from './thread-columns.js';

/** Numbers given out while building, to numbers in the frozen tables. NO_INDEX stays. */
export interface Renumber {
  readonly type: (number: number) => number;
  readonly site: (number: number) => number;
  readonly string: (number: number) => number;
}

export interface ReplayFacts {
  readonly run: RunFacts;
  readonly machine: Machine;
  readonly schedule: Schedule;
  /** As in Profile. */
  readonly cpus?: readonly CpuCore[];
  readonly window?: WindowFacts;
  /** Of a replay that collected its flow. */
  readonly flow?: FlowFacts;
  /** Of shared variables, if they were asked for: for how many counts there was room. */
  readonly mostSharedCounts?: number;
}

export function buildProfile(result: ReplayResult, catalog: Catalog, facts: ReplayFacts): Profile {
  const strings = new StringBuilder();
  const types = new RowTypeBuilder(strings);
  const sites = new SiteBuilder(strings);
  const names = new RowNames(catalog, strings, types, sites);

  const tallies = mergeTallies(result.tallies, names);
  const sharing = buildSharing(result, names);
  const objects = buildObjects(result, names, facts.cpus !== undefined);
  const evictions = buildTakers(result.evictions, result.labels, names);
  const invalidations = buildTakers(result.invalidations, result.labels, names);
  const unusedBytes = buildUnusedBytes(result, names);
  const flow = result.flow && facts.flow && buildFlow(result.flow, result.labels, names, facts.flow);
  const locks = buildLocks(result, names);
  const sharedVariables = buildSharedVariables(result, names);

  const { renumber, ...tables } = freezeNames(strings, types, sites);
  return {
    run: facts.run,
    machine: facts.machine,
    schedule: spellSchedule(facts.schedule),
    ...(facts.cpus && { cpus: facts.cpus }),
    totals: result.totals,
    ...(facts.window && { window: facts.window }),
    phases: Array.from(result.phases.time, (time, row) => ({ name: result.phases.name[row], time })),
    marks: addMarks(Array.from(result.marks.times, (times, row) => ({ name: result.marks.name[row], times }))),
    ...tables,
    tallies: tallies(renumber),
    sharing: sharing(renumber),
    ...objects(renumber),
    evictions: evictions(renumber),
    invalidations: invalidations(renumber),
    unusedBytes: unusedBytes(renumber),
    ...(flow && { flow: flow(renumber) }),
    layouts: buildLayouts(catalog, (name) => types.has(name)),
    ...locks(renumber),
    ...(sharedVariables && {
      sharedVariables: sharedVariables(renumber),
      sharedAddresses: { ...result.sharedAddresses!, mostCounts: facts.mostSharedCounts ?? 0 },
    }),
  };
}

export function freezeNames(
  strings: StringBuilder,
  types: RowTypeBuilder,
  sites: SiteBuilder,
): Pick<Profile, 'strings' | 'types' | 'sites'> & { readonly renumber: Renumber } {
  const frozenStrings = strings.freeze();
  const frozenTypes = types.freeze(frozenStrings);
  const frozenSites = sites.freeze(frozenStrings);
  const renumber: Renumber = {
    type: (number) => frozenTypes.renumber[number],
    site: (number) => frozenSites.renumber[number],
    string: (number) => (number === NO_INDEX ? NO_INDEX : frozenStrings.renumber[number]),
  };
  return { strings: frozenStrings.table, types: frozenTypes.table, sites: frozenSites.table, renumber };
}

export interface TallyRow {
  readonly type: number;
  readonly field: number;
  readonly rule: number;
  readonly site: number;
  readonly core: number;
  readonly counters: Float64Array;
}

/**
 * Slots of one source position (a loop that the compiler unrolled) become one row. Rows that counted nothing are none:
 * what lies before a window may leave some.
 */
function mergeTallies(table: TallyTable, names: RowNames): (renumber: Renumber) => TallyColumns {
  const rows = new Map<string, TallyRow>();
  for (let index = 0; index < table.count; index++) {
    const counters = table.counters.subarray(index * COUNTERS.length, (index + 1) * COUNTERS.length);
    if (counters.every((count) => count === 0)) continue;
    const rule = table.rule[index];
    const { type, field } = names.tally(
      table.slot[index],
      rule,
      table.type[index],
      table.siteBytes[index],
      table.leaf[index],
    );
    const site = names.slotSite(table.slot[index]);
    const core = table.core[index];
    const key = `${type} ${field} ${rule} ${site} ${core}`;
    const row = rows.get(key);
    if (row === undefined) rows.set(key, { type, field, rule, site, core, counters: counters.slice() });
    else for (let counter = 0; counter < counters.length; counter++) row.counters[counter] += counters[counter];
  }
  return (renumber) => freezeTallies([...rows.values()], renumber);
}

/** Rows differ in more than their counters. */
export function freezeTallies(rows: readonly TallyRow[], renumber: Renumber): TallyColumns {
  return tallyColumns(sortTallies(rows, renumber));
}

export function sortTallies<Row extends TallyRow>(rows: readonly Row[], renumber: Renumber): Row[] {
  return rows
    .map((row) => ({
      ...row,
      type: renumber.type(row.type),
      field: renumber.string(row.field),
      site: renumber.site(row.site),
    }))
    .sort((a, b) => a.type - b.type || a.field - b.field || a.rule - b.rule || a.site - b.site || a.core - b.core);
}

export function tallyColumns(sorted: readonly TallyRow[]): TallyColumns {
  const counters = new Float64Array(sorted.length * COUNTERS.length);
  sorted.forEach((row, index) => counters.set(row.counters, index * COUNTERS.length));
  return {
    type: Uint32Array.from(sorted, (row) => row.type),
    field: Uint32Array.from(sorted, (row) => row.field),
    rule: Uint8Array.from(sorted, (row) => row.rule),
    site: Uint32Array.from(sorted, (row) => row.site),
    core: Uint16Array.from(sorted, (row) => row.core),
    counters,
  };
}
