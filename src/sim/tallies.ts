// Stage: replay. References to counters, per (slot, rule, type, leaf): which row of the report a reference belongs to. docs/replay.md, "Types of
// references". Where the object's vote decides, counters wait in the object until it ends.

import { NO_INDEX } from '../base/ids.js';
import { COUNTERS, RULES, type TallyTable } from '../replay/result.js';
import { TYPE_KINDS, type Catalog } from '../trace/catalog.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';
import { ObjectKind, type SimObject } from './objects.js';

const Rule = Object.fromEntries(RULES.map((rule, index) => [rule, index])) as Record<(typeof RULES)[number], number>;
const FIRST_RECORD_KIND = TYPE_KINDS.indexOf('struct');
const LAST_RECORD_KIND = TYPE_KINDS.indexOf('class');

export type Counters = Float64Array;
/** By slot. */
export type PendingTallies = Map<number, Counters>;

interface Tally {
  readonly slot: number;
  readonly rule: number;
  readonly type: number;
  readonly siteBytes: number;
  readonly leaf: number;
  readonly counters: Counters;
}

export class Tallies {
  /** Leaf of the reference that `countersFor` was asked for last. */
  leaf = NO_INDEX;
  private readonly tallies = new Map<string, Tally>();
  private readonly lastOfSlot: (Tally | undefined)[] = [];

  constructor(private readonly catalog: Catalog) {}

  /** Counters of a reference by `slot` to `object` at `address`; casts its vote. */
  countersFor(slot: number, object: SimObject | null, address: number): Counters {
    const slotType = this.catalog.slots.type[slot];
    const isStruct = this.isRecordType(slotType);
    this.leaf = NO_INDEX;
    if (object !== null && object.declared !== 0) {
      this.leaf = this.leafOf(slot, object, address);
      return this.tally(slot, Rule.object, object.declared, 0, this.leaf).counters;
    }
    if (isStruct) {
      if (object !== null) {
        object.votes ??= new Map();
        object.votes.set(slotType, (object.votes.get(slotType) ?? 0) + 1);
      }
      return this.tally(slot, Rule.descriptor, 0, 0, NO_INDEX).counters;
    }
    if (object !== null && object.kind !== ObjectKind.global) {
      object.pending ??= new Map();
      let counters = object.pending.get(slot);
      if (!counters) object.pending.set(slot, (counters = new Float64Array(COUNTERS.length)));
      return counters;
    }
    return this.tally(slot, this.ownRule(slot), 0, 0, NO_INDEX).counters;
  }

  /** The object's life is over: its vote is known, and its counters find their rows. */
  settle(object: SimObject): void {
    const vote = this.voteOf(object);
    for (const [slot, counters] of object.pending ?? []) {
      const isSite = vote === 0 && object.kind === ObjectKind.heap;
      const rule = vote !== 0 ? Rule.vote : isSite ? Rule.site : this.ownRule(slot);
      const type = vote !== 0 ? vote : isSite ? object.allocationSlot : 0;
      const into = this.tally(slot, rule, type, isSite ? object.sizeBytes : 0, NO_INDEX).counters;
      counters.forEach((count, index) => (into[index] += count));
    }
    object.voted = vote;
    object.votes = null;
    object.pending = null;
  }

  /** The struct with most references; ties: the smaller name, then the smaller id. 0 if none. */
  private voteOf(object: SimObject): number {
    const { name } = this.catalog.types;
    let winner = 0;
    let most = 0;
    for (const [type, count] of object.votes ?? []) {
      const isSmaller = name[type] < name[winner] || (name[type] === name[winner] && type < winner);
      if (count > most || (count === most && isSmaller)) {
        winner = type;
        most = count;
      }
    }
    return winner;
  }

  freeze(): TallyTable {
    const rows = [...this.tallies.values()];
    const counters = new Float64Array(rows.length * COUNTERS.length);
    rows.forEach((row, index) => counters.set(row.counters, index * COUNTERS.length));
    return {
      count: rows.length,
      slot: Uint32Array.from(rows, (row) => row.slot),
      rule: Uint8Array.from(rows, (row) => row.rule),
      type: Uint32Array.from(rows, (row) => row.type),
      siteBytes: Float64Array.from(rows, (row) => row.siteBytes),
      leaf: Uint32Array.from(rows, (row) => row.leaf),
      counters,
    };
  }

  private isRecordType(type: number): boolean {
    const kind = this.catalog.types.kind[type];
    return kind >= FIRST_RECORD_KIND && kind <= LAST_RECORD_KIND;
  }

  private ownRule(slot: number): number {
    const { variable, type } = this.catalog.slots;
    return variable[slot] !== 0 ? Rule.variable : type[slot] !== 0 ? Rule.scalar : Rule.untyped;
  }

  private leafOf(slot: number, object: SimObject, address: number): number {
    const { slots, leaves, declared } = this.catalog;
    const type = object.declared;
    if (!this.isRecordType(type)) return object.kind === ObjectKind.heap ? NO_INDEX : object.variable;
    if (declared[slots.type[slot]] === type && slots.path[slot] !== '') return NO_INDEX;
    const base = leaves.base[type];
    if (base === NO_INDEX) return NO_INDEX;
    const site = object.kind === ObjectKind.heap ? object.allocationSlot : NO_INDEX;
    const cookie = site === NO_INDEX || slots.offset[site] === OFFSET_UNKNOWN ? 0 : slots.offset[site];
    const offset = address - object.address - cookie;
    if (offset < 0) return NO_INDEX;
    if (offset >= leaves.flexibleFrom[type] && leaves.flexibleFrom[type] !== NO_INDEX) return leaves.flexibleLeaf[type];
    return leaves.leafAt[base + (offset % leaves.span[type])];
  }

  private tally(slot: number, rule: number, type: number, siteBytes: number, leaf: number): Tally {
    const last = this.lastOfSlot[slot];
    if (last && last.rule === rule && last.type === type && last.leaf === leaf && last.siteBytes === siteBytes) return last;
    const key = `${slot} ${rule} ${type} ${siteBytes} ${leaf}`;
    let tally = this.tallies.get(key);
    if (!tally) this.tallies.set(key, (tally = { slot, rule, type, siteBytes, leaf, counters: new Float64Array(COUNTERS.length) }));
    this.lastOfSlot[slot] = tally;
    return tally;
  }
}
