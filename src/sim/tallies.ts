// Stage: replay. References to counters, per (slot, rule, type, leaf, core): which row of the report a reference
// belongs to. docs/replay/objects.md, "Types of references". Where the object's vote decides, counters wait in the
// object until it ends.

import { NO_INDEX } from '../base/ids.js';
import { COUNTERS, PATH_LEAF, TALLY_COLUMNS, type TallyTable } from '../contract/result.js';
import type { Catalog } from '../contract/catalog.js';
import type { Counted } from './counter-index.js';
import { ObjectKind, type SimObject } from './sim-object.js';
import { tableOf } from './table.js';
import { fieldOf, isRecordType, Rule, ruleOfSlot, winnerOf } from './typing.js';

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
    if (object !== null && object.declared !== 0)
      return this.tally(slot, core, Rule.object, object.declared, 0, fieldOf(this.catalog, slot, object, address));
    const slotType = this.catalog.slots.type[slot];
    if (object !== null && isRecordType(this.catalog, slotType)) {
      object.votes ??= new Map();
      object.votes.set(slotType, (object.votes.get(slotType) ?? 0) + 1);
    } else if (object !== null && object.kind !== ObjectKind.global) return pendingOf(object, slot, core);
    return this.tally(slot, core, ruleOfSlot(this.catalog, slot), 0, 0, NO_INDEX);
  }

  /** The object's life is over: its vote is known, and its counters find their rows. */
  settle(object: SimObject): void {
    const vote = object.votes === null ? 0 : winnerOf(this.catalog, object.votes);
    for (const { slot, core, counters } of object.pending?.values() ?? []) {
      const tally =
        vote !== 0
          ? this.tally(slot, core, Rule.vote, vote, 0, NO_INDEX)
          : object.kind === ObjectKind.heap
            ? this.tally(slot, core, Rule.site, object.allocationSlot, object.sizeBytes, PATH_LEAF + object.callPath)
            : this.tally(slot, core, ruleOfSlot(this.catalog, slot), 0, 0, NO_INDEX);
      counters.forEach((count, counter) => (tally.counters[counter] += count));
    }
    object.voted = vote;
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
