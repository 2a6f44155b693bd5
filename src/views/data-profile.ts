// Stage: profile -> views. The data profile: per type its references, misses, who served them, how long they took, and
// its objects.

import type { Profile } from '../profile/profile.js';
import { LEVELS, serversOf, type LevelName, type Server } from '../replay/machine.js';
import { CounterSums, perLevel, rankSums, sortRanked, sumBy } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { sumObjectCounter } from './object-counters.js';
import { summariseLives } from './object-lives.js';
import type { View, ViewOptions } from './view.js';
import { wholeCounts, type WholeCounts } from './whole-counts.js';

export interface LoadsAndStores {
  readonly loads: number;
  readonly stores: number;
}

export interface DataProfileRow extends WholeCounts {
  readonly type: string;
  readonly references: LoadsAndStores;
  readonly misses: Record<LevelName, LoadsAndStores>;
  /** The remote ones on machines with sockets only. */
  readonly servedBy: Record<Exclude<Server, `remote-${string}`>, number> & Partial<Record<Server, number>>;
  /** Per reference; null without references. */
  readonly averageLatencyCycles: number | null;
  /** Of accesses that missed the L1, per L1 miss; null without misses. */
  readonly averageMissLatencyCycles: number | null;
  readonly liveObjects: number;
  readonly workingSetBytes: number;
  readonly bounce: boolean;
  readonly writeShared: boolean;
  readonly transfers: number;
  readonly orderBoundTransfers: number;
  /** Which core came first was decided by recorded locks: at least a tenth of the transfers are order-bound. */
  readonly orderBound: boolean;
  /** Estimated cycles: the latency of accesses that missed the L1. */
  readonly missLatencyCycles: number;
  /** L1 misses of stores to its objects before their first load, and after their last one. */
  readonly missesBeforeFirstUse: number;
  readonly missesAfterLastUse: number;
  /**
   * Heap objects that were freed, and those of them freed by a thread on another core than the one that allocated them.
   */
  readonly frees: number;
  readonly freesOnOtherCore: number;
}

export type DataProfile = View<DataProfileRow>;

export function buildDataProfile(profile: Profile, options: ViewOptions = {}): DataProfile {
  const { tallies, types, strings } = profile;
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
        type: strings[types.name[type]],
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
      return { rank: rankSums(sum, row.type), row };
    });
  return wrapRows(profile, 'data-profile', sortRanked(ranked, options.sort ?? 'misses'), { sort: options.sort });
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function isOrderBound(transfers: number, orderBoundTransfers: number): boolean {
  return transfers > 0 && orderBoundTransfers * 10 >= transfers;
}
