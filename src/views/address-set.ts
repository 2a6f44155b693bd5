// Stage: profile -> views. The address set: every object that lived, where it lay, how long, and whose it was.

import { OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { CLASSES, type LevelName } from '../replay/machine.js';
import { perLevel } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { ObjectCounterIndex } from './object-counters.js';
import { spellFunction, spellName, spellSite } from './sites.js';
import type { View, ViewOptions } from './view.js';

export interface AddressSetRow {
  /** Hexadecimal. */
  readonly address: string;
  readonly type: string;
  readonly bytes: number;
  readonly kind: (typeof OBJECT_KINDS)[number];
  readonly variable: string | null;
  /** Where it was allocated, or the variable is declared. */
  readonly site: string | null;
  readonly function: string | null;
  /** The functions that led to its allocation, innermost first, at most four; null unknown. */
  readonly path: readonly string[] | null;
  /** Replay time in instructions. */
  readonly allocatedAt: number;
  /** null: lived to the end. */
  readonly freedAt: number | null;
  /** A stack variable lives again at each call. */
  readonly lives: number;
  readonly thread: number;
  readonly core: number;
  readonly references: number;
  readonly bounce: boolean;
  readonly writeShared: boolean;
  readonly misses: Record<LevelName, number>;
  /** Estimated cycles: the latency of accesses to it that missed the L1. */
  readonly missLatencyCycles: number;
  /** L1 misses of stores before its first load and after its last one. */
  readonly missesBeforeFirstUse: number;
  readonly missesAfterLastUse: number;
  readonly freedOnOtherCore: boolean;
}

export type AddressSet = View<AddressSetRow>;

/** By references; by estimated cycles if asked. */
export function buildAddressSet(profile: Profile, { sort = 'misses' }: ViewOptions = {}): AddressSet {
  const { objects, machine } = profile;
  const counters = new ObjectCounterIndex(profile);
  const cycles =
    sort === 'cycles'
      ? Float64Array.from(objects.address.keys(), (object) => counters.get(object, 'missLatencyCycles'))
      : null;
  const order = Array.from(objects.address.keys()).sort(
    (a, b) =>
      (cycles === null ? 0 : cycles[b] - cycles[a]) ||
      objects.references[b] - objects.references[a] ||
      objects.address[a] - objects.address[b] ||
      a - b,
  );
  const rows = order.map(
    (object): AddressSetRow => ({
      address: `0x${objects.address[object].toString(16)}`,
      type: profile.strings[profile.types.name[objects.type[object]]],
      bytes: objects.sizeBytes[object],
      kind: OBJECT_KINDS[objects.kind[object]],
      variable: spellName(profile, objects.variable[object]),
      site: spellSite(profile, objects.site[object]),
      function: spellFunction(profile, objects.site[object]),
      path: spellName(profile, objects.callPath[object])?.split('\n') ?? null,
      allocatedAt: objects.bornAt[object],
      freedAt: objects.diedAt[object] === -1 ? null : objects.diedAt[object],
      lives: objects.lives[object],
      thread: objects.thread[object],
      core: objects.core?.[object] ?? objects.thread[object] % machine.cores,
      references: objects.references[object],
      bounce: (objects.flags[object] & 1) !== 0,
      writeShared: (objects.flags[object] & 2) !== 0,
      misses: perLevel((level) => CLASSES.reduce((sum, name) => sum + counters.get(object, `${level}.${name}`), 0)),
      missLatencyCycles: counters.get(object, 'missLatencyCycles'),
      missesBeforeFirstUse: counters.get(object, 'missesBeforeFirstUse'),
      missesAfterLastUse: counters.get(object, 'missesAfterLastUse'),
      freedOnOtherCore: (objects.flags[object] & 16) !== 0,
    }),
  );
  return wrapRows(profile, 'address-set', rows, { sort });
}
