// Stage: profile -> views. The data profile: per type its references, misses, who served them, how long they took, and its objects.

import type { Profile } from '../profile/profile.js';
import { LEVELS, serversOf, type LevelName, type Server } from '../replay/machine.js';
import { byMissesThenName, CounterSums, perLevel, sumBy } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { summariseLives } from './object-lives.js';
import type { View } from './view.js';
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
}

export type DataProfile = View<DataProfileRow>;

export function buildDataProfile(profile: Profile): DataProfile {
  const { tallies, types, strings } = profile;
  const sums = sumBy(tallies, (row) => tallies.type[row]);
  const lives = summariseLives(profile);
  const rows = lives.map((life, type) => {
    const sum = sums.get(type) ?? new CounterSums();
    const transfers = sum.get('transfers');
    const orderBoundTransfers = sum.get('orderBoundTransfers');
    return {
      type: strings[types.name[type]],
      references: { loads: sum.get('loads'), stores: sum.get('stores') },
      misses: perLevel((level) => ({ loads: sum.get(`${level}.missLoads`), stores: sum.get(`${level}.missStores`) })),
      servedBy: Object.fromEntries(serversOf(profile.machine).map((server) => [server, sum.get(`served.${server}`)])) as DataProfileRow['servedBy'],
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
    };
  });
  rows.sort((a, b) => byMissesThenName(a.misses.l1.loads + a.misses.l1.stores, a.type, b.misses.l1.loads + b.misses.l1.stores, b.type));
  return wrapRows(profile, 'data-profile', rows);
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function isOrderBound(transfers: number, orderBoundTransfers: number): boolean {
  return transfers > 0 && orderBoundTransfers * 10 >= transfers;
}
