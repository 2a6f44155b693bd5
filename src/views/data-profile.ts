// Stage: profile -> views. The data profile: per type its references, misses, who served them, how long they took, and
// its objects.

import { formatBytes, formatCount, formatShare } from '../base/format-number.js';
import type { Profile } from '../profile/profile.js';
import { LEVELS, serversOf, type LevelName } from '../contract/machine.js';
import { LEVEL_NAMES } from './class-names.js';
import { column, count, flag, measure, readPath, share, sumOf, type Column } from './columns.js';
import { costliestColumn, cycleColumns } from './cost-columns.js';
import { CounterSums, perLevel, rankSums, sortRanked, sumBy, usualSort } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { pathLines } from './frames.js';
import { RunTimes, timeColumn } from './run-time.js';
import { spellOrder } from './sort-rows.js';
import { SERVER_WORDS } from './server-words.js';
import { sumObjectCounter } from './object-counters.js';
import { memoryRows, objectsInMemory, spellMemoryHint, type MemoryRow } from './memory-structs.js';
import { mostMissesColumn, mostMisses } from './most-misses.js';
import { markVote, namings, NAMINGS_NOTE, NOT_NAMED, spellNamings } from './named-by.js';
import { summariseLives } from './object-lives.js';
import { costOfLevels } from './level-cycles.js';
import type { Sampled } from './row-estimates.js';
import { sampledProfileRows } from './sampled-profile-rows.js';
import { SAMPLED_NOTE } from './sampled-words.js';
import { rowPaths, spellRow, splitRows } from './split-rows.js';
import type { SampledView, View, ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';
import { wholeCounts } from './whole-counts.js';
import type { DataProfileRow } from './data-profile-rows.js';

/** `memory`: where accesses name structs in memory and pools; without: an older profile. */
interface WithMemory {
  readonly memory?: readonly MemoryRow[];
}
export type DataProfile = View<DataProfileRow> & WithMemory;
export type SampledDataProfile = SampledView<Sampled<DataProfileRow>> & WithMemory;
type AnyRow = DataProfileRow | Sampled<DataProfileRow>;

export function buildDataProfile(whole: Profile, options: ViewOptions = {}): DataProfile {
  const split = splitRows(whole);
  const { profile } = split;
  const { tallies } = profile;
  const before = sumObjectCounter(profile, 'missesBeforeFirstUse');
  const after = sumObjectCounter(profile, 'missesAfterLastUse');
  const sums = sumBy(tallies, (row) => tallies.type[row]);
  const lives = summariseLives(profile);
  const times = new RunTimes(profile, options.cpi);
  const timeOf = times.by((row) => tallies.type[row]);
  const named = namings(profile, (row) => tallies.type[row]);
  const inMemory = objectsInMemory(profile);
  const mostAt = mostMisses(profile, (row) => tallies.type[row]);
  const met = new Set([...tallies.type, ...profile.sharing.missed.type, ...profile.sharing.writer.type]);
  // A type may be known only from lines that nothing of it was ever referenced in.
  const ranked = [...lives.keys()]
    .filter((type) => met.has(type) || lives[type].objects > 0)
    .map((type) => {
      const life = lives[type];
      const sum = sums.get(type) ?? new CounterSums();
      const transfers = sum.get('transfers');
      const orderBoundTransfers = sum.get('orderBoundTransfers');
      const row: DataProfileRow = {
        ...split.keys(type),
        ...(named.get(type) ?? NOT_NAMED),
        references: { loads: sum.get('loads'), stores: sum.get('stores') },
        misses: perLevel((level) => ({ loads: sum.get(`${level}.missLoads`), stores: sum.get(`${level}.missStores`) })),
        servedBy: Object.fromEntries(
          serversOf(profile.machine).map((server) => [server, sum.get(`served.${server}`)]),
        ) as DataProfileRow['servedBy'],
        averageLatencyCycles: ratio(sum.get('latencyCycles'), sum.references),
        averageMissLatencyCycles: ratio(sum.get('missLatencyCycles'), sum.misses(LEVELS[0])),
        ...wholeCounts(profile.machine, sum),
        liveObjects: life.peak,
        workingSetBytes: life.averageBytes,
        memoryObjects: inMemory[type],
        bounce: life.bounce,
        writeShared: life.writeShared,
        transfers,
        orderBoundTransfers,
        orderBound: orderBoundTransfers > 0,
        missLatencyCycles: sum.get('missLatencyCycles'),
        missesBeforeFirstUse: before[type],
        missesAfterLastUse: after[type],
        frees: life.frees,
        freesOnOtherCore: life.freesOnOtherCore,
        ...costOfLevels((counter) => sum.get(counter), profile.machine, options.level),
        mostMissesAt: mostAt(type),
        ...timeOf(type),
      };
      return { rank: rankSums(sum, split.label(type)), row };
    });
  return {
    ...times.addTo(wrapRows(profile, 'data-profile', sortRanked(ranked, usualSort(profile)), options)),
    ...(profile.memoryStructs && { memory: memoryRows(profile) }),
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

const missesAt = (level: LevelName): string[] => [`misses.${level}.loads`, `misses.${level}.stores`];
const L1_MISSES = missesAt('l1');
const REFERENCES = ['references.loads', 'references.stores'];
/** Samples may not say which kind one is of. */
const SAMPLED_REFERENCES = [...REFERENCES, 'references.unknown'];
/** References of which no sample says whether they missed the L1. */
const UNCLEAR = ['unknown.l1.loads', 'unknown.l1.stores', 'references.unknown'];

const ORDER_BOUND = 'recorded locks and system calls decided which core came first';
const BOUNCE = 'an object went from core to core';
const WRITE_SHARED = 'a line was referenced by two cores, one storing';

export function dataProfileColumns(view: DataProfile | SampledDataProfile): Column<AnyRow>[] {
  const { totals } = view;
  const exact = view.sampled === undefined ? view : null;
  const isSampled = exact === null;
  const references = isSampled ? SAMPLED_REFERENCES : REFERENCES;
  const unknownMore = view.rows.some(({ memoryObjects }) => (memoryObjects ?? 0) > 0)
    ? '; +: and those in memory and pools, which nobody counts'
    : '';
  // The totals of the run have no such numbers. They are the sums over all rows, if no row was left out.
  const sumOfRows = (get: (row: DataProfileRow) => number): number | '' =>
    exact?.filter === undefined ? (exact?.rows.reduce((sum, row) => sum + get(row), 0) ?? '') : '';
  const occasional = (heading: string, path: keyof DataProfileRow, expendable: number, meaning: string) =>
    count<AnyRow>(heading, path, {
      expendable,
      meaning,
      where: exact?.rows.some((row) => countReferences(row) > 0 && Number(row[path]) > 0) ? 'roomy' : 'page',
      all: sumOfRows((row) => Number(row[path])),
    });
  return [
    column('type', 'type', 'type', (row: AnyRow) => markVote(spellRow(row), row), {
      shortest: 24,
      all: 'all types',
      where: 'text',
    }),
    column('type', 'type', 'type', spellRow, { width: 30, where: 'page' }),
    ...(view.sampled === undefined ? leadingColumns(view) : sampledShare(view)),
    share(
      'miss rate',
      L1_MISSES,
      { paths: references, without: UNCLEAR },
      {
        meaning: isSampled
          ? 'L1 misses per reference, of those of which a sample says whether they missed.'
          : 'L1 misses per reference of the type.',
        ...(exact !== null && { all: { part: exact.totals.levels.l1.misses, whole: totals.references } }),
        expendable: isSampled ? 1 : 5,
      },
    ),
    count('references', references, { expendable: isSampled ? 2 : 4, all: totals.references }),
    count('loads', 'references.loads', { where: 'page' }),
    count('stores', 'references.stores', { where: 'page' }),
    ...(isSampled ? [missesColumn(view, 'l2', 3), missesColumn(view, 'llc', 5)] : []),
    count('c2c', 'servedBy.cache', {
      meaning: "served by another core's cache.",
      where: 'text',
      expendable: isSampled ? 6 : 8,
      all: sumOfRows((row) => row.servedBy.cache),
    }),
    ...serversOf(view.machine)
      .filter((server) => server !== 'l1')
      .map((server) =>
        count<AnyRow>(SERVER_WORDS[server], `servedBy.${server}`, {
          meaning: 'references that were served from there',
          where: 'page',
        }),
      ),
    measure('cycles', 'latency', 'averageLatencyCycles', {
      meaning: isSampled ? 'average, of what says its latency.' : 'average of a reference, in cycles.',
      expendable: isSampled ? 4 : 7,
    }),
    measure('cycles', 'miss latency', 'averageMissLatencyCycles', {
      meaning: 'average latency of an access that missed the L1, per L1 miss',
      where: 'page',
    }),
    column('words', 'namedBy', 'by', (row: AnyRow) => spellNamings(row.namedByReferences), {
      meaning: NAMINGS_NOTE,
      where: 'text',
      expendable: 1.5,
    }),
    column('words', 'namedBy', 'named by', ({ namedBy }: AnyRow) => namedBy ?? null, {
      meaning: 'its declaration, its accesses, a vote of them, or its allocation site',
      where: 'page',
    }),
    atLeast(
      count('live', 'liveObjects', {
        meaning: `most objects at once${isSampled ? ': counted, exact' : ''}${unknownMore}.`,
        expendable: isSampled ? 8 : 10,
      }),
      formatCount,
    ),
    atLeast(
      measure('bytes', 'working set', 'workingSetBytes', {
        meaning: `average bytes of live objects${isSampled ? ': counted, exact' : ''}.`,
        expendable: isSampled ? 7 : 9,
      }),
      formatBytes,
    ),
    column('flags', 'cores', 'cores', spellCores, {
      meaning: isSampled
        ? 'bounce = a sampled object was met on two CPUs; write-shared = a line of one, by a store among them.'
        : `bounce = ${BOUNCE}; write-shared = ${WRITE_SHARED}; order-bound = ${ORDER_BOUND}.`,
      where: 'text',
      ...(isSampled
        ? { expendable: 9 }
        : { expendable: 2, briefWords: { longest: 20, words: { 'write-shared': 'shared', 'order-bound': 'bound' } } }),
    }),
    flag('bounce', 'bounce', { meaning: BOUNCE }),
    flag('write-shared', 'writeShared', { meaning: WRITE_SHARED }),
    count('transfers', 'transfers', {
      meaning: 'references to a line whose previous reference came from another core',
      where: 'page',
    }),
    flag('order-bound', 'orderBound', { meaning: ORDER_BOUND }),
    occasional('before use', 'missesBeforeFirstUse', 11, 'L1 misses of stores before the first load of an object.'),
    occasional('after use', 'missesAfterLastUse', 12, 'L1 misses of stores after the last load of an object.'),
    occasional(
      'freed elsewhere',
      'freesOnOtherCore',
      13,
      'objects freed on another core than the one that allocated them.',
    ),
  ];
}

/** Marks a number that leaves out what lives in memory and pools. */
function atLeast(one: Column<AnyRow>, spell: (known: number) => string): Column<AnyRow> {
  const known = (row: AnyRow): number => Number(readPath(row, one.id) ?? 0);
  return {
    ...one,
    value: (row) =>
      (row.memoryObjects ?? 0) > 0 ? (known(row) === 0 ? '?' : `${spell(known(row))}+`) : one.value(row),
    sortKey: known,
  };
}

function missesColumn(
  { totals }: DataProfile | SampledDataProfile,
  level: LevelName,
  expendable?: number,
): Column<AnyRow> {
  return count(`${LEVEL_NAMES[level]} misses`, missesAt(level), {
    all: totals.levels[level].misses,
    ...(expendable !== undefined && { expendable }),
  });
}

/** What a type costs, and where; then its misses: text always has those of the view's level. */
function leadingColumns(view: DataProfile): Column<AnyRow>[] {
  const columns: Column<DataProfileRow>[] = [
    ...timeColumn<DataProfileRow>(view, 'waiting for its misses'),
    ...cycleColumns(view, { number: 2.5, ofAll: 1 }),
    costliestColumn(view),
    mostMissesColumn({ shortest: 14 }),
  ];
  const kept = (level: LevelName, expendable: number): Column<AnyRow> =>
    missesColumn(view, level, view.level === level ? undefined : expendable);
  return [...(columns as Column<AnyRow>[]), kept('l1', 1.75), kept('l2', 3), kept('llc', 6)];
}

function sampledShare(view: SampledDataProfile): Column<AnyRow>[] {
  const ofAll = { paths: ['totals.levels.l1.misses'], envelope: view };
  return [missesColumn(view, 'l1'), share('of all', L1_MISSES, ofAll, { tip: "of all types' L1 misses" })];
}

function countReferences(row: AnyRow): number {
  return sumOf(row, SAMPLED_REFERENCES) ?? 0;
}

/** An order-bound row says how many of its transfers are, if that is less than a tenth. */
function spellCores({ bounce, writeShared, orderBound, transfers, orderBoundTransfers }: AnyRow): string[] {
  const [all, bound] = [transfers ?? 0, orderBoundTransfers ?? 0];
  const part = bound * 10 < all ? [formatShare(bound, all)] : [];
  return [
    ...(bounce ? ['bounce'] : []),
    ...(writeShared ? ['write-shared'] : []),
    ...(orderBound ? ['order-bound', ...part] : []),
  ];
}

export const dataProfile: ViewDefinition<DataProfile, SampledDataProfile> = {
  build: buildDataProfile,
  sampled: { from: 'samples', rows: sampledProfileRows },
  filters: ['type', 'minShare'],
  hasLevels: true,
  hasCallPaths: true,
  columns: dataProfileColumns,
  table(view, top) {
    const rows: readonly AnyRow[] = view.rows;
    const referenced = rows.filter((row) => countReferences(row) > 0);
    const shown = referenced.slice(0, top);
    const counted = `${shown.length} of ${referenced.length} types that`;
    return {
      ...(view.sampled === undefined
        ? {
            title: `data profile: types by ${spellOrder(view)}; misses of the ${LEVEL_NAMES[view.level]}`,
            notes: [`${counted} were referenced.`],
            remarks: [
              ...(shown.some(({ namedBy }) => namedBy === 'vote') ? ['~: named by a vote of its accesses.'] : []),
              ...[spellMemoryHint(view.memory ?? [])].filter((hint) => hint !== null),
            ],
            hasAll: true,
          }
        : { title: 'data profile, SAMPLED: types by L1 misses', notes: [`${counted} samples met.`, SAMPLED_NOTE] }),
      columns: dataProfileColumns(view),
      lines: pathLines<AnyRow>(shown, view.withCallPath === true, rowPaths),
    };
  },
};
