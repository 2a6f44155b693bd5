// Stage: profile -> views. The data profile: per type its references, misses, who served them, how long they took, and
// its objects.

import { plural } from '../base/format-number.js';
import type { Profile } from '../profile/profile.js';
import { LEVELS, serversOf, type LevelName } from '../contract/machine.js';
import { column, count, flag, measure, share, sumOf, type Column, type ColumnWords } from './columns.js';
import { CounterSums, perLevel, rankSums, sortRanked, sumBy } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { SERVER_WORDS } from './server-words.js';
import { sumObjectCounter } from './object-counters.js';
import { summariseLives } from './object-lives.js';
import type { Sampled } from './row-estimates.js';
import { sampledProfileRows } from './sampled-profile-rows.js';
import { SAMPLED_NOTE } from './sampled-words.js';
import { spellRow, splitRows } from './split-rows.js';
import type { SampledView, View, ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';
import { wholeCounts } from './whole-counts.js';
import type { DataProfileRow } from './data-profile-rows.js';

export type DataProfile = View<DataProfileRow>;
export type SampledDataProfile = SampledView<Sampled<DataProfileRow>>;
type AnyRow = DataProfileRow | Sampled<DataProfileRow>;

export function buildDataProfile(whole: Profile, options: ViewOptions = {}): DataProfile {
  const split = splitRows(whole);
  const { profile } = split;
  const { tallies } = profile;
  const before = sumObjectCounter(profile, 'missesBeforeFirstUse');
  const after = sumObjectCounter(profile, 'missesAfterLastUse');
  const sums = sumBy(tallies, (row) => tallies.type[row]);
  const lives = summariseLives(profile);
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
        bounce: life.bounce,
        writeShared: life.writeShared,
        transfers,
        orderBoundTransfers,
        orderBound: isOrderBound(transfers, orderBoundTransfers),
        missLatencyCycles: sum.get('missLatencyCycles'),
        missesBeforeFirstUse: before[type],
        missesAfterLastUse: after[type],
        frees: life.frees,
        freesOnOtherCore: life.freesOnOtherCore,
      };
      return { rank: rankSums(sum, split.label(type)), row };
    });
  return wrapRows(profile, 'data-profile', sortRanked(ranked, options.sort ?? 'misses'), { sort: options.sort });
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function isOrderBound(transfers: number, orderBoundTransfers: number): boolean {
  return transfers > 0 && orderBoundTransfers * 10 >= transfers;
}

const missesAt = (level: LevelName): string[] => [`misses.${level}.loads`, `misses.${level}.stores`];
const L1_MISSES = missesAt('l1');
const REFERENCES = ['references.loads', 'references.stores'];
/** Samples may not say which kind one is of. */
const SAMPLED_REFERENCES = [...REFERENCES, 'references.unknown'];
/** References of which no sample says whether they missed the L1. */
const UNCLEAR = ['unknown.l1.loads', 'unknown.l1.stores', 'references.unknown'];

const ORDER_BOUND = 'recorded locks decided which core came first';
const BOUNCE = 'an object went from core to core';
const WRITE_SHARED = 'a line was referenced by two cores, one storing';

export function dataProfileColumns(view: DataProfile | SampledDataProfile): Column<AnyRow>[] {
  const { totals, sort } = view;
  const exact = view.sampled === undefined ? view : null;
  const isSampled = exact === null;
  const references = isSampled ? SAMPLED_REFERENCES : REFERENCES;
  const misses = totals.levels.l1.misses;
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
    column('type', 'type', 'type', spellRow, { shortest: 16, width: 30, all: 'all types' }),
    count('L1 misses', L1_MISSES, { all: misses }),
    share(
      'of all',
      L1_MISSES,
      { paths: ['totals.levels.l1.misses'], envelope: view },
      {
        ...ofAllMisses(exact),
      },
    ),
    share(
      'miss rate',
      L1_MISSES,
      { paths: references, without: UNCLEAR },
      {
        meaning: isSampled
          ? 'L1 misses per reference, of those of which a sample says whether they missed.'
          : 'L1 misses per reference of the type.',
        ...(exact !== null && { all: { part: exact.totals.levels.l1.misses, whole: totals.references } }),
        ...(isSampled && { expendable: 1 }),
      },
    ),
    count('references', references, { expendable: isSampled ? 2 : 1, all: totals.references }),
    count('loads', 'references.loads', { where: 'page' }),
    count('stores', 'references.stores', { where: 'page' }),
    count('L2 misses', missesAt('l2'), { expendable: isSampled ? 3 : 2, all: totals.levels.l2.misses }),
    count('LLC misses', missesAt('llc'), { expendable: isSampled ? 5 : 3, all: totals.levels.llc.misses }),
    count('c2c', 'servedBy.cache', {
      meaning: "served by another core's cache.",
      where: 'text',
      expendable: isSampled ? 6 : 5,
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
    measure('cycles', 'cycles', 'averageLatencyCycles', {
      meaning: isSampled ? 'average latency, of what says its latency.' : 'average latency of a reference.',
      expendable: 4,
    }),
    measure('cycles', 'miss cycles', 'averageMissLatencyCycles', {
      meaning: 'average latency of an access that missed the L1, per L1 miss',
      where: 'page',
    }),
    count('live', 'liveObjects', {
      meaning: `most objects at once${isSampled ? ': counted, exact' : ''}.`,
      expendable: isSampled ? 8 : 7,
    }),
    measure('bytes', 'working set', 'workingSetBytes', {
      meaning: `average bytes of live objects${isSampled ? ': counted, exact' : ''}.`,
      expendable: isSampled ? 7 : 6,
    }),
    column('flags', 'cores', 'cores', spellCores, {
      meaning: isSampled
        ? 'bounce = a sampled object was met on two CPUs; write-shared = a line of one, by a store among them.'
        : `bounce = ${BOUNCE}; write-shared = ${WRITE_SHARED}; order-bound = ${ORDER_BOUND}.`,
      where: 'text',
      ...(isSampled
        ? { expendable: 9 }
        : { briefWords: { longest: 20, words: { 'write-shared': 'shared', 'order-bound': 'bound' } } }),
    }),
    flag('bounce', 'bounce', { meaning: BOUNCE }),
    flag('write-shared', 'writeShared', { meaning: WRITE_SHARED }),
    count('transfers', 'transfers', {
      meaning: 'references to a line whose previous reference came from another core',
      where: 'page',
    }),
    flag('order-bound', 'orderBound', { meaning: ORDER_BOUND }),
    ...(sort === 'cycles' && !isSampled
      ? [
          count<AnyRow>('est. cycles', 'missLatencyCycles', {
            meaning: 'latency of the accesses that missed the L1.',
            where: 'text',
            all: sumOfRows((row) => row.missLatencyCycles),
          }),
        ]
      : []),
    occasional('before use', 'missesBeforeFirstUse', 8, 'L1 misses of stores before the first load of an object.'),
    occasional('after use', 'missesAfterLastUse', 9, 'L1 misses of stores after the last load of an object.'),
    occasional(
      'freed elsewhere',
      'freesOnOtherCore',
      10,
      'objects freed on another core than the one that allocated them.',
    ),
  ];
}

function ofAllMisses(exact: DataProfile | null): ColumnWords {
  if (exact === null) return { tip: "of all types' L1 misses" };
  const { misses } = exact.totals.levels.l1;
  return { meaning: `of ${plural(misses, 'L1 miss')}.`, all: { part: misses, whole: misses } };
}

function countReferences(row: AnyRow): number {
  return sumOf(row, SAMPLED_REFERENCES) ?? 0;
}

function spellCores({ bounce, writeShared, orderBound }: AnyRow): string[] {
  return [
    ...(bounce ? ['bounce'] : []),
    ...(writeShared ? ['write-shared'] : []),
    ...(orderBound ? ['order-bound'] : []),
  ];
}

export const dataProfile: ViewDefinition<DataProfile, SampledDataProfile> = {
  build: buildDataProfile,
  sampled: { from: 'samples', rows: sampledProfileRows },
  filters: ['type', 'minShare'],
  isRanked: true,
  table(view, top) {
    const rows: readonly AnyRow[] = view.rows;
    const referenced = rows.filter((row) => countReferences(row) > 0);
    const shown = referenced.slice(0, top);
    const counted = `${shown.length} of ${referenced.length} types that`;
    return {
      ...(view.sampled === undefined
        ? {
            title: `data profile: types by ${view.sort === 'cycles' ? 'estimated cycles' : 'L1 misses'}`,
            notes: [`${counted} were referenced.`],
            hasAll: true,
          }
        : { title: 'data profile, SAMPLED: types by L1 misses', notes: [`${counted} samples met.`, SAMPLED_NOTE] }),
      columns: dataProfileColumns(view),
      lines: shown,
    };
  },
};
