// Stage: replay. References to counters, per (slot, rule, type, leaf, core): which row of the report a reference
// belongs to. docs/replay/objects.md, "Types of references". Where the object's vote decides, counters wait in the
// object until it ends.

import { NO_INDEX } from '../base/ids.js';
import { COUNTERS, PATH_LEAF, TALLY_COLUMNS, type TallyTable } from '../contract/result.js';
import type { Catalog } from '../contract/catalog.js';
import type { Counted } from './counter-index.js';
import { ObjectKind, type SimObject } from './sim-object.js';
import { tableOf } from './table.js';
import { isRecordType } from '../contract/memory-types.js';
import { fieldOf, isMemory, isPool, Rule, ruleOf, ruleOfSlot, ruleOfVote, winnerOf } from './typing.js';

interface Tally extends Counted {
  readonly rule: number;
  readonly type: number;
  readonly siteBytes: number;
}

export class Tallies {
  private readonly tallies = new Map<string, Tally>();

  constructor(private readonly catalog: Catalog) {}

  /** The counters of a reference by `slot` to `object` at `address`; casts its vote. The first rule that applies. */
  of(slot: number, core: number, object: SimObject | null, address: number): Counted {
    const { catalog } = this;
    const rule = ruleOf(catalog, slot, object, address);
    const slotType = catalog.slots.type[slot];
    if (object !== null && rule === Rule.descriptor && isRecordType(catalog, slotType)) {
      object.votes ??= new Map();
      object.votes.set(slotType, (object.votes.get(slotType) ?? 0) + 1);
    }
    if (rule === null) return pendingOf(object!, slot, core);
    if (rule === Rule.object)
      return this.tally(slot, core, rule, object!.declared, 0, fieldOf(catalog, slot, object!, address));
    return this.tally(slot, core, rule, rule === Rule.behind ? object!.declared : 0, 0, NO_INDEX);
  }

  /** The object's life is over: its vote is known, and its counters find their rows. */
  settle(object: SimObject): void {
    object.isPool = isPool(this.catalog, object);
    object.voted = object.isPool || object.votes === null ? 0 : winnerOf(this.catalog, object.votes);
    for (const { slot, core, counters } of object.pending?.values() ?? []) {
      const tally = this.settled(slot, core, object);
      counters.forEach((count, counter) => (tally.counters[counter] += count));
    }
    object.votes = null;
    object.pending = null;
  }

  /** A window begins. Objects drop what they hold themselves. */
  restart(): void {
    this.tallies.clear();
  }

  freeze(): TallyTable {
    return tableOf([...this.tallies.values()], TALLY_COLUMNS);
  }

  /** The row of what its end decides. */
  private settled(slot: number, core: number, object: SimObject): Tally {
    const { catalog } = this;
    const { allocationSlot, sizeBytes, declared, voted } = object;
    const path = PATH_LEAF + object.callPath;
    if (object.isPool) return this.tally(slot, core, Rule.pool, allocationSlot, sizeBytes, path);
    if (isMemory(catalog, object)) return this.tally(slot, core, Rule.object, declared, 0, path);
    if (voted !== 0) return this.tally(slot, core, ruleOfVote(catalog, object, voted), voted, 0, NO_INDEX);
    if (object.kind === ObjectKind.heap) return this.tally(slot, core, Rule.site, allocationSlot, sizeBytes, path);
    return this.tally(slot, core, ruleOfSlot(catalog, slot), 0, 0, NO_INDEX);
  }

  private tally(slot: number, core: number, rule: number, type: number, siteBytes: number, leaf: number): Tally {
    const key = `${slot} ${core} ${rule} ${type} ${siteBytes} ${leaf}`;
    let tally = this.tallies.get(key);
    if (tally === undefined)
      this.tallies.set(key, (tally = { slot, core, rule, type, siteBytes, leaf, counters: noCounts() }));
    return tally;
  }
}

function pendingOf(object: SimObject, slot: number, core: number): Counted {
  object.pending ??= new Map();
  const key = `${slot} ${core}`;
  let pending = object.pending.get(key);
  if (pending === undefined) object.pending.set(key, (pending = { slot, core, leaf: NO_INDEX, counters: noCounts() }));
  return pending;
}

function noCounts(): number[] {
  return new Array<number>(COUNTERS.length).fill(0);
}
