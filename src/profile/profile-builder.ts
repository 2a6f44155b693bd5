// Stage: replay -> profile. An engine's columns of numbers and the trace's catalog become the profile: names resolved,
// rows of equal names merged, everything sorted by content. Two engines with equal numbers give equal profiles.

import { NO_INDEX } from '../base/ids.js';
import type { Machine, Schedule } from '../contract/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import { COUNTERS, type ReplayResult, type TallyTable } from '../contract/result.js';
import { spellSchedule } from '../replay/schedule.js';
import type { Catalog } from '../contract/catalog.js';
import { RowTypeBuilder, SiteBuilder, StringBuilder } from './name-tables.js';
import { buildFlow } from './flow-columns.js';
import type { FlowFacts } from './flow.js';
import { buildLayouts } from './layouts.js';
import { sortFiles } from './merged-names.js';
import { addMarks } from './marks.js';
import { buildTakers, buildUnusedBytes } from './label-columns.js';
import { buildLocks } from './lock-columns.js';
import { buildObjects } from './object-columns.js';
import type { Profile, RunFacts, WindowFacts } from './profile.js';
import { RowNames } from './row-names.js';
import { buildSharing } from './sharing-columns.js';
import { Rows } from './rows.js';
import type { Renumber } from './table-rows.js';
import { buildMemoryStructs } from './memory-columns.js';
import { TABLES } from './tables.js';
import { buildSharedVariables } from './thread-columns.js';

export type { Renumber } from './table-rows.js';

export interface ReplayFacts {
  readonly run: RunFacts;
  readonly machine: Machine;
  readonly schedule: Schedule;
  /** As in Profile. */
  readonly cpus?: readonly CpuCore[];
  readonly window?: WindowFacts;
  /** Only for a replay that collected its flow. */
  readonly flow?: FlowFacts;
  /** The limit of counts, if shared variables were asked for. */
  readonly mostSharedCounts?: number;
}

export function buildProfile(result: ReplayResult, catalog: Catalog, facts: ReplayFacts): Profile {
  const strings = new StringBuilder();
  const types = new RowTypeBuilder(strings);
  const sites = new SiteBuilder(strings);
  const names = new RowNames(catalog, strings, types, sites, result.callPaths);

  const tallies = buildTallies(result.tallies, names);
  const sharing = buildSharing(result, names);
  const objects = buildObjects(result, names, facts.cpus !== undefined);
  const evictions = buildTakers(result.evictions, result.labels, names);
  const invalidations = buildTakers(result.invalidations, result.labels, names);
  const unusedBytes = buildUnusedBytes(result, names);
  const flow = result.flow && facts.flow && buildFlow(result.flow, result.labels, names, facts.flow);
  const memoryStructs = buildMemoryStructs(result, names);
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
    ...(result.parallelism && { parallelism: result.parallelism }),
    phases: Array.from(result.phases.time, (time, row) => ({ name: result.phases.name[row], time })),
    marks: addMarks(Array.from(result.marks.times, (times, row) => ({ name: result.marks.name[row], times }))),
    ...tables,
    tallies: tallies.freeze(renumber),
    sharing: sharing.freeze(renumber),
    ...objects(renumber),
    ...(result.objectsAreSums && { objectsAreSums: true }),
    evictions: evictions.freeze(renumber),
    invalidations: invalidations.freeze(renumber),
    unusedBytes: unusedBytes.freeze(renumber),
    ...(flow && { flow: flow(renumber) }),
    layouts: buildLayouts(catalog, (name) => types.has(name)),
    memoryStructs: memoryStructs.freeze(renumber),
    files: sortFiles(Array.from(catalog.files, ([spelling, file]) => ({ ...file, spelling }))),
    ...locks.freeze(renumber),
    ...(sharedVariables && {
      sharedVariables: sharedVariables.freeze(renumber),
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

/**
 * Slots of one source position (a loop that the compiler unrolled) become one row. Rows that counted nothing are none:
 * what lies before a window may leave some.
 */
function buildTallies(table: TallyTable, names: RowNames): Rows<typeof TABLES.tallies.columns> {
  const rows = new Rows(TABLES.tallies);
  const { slot, rule, type, siteBytes, leaf, core, counters } = table;
  rows.addResult(table, (row) => {
    if (isZero(counters, row * COUNTERS.length, (row + 1) * COUNTERS.length)) return null;
    const { type: rowType, field } = names.tally(slot[row], rule[row], type[row], siteBytes[row], leaf[row]);
    return {
      type: rowType,
      field,
      rule: rule[row],
      site: names.slotSite(slot[row]),
      origin: names.origin(rule[row], type[row], leaf[row]),
      core: core[row],
    };
  });
  return rows;
}

function isZero(numbers: Float64Array, begin: number, end: number): boolean {
  for (let at = begin; at < end; at++) if (numbers[at] !== 0) return false;
  return true;
}
