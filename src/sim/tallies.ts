// Stage: replay. References to counters, per (slot, rule, type, leaf): which row of the report a reference belongs to. docs/replay.md, "Types of
// references". Where the object's vote decides, counters wait in the object until it ends.

import { NO_INDEX } from '../base/ids.js';
import { COUNTERS, RULES, type TallyTable } from '../replay/result.js';
import { TYPE_KINDS, type Catalog } from '../trace/catalog.js';
import { ObjectKind, offsetIn, type SimObject } from './sim-object.js';

const Rule = Object.fromEntries(RULES.map((rule, index) => [rule, index])) as Record<(typeof RULES)[number], number>;
const FIRST_RECORD_KIND = TYPE_KINDS.indexOf('struct');
const LAST_RECORD_KIND = TYPE_KINDS.indexOf('class');

export type Counters = Float64Array;
/** By slot and core. */
export type PendingTallies = Map<number, Counters>;

interface Tally {
  readonly slot: number;
  readonly core: number;
  readonly rule: number;
  readonly type: number;
  readonly siteBytes: number;
  readonly leaf: number;
  readonly counters: Counters;
}

/** Tallies of one slot and core. */
interface SlotTallies {
  last: Tally | null;
  readonly byKey: Map<string | number, Tally>;
}

export class Tallies {
  /** Leaf of the reference that `countersFor` was asked for last. */
  leaf = NO_INDEX;
  /** By slot and core. */
  private readonly slots: (SlotTallies | undefined)[] = [];
  private readonly isRecord: Uint8Array;

  constructor(
    private readonly catalog: Catalog,
    private readonly cores: number,
  ) {
    this.isRecord = Uint8Array.from(catalog.types.kind, (_, type) => Number(isRecordType(catalog, type)));
  }

  /** Counters of a reference by `slot` to `object` at `address`; casts its vote. */
  countersFor(slot: number, core: number, object: SimObject | null, address: number): Counters {
    const slotType = this.catalog.slots.type[slot];
    const isStruct = this.isRecord[slotType] !== 0;
    const at = slot * this.cores + core;
    this.leaf = NO_INDEX;
    if (object !== null && object.declared !== 0) {
      this.leaf = this.leafOf(slot, object, address);
      return this.tally(at, Rule.object, object.declared, 0, this.leaf).counters;
    }
    if (isStruct) {
      if (object !== null) {
        object.votes ??= new Map();
        object.votes.set(slotType, (object.votes.get(slotType) ?? 0) + 1);
      }
      return this.tally(at, Rule.descriptor, 0, 0, NO_INDEX).counters;
    }
    if (object !== null && object.kind !== ObjectKind.global) {
      object.pending ??= new Map();
      let counters = object.pending.get(at);
      if (!counters) object.pending.set(at, (counters = new Float64Array(COUNTERS.length)));
      return counters;
    }
    return this.tally(at, this.ownRule(slot), 0, 0, NO_INDEX).counters;
  }

  /** The object's life is over: its vote is known, and its counters find their rows. */
  settle(object: SimObject): void {
    const vote = object.votes === null ? 0 : winnerOf(this.catalog, object.votes);
    for (const [at, counters] of object.pending ?? []) {
      const isSite = vote === 0 && object.kind === ObjectKind.heap;
      const rule = vote !== 0 ? Rule.vote : isSite ? Rule.site : this.ownRule(Math.floor(at / this.cores));
      const type = vote !== 0 ? vote : isSite ? object.allocationSlot : 0;
      const into = this.tally(at, rule, type, isSite ? object.sizeBytes : 0, NO_INDEX).counters;
      counters.forEach((count, index) => (into[index] += count));
    }
    object.voted = vote;
    object.votes = null;
    object.pending = null;
  }

  /** A window begins. Objects drop what they hold themselves. */
  restart(): void {
    this.slots.length = 0;
  }

  freeze(): TallyTable {
    const rows = this.slots.flatMap((tallies) => (tallies ? [...tallies.byKey.values()] : []));
    const counters = new Float64Array(rows.length * COUNTERS.length);
    rows.forEach((row, index) => counters.set(row.counters, index * COUNTERS.length));
    return {
      count: rows.length,
      slot: Uint32Array.from(rows, (row) => row.slot),
      rule: Uint8Array.from(rows, (row) => row.rule),
      type: Uint32Array.from(rows, (row) => row.type),
      siteBytes: Float64Array.from(rows, (row) => row.siteBytes),
      leaf: Uint32Array.from(rows, (row) => row.leaf),
      core: Uint16Array.from(rows, (row) => row.core),
      counters,
    };
  }

  private ownRule(slot: number): number {
    const { variable, type } = this.catalog.slots;
    return variable[slot] !== 0 ? Rule.variable : type[slot] !== 0 ? Rule.scalar : Rule.untyped;
  }

  private leafOf(slot: number, object: SimObject, address: number): number {
    const { slots, declared } = this.catalog;
    const type = object.declared;
    if (this.isRecord[type] === 0) return object.kind === ObjectKind.heap ? NO_INDEX : object.variable;
    if (declared[slots.type[slot]] === type && slots.path[slot] !== '') return NO_INDEX;
    return leafAt(this.catalog, object, address);
  }

  /** `at`: slot and core. */
  private tally(at: number, rule: number, type: number, siteBytes: number, leaf: number): Tally {
    const own = (this.slots[at] ??= { last: null, byKey: new Map() });
    const { last } = own;
    if (last !== null && last.rule === rule && last.type === type && last.leaf === leaf && last.siteBytes === siteBytes) return last;
    const key = rule === Rule.object && type < MOST_NUMBERED_TYPES ? type * 2 ** 32 + leaf : `${rule} ${type} ${siteBytes} ${leaf}`;
    let tally = own.byKey.get(key);
    if (!tally) {
      tally = { slot: Math.floor(at / this.cores), core: at % this.cores, rule, type, siteBytes, leaf, counters: new Float64Array(COUNTERS.length) };
      own.byKey.set(key, tally);
    }
    return (own.last = tally);
  }
}

/** A type and a leaf are one exact number. */
const MOST_NUMBERED_TYPES = 2 ** 21;

export function isRecordType(catalog: Catalog, type: number): boolean {
  const kind = catalog.types.kind[type];
  return kind >= FIRST_RECORD_KIND && kind <= LAST_RECORD_KIND;
}

/** The struct with most references; ties: the smaller name, then the smaller id. 0 if none. */
export function winnerOf({ types: { name } }: Catalog, votes: ReadonlyMap<number, number>): number {
  let winner = 0;
  let most = 0;
  for (const [type, count] of votes) {
    const isSmaller = name[type] < name[winner] || (name[type] === name[winner] && type < winner);
    if (count > most || (count === most && isSmaller)) {
      winner = type;
      most = count;
    }
  }
  return winner;
}

/** The leaf at an address in an object of a declared struct, union or class; NO_INDEX if its table does not say. */
function leafAt(catalog: Catalog, object: SimObject, address: number): number {
  const { leaves } = catalog;
  const type = object.declared;
  const base = leaves.base[type];
  if (base === NO_INDEX) return NO_INDEX;
  const offset = offsetIn(catalog, object, address);
  if (offset < 0) return NO_INDEX;
  if (offset >= leaves.flexibleFrom[type] && leaves.flexibleFrom[type] !== NO_INDEX) return leaves.flexibleLeaf[type];
  return leaves.leafAt[base + (offset % leaves.span[type])];
}
