// Stage: what-if. A step that waits for its place in another order.

import type { Catalog } from '../contract/catalog.js';
import { wordAddress } from '../sim/references.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { SlotKind } from '../trace/layout.js';

export interface HeldAccess {
  readonly slot: number;
  readonly address: number;
  readonly sizeBytes: number;
  readonly isStore: boolean;
}

export interface HeldStep {
  /** As the program was recorded. */
  readonly record: number;
  readonly accesses: readonly HeldAccess[];
  /** As it is placed. */
  readonly placed: number;
  readonly lo: readonly number[];
  readonly hi: readonly number[];
}

/** Of a record that has only loads, stores and values. */
export function accessesOf({ records, slots }: Catalog, step: EventDecoder): HeldAccess[] {
  const first = records.firstSlot[step.record];
  return Array.from({ length: records.slotCount[step.record] }, (_, word) => first + word).flatMap((slot, word) => {
    const kind = slots.kind[slot];
    if (kind !== SlotKind.load && kind !== SlotKind.store) return [];
    const isStore = kind === SlotKind.store;
    return [{ slot, address: wordAddress(step, word), sizeBytes: slots.sizeBytes[slot], isStore }];
  });
}

/** From access to access of two steps of one record. */
export function distanceOf(from: HeldStep, to: HeldStep): number[] {
  return to.accesses.map(({ address }, index) => address - from.accesses[index].address);
}

export function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
