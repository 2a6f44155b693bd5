// Stage: profile -> views. Miss classification: per type, and under it per field, the class of every miss at every level.

import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import type { DPROF_RULES, LevelName } from '../replay/machine.js';
import { byMissesThenName, CounterSums, perLevel, sumBy } from './counter-sums.js';
import type { LoadsAndStores } from './data-profile.js';
import { wrapRows } from './envelope.js';
import type { ClassCounts, View } from './view.js';

export interface LevelMisses {
  readonly misses: number;
  readonly classes: ClassCounts;
  /** Of the compulsory ones: on lines that another core had stored to. */
  readonly compulsoryShared: number;
  readonly dprofRule: Record<(typeof DPROF_RULES)[number], number>;
}

export interface MissClassificationRow {
  readonly type: string;
  /** null: the whole type, its fields included; field rows follow it and sum up to at most its numbers. */
  readonly field: string | null;
  readonly references: LoadsAndStores;
  readonly levels: Record<LevelName, LevelMisses>;
}

export type MissClassification = View<MissClassificationRow>;

export function buildMissClassification(profile: Profile): MissClassification {
  const { tallies, types, strings } = profile;
  const wholes = [...sumBy(tallies, (row) => tallies.type[row])]
    .map(([type, sums]) => ({ type, name: strings[types.name[type]], sums }))
    .sort((a, b) => byMissesThenName(a.sums.misses('l1'), a.name, b.sums.misses('l1'), b.name));
  const fieldsOfType = sumFields(profile);
  const rows = wholes.flatMap(({ type, name, sums }) => [
    toRow(name, null, sums),
    ...(fieldsOfType.get(type) ?? []).map(([field, fieldSums]) => toRow(name, field, fieldSums)),
  ]);
  return wrapRows(profile, 'miss-classification', rows);
}

function sumFields({ tallies, strings }: Profile): Map<number, [string, CounterSums][]> {
  const fields = new Map<number, [string, CounterSums][]>();
  const stride = strings.length + 1;
  const sums = sumBy(tallies, (row) => (tallies.field[row] === NO_INDEX ? -1 : tallies.type[row] * stride + tallies.field[row]));
  for (const [key, sum] of sums) {
    if (key === -1) continue;
    const type = Math.floor(key / stride);
    const list = fields.get(type) ?? [];
    list.push([strings[key % stride], sum]);
    fields.set(type, list);
  }
  for (const list of fields.values()) list.sort((a, b) => byMissesThenName(a[1].misses('l1'), a[0], b[1].misses('l1'), b[0]));
  return fields;
}

function toRow(type: string, field: string | null, sums: CounterSums): MissClassificationRow {
  return {
    type,
    field,
    references: { loads: sums.get('loads'), stores: sums.get('stores') },
    levels: perLevel((level) => ({
      misses: sums.misses(level),
      classes: sums.classes(level),
      compulsoryShared: sums.get(`${level}.compulsoryShared`),
      dprofRule: sums.dprofRule(level),
    })),
  };
}
