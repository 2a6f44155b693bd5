// Stage: replay. References to counters, per (slot, rule, type, leaf): which row of the report a reference belongs to.
// docs/replay/objects.md, "Types of references". Where the object's vote decides, counters wait in the object until it
// ends.

import { NO_INDEX } from '../base/ids.js';
import { RULES, type TallyTable } from '../replay/result.js';
import { TYPE_KINDS, type Catalog } from '../trace/catalog.js';
import { CounterRows, WIDTH } from './counter-rows.js';
import { ObjectKind, offsetIn, type SimObject } from './sim-object.js';
import { Votes } from './votes.js';

const Rule = Object.fromEntries(RULES.map((rule, index) => [rule, index])) as Record<(typeof RULES)[number], number>;
const FIRST_RECORD_KIND = TYPE_KINDS.indexOf('struct');
const LAST_RECORD_KIND = TYPE_KINDS.indexOf('class');

interface Tally {
  readonly slot: number;
  readonly core: number;
  readonly rule: number;
  readonly type: number;
  readonly siteBytes: number;
  readonly leaf: number;
  readonly row: number;
}

/** `at` is a slot and a core throughout. */
export class Tallies {
  /** Leaf of the reference that `rowFor` was asked for last. */
  leaf = NO_INDEX;
  readonly rows = new CounterRows();
  private readonly tallies: Tally[] = [];
  private readonly byKey: (Map<string | number, Tally> | undefined)[] = [];
  private readonly isRecord: Uint8Array;
  /** By slot: the struct, union or class whose objects' field its own path names; 0 none. */
  private readonly pathType: Uint32Array;
  /**
   * By `at`: 1 + the row that its last reference to an object of a declared type counted in, that type, and the leaf.
   */
  private readonly objectRow: Int32Array;
  private readonly objectType: Uint32Array;
  private readonly objectLeaf: Uint32Array;
  /**
   * By `at`: 1 + the row in which the object of the last reference that a vote decides keeps its counters, and that
   * object.
   */
  private readonly pendingRow: Int32Array;
  private readonly pendingObject: Uint32Array;
  /** By `at`: 1 + the row of references that no object's type and no vote concerns. */
  private readonly ownRow: Int32Array;

  constructor(
    private readonly catalog: Catalog,
    private readonly cores: number,
  ) {
    const { slots, types, declared } = catalog;
    this.isRecord = Uint8Array.from(types.kind, (_, type) => Number(isRecordType(catalog, type)));
    this.pathType = Uint32Array.from(slots.type, (type, slot) =>
      slots.path[slot] !== '' && this.isRecord[declared[type]] !== 0 ? declared[type] : 0,
    );
    const size = slots.count * cores;
    this.objectRow = new Int32Array(size);
    this.objectType = new Uint32Array(size);
    this.objectLeaf = new Uint32Array(size);
    this.pendingRow = new Int32Array(size);
    this.pendingObject = new Uint32Array(size);
    this.ownRow = new Int32Array(size);
  }

  /** The row of a reference by `slot` to `object` at `address`; casts its vote. */
  rowFor(slot: number, core: number, object: SimObject | null, address: number): number {
    const at = slot * this.cores + core;
    this.leaf = NO_INDEX;
    if (object !== null) {
      if (object.declared !== 0) {
        this.leaf = this.leafOf(slot, object, address);
        return this.rowOfObject(at, object.declared, this.leaf);
      }
      const slotType = this.catalog.slots.type[slot];
      if (this.isRecord[slotType] !== 0) (object.votes ??= new Votes()).cast(slotType);
      else if (object.kind !== ObjectKind.global) return this.rowOfVote(at, object);
    }
    return this.ownRow[at] !== 0 ? this.ownRow[at] - 1 : this.makeOwnRow(at);
  }

  /** The object's life is over: its vote is known, and its counters find their rows. */
  settle(object: SimObject): void {
    const vote = object.votes === null ? 0 : winnerOf(this.catalog, object.votes.counts());
    for (const [at, row] of object.pending ?? []) {
      const isSite = vote === 0 && object.kind === ObjectKind.heap;
      const rule = vote !== 0 ? Rule.vote : isSite ? Rule.site : this.ownRule(Math.floor(at / this.cores));
      const type = vote !== 0 ? vote : isSite ? object.allocationSlot : 0;
      this.rows.pour(row, this.tally(at, rule, type, isSite ? object.sizeBytes : 0, NO_INDEX).row);
    }
    object.voted = vote;
    object.votes = null;
    object.pending = null;
  }

  /** A window begins. Objects drop what they hold themselves. */
  restart(): void {
    this.tallies.length = this.byKey.length = 0;
    this.rows.restart();
    for (const known of [this.objectRow, this.objectType, this.pendingRow, this.ownRow]) known.fill(0);
  }

  freeze(): TallyTable {
    const rows = this.tallies;
    const counters = new Float64Array(rows.length * WIDTH);
    rows.forEach(({ row }, index) => counters.set(this.rows.copy(row), index * WIDTH));
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
    if (this.isRecord[type[slot]] !== 0) return Rule.descriptor;
    return variable[slot] !== 0 ? Rule.variable : type[slot] !== 0 ? Rule.scalar : Rule.untyped;
  }

  /** Of an object with a declared type: what `leaf` of its rows says (result.ts). */
  leafOf(slot: number, object: SimObject, address: number): number {
    const type = object.declared;
    if (this.isRecord[type] === 0) return object.kind === ObjectKind.heap ? NO_INDEX : object.variable;
    return this.pathType[slot] === type ? NO_INDEX : leafAt(this.catalog, object, address);
  }

  private rowOfObject(at: number, type: number, leaf: number): number {
    if (this.objectType[at] === type && this.objectLeaf[at] === leaf) return this.objectRow[at] - 1;
    const { row } = this.tally(at, Rule.object, type, 0, leaf);
    this.objectType[at] = type;
    this.objectLeaf[at] = leaf;
    this.objectRow[at] = row + 1;
    return row;
  }

  private rowOfVote(at: number, object: SimObject): number {
    if (this.pendingObject[at] === object.number && this.pendingRow[at] !== 0) return this.pendingRow[at] - 1;
    object.pending ??= new Map();
    let row = object.pending.get(at);
    if (row === undefined) object.pending.set(at, (row = this.rows.take()));
    this.pendingObject[at] = object.number;
    this.pendingRow[at] = row + 1;
    return row;
  }

  private makeOwnRow(at: number): number {
    const { row } = this.tally(at, this.ownRule(Math.floor(at / this.cores)), 0, 0, NO_INDEX);
    this.ownRow[at] = row + 1;
    return row;
  }

  private tally(at: number, rule: number, type: number, siteBytes: number, leaf: number): Tally {
    const own = (this.byKey[at] ??= new Map());
    const key =
      rule === Rule.object && type < MOST_NUMBERED_TYPES
        ? type * 2 ** 32 + leaf
        : `${rule} ${type} ${siteBytes} ${leaf}`;
    let tally = own.get(key);
    if (!tally) {
      tally = {
        slot: Math.floor(at / this.cores),
        core: at % this.cores,
        rule,
        type,
        siteBytes,
        leaf,
        row: this.rows.take(),
      };
      own.set(key, tally);
      this.tallies.push(tally);
    }
    return tally;
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
export function leafAt(catalog: Catalog, object: SimObject, address: number): number {
  const { leaves } = catalog;
  const type = object.declared;
  const base = leaves.base[type];
  if (base === NO_INDEX) return NO_INDEX;
  const offset = offsetIn(catalog, object, address);
  if (offset < 0) return NO_INDEX;
  if (offset >= leaves.flexibleFrom[type] && leaves.flexibleFrom[type] !== NO_INDEX) return leaves.flexibleLeaf[type];
  const span = leaves.span[type];
  return leaves.leafAt[base + (offset < span ? offset : offset % span)];
}
