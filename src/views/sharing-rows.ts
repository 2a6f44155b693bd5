// Stage: profile -> views. Sharing: which access keeps missing because of which store by another core, both sides
// named. docs/replay/attribution.md, "Sharing".

import { NO_INDEX } from '../base/ids.js';
import type { Profile, SharingSideColumns } from '../profile/profile.js';
import { CLASSES } from '../contract/machine.js';
import { RELATIONS } from '../contract/result.js';
import { wrapRows } from './envelope.js';
import type { PathFrame } from './frames.js';
import { ownSite, spellName } from './sites.js';
import type { View, ViewOptions } from './view.js';

export interface SharingSide {
  readonly type: string;
  readonly field: string | null;
  /** Name of the global, thread-local or stack variable it lies in. */
  readonly variable: string | null;
  readonly function: string | null;
  readonly site: string | null;
  /** The access: from the innermost function that was inlined there, outwards. */
  readonly callPath: readonly PathFrame[];
  /** The site of the object's allocation, or of the variable's declaration. */
  readonly allocatedAt: string | null;
  /** The variable or field that receives what is allocated there. */
  readonly receiver: string | null;
  readonly allocationPath: readonly PathFrame[];
  /** Thread that allocated it; null for globals, for unknown memory, and if several threads did. */
  readonly allocatedBy: number | null;
}

/** cold-sharing: compulsory misses of lines that another core had stored to. */
export type SharingClass = 'true-sharing' | 'false-sharing' | 'cold-sharing';

/** Misses by the threads that allocated what was missed and what was stored to. */
export interface ThreadPair {
  readonly missed: number | null;
  readonly writer: number | null;
  readonly misses: number;
}

export interface SharingRow {
  readonly class: SharingClass;
  readonly misses: number;
  readonly relation: (typeof RELATIONS)[number];
  readonly missed: SharingSide;
  readonly writer: SharingSide;
  /** Most misses first; they add up to those of the row. */
  readonly allocatedBy: readonly ThreadPair[];
}

export interface Sharing extends View<SharingRow> {
  /** L1 misses by cold sharing; the totals count them as compulsory. */
  readonly coldSharing: number;
}

/** Rows that differ only in threads are one; those that differ in call paths too, unless these are asked for. */
export function buildSharingView(profile: Profile, options: ViewOptions = {}): Sharing {
  const { sharing } = profile;
  const found = new Map<string, OnePair[]>();
  let coldSharing = 0;
  for (let row = 0; row < sharing.class.length; row++) {
    const pair: OnePair = {
      class: sharingClass(sharing.class[row]),
      misses: sharing.misses[row],
      relation: RELATIONS[sharing.relation[row]],
      missed: spellSide(profile, sharing.missed, row),
      writer: spellSide(profile, sharing.writer, row),
    };
    if (pair.class === 'cold-sharing') coldSharing += pair.misses;
    const sides = [pair.missed, pair.writer].map(({ allocatedBy, callPath, allocationPath, ...side }) =>
      options.callPath === true ? { ...side, callPath, allocationPath } : side,
    );
    const key = JSON.stringify([pair.class, pair.relation, ...sides]);
    const own = found.get(key);
    if (own === undefined) found.set(key, [pair]);
    else own.push(pair);
  }
  const rows = [...found.values()].map(sumUp).sort((a, b) => b.misses - a.misses);
  return { ...wrapRows(profile, 'sharing', rows, { callPath: options.callPath }), coldSharing };
}

type OnePair = Omit<SharingRow, 'allocatedBy'>;

function sharingClass(number: number): SharingClass {
  const name = CLASSES[number];
  return name === 'true-sharing' || name === 'false-sharing' ? name : 'cold-sharing';
}

/** Pairs that read the same but for threads and call paths; the paths of the most misses stand for all. */
function sumUp(pairs: readonly OnePair[]): SharingRow {
  const byThreads = new Map<string, ThreadPair>();
  for (const { missed, writer, misses } of pairs) {
    const key = `${missed.allocatedBy} ${writer.allocatedBy}`;
    const sum = (byThreads.get(key)?.misses ?? 0) + misses;
    byThreads.set(key, { missed: missed.allocatedBy, writer: writer.allocatedBy, misses: sum });
  }
  const allocatedBy = [...byThreads.values()].sort(
    (a, b) => b.misses - a.misses || order(a.missed) - order(b.missed) || order(a.writer) - order(b.writer),
  );
  const sideOf = (name: 'missed' | 'writer'): SharingSide => {
    const [{ [name]: side }] = pairs;
    return pairs.every((pair) => pair[name].allocatedBy === side.allocatedBy) ? side : { ...side, allocatedBy: null };
  };
  const misses = pairs.reduce((sum, pair) => sum + pair.misses, 0);
  return { ...pairs[0], misses, missed: sideOf('missed'), writer: sideOf('writer'), allocatedBy };
}

function order(thread: number | null): number {
  return thread ?? -1;
}

function spellSide(profile: Profile, side: SharingSideColumns, row: number): SharingSide {
  const access = ownSite(profile, side.site[row], 'own');
  const allocation = ownSite(profile, side.allocationSite[row], 'allocation');
  return {
    type: profile.strings[profile.types.name[side.type[row]]],
    field: spellName(profile, side.field[row]),
    variable: spellName(profile, side.variable[row]),
    function: access.function,
    site: access.site,
    callPath: access.callPath,
    allocatedAt: allocation.site,
    receiver: allocation.receiver,
    allocationPath: allocation.callPath,
    allocatedBy: side.allocationThread[row] === NO_INDEX ? null : side.allocationThread[row],
  };
}
