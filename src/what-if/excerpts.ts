// Stage: what-if. Of a long run, the parts whose accesses are kept. The specification of engine/placing/excerpts.h.

import type { Catalog } from '../contract/catalog.js';
import { RecordFlag, SlotKind } from '../trace/layout.js';
import { closesFrame } from '../trace/unit-rules.js';

/**
 * The first `kept` of each `period` slots of records have their accesses, in the recorded order. What the rest does to
 * objects is kept, too, and so are its events.
 */
export interface Excerpts {
  readonly kept: number;
  readonly period: number;
}

export const WHOLE: Excerpts = { kept: 1, period: 1 };

/** Whether a record behind so many slots has its accesses. */
export function isKept({ kept, period }: Excerpts, passed: number): boolean {
  return passed % period < kept;
}

/** Distances between accesses are told by an eighth of a long run. */
export const STRIDE_EXCERPTS: Excerpts = { kept: 2 ** 20, period: 2 ** 23 };

/** By record: between excerpts it opens variables, or closes a frame. */
export function framesMoved({ records, slots }: Catalog): Uint8Array {
  return Uint8Array.from({ length: records.count }, (_, record) => {
    const flags = records.flags[record];
    if (closesFrame(flags)) return 1;
    const first = records.firstSlot[record];
    const kinds = slots.kind.subarray(first, first + records.slotCount[record]);
    return (flags & RecordFlag.entry) !== 0 && kinds.includes(SlotKind.object) ? 1 : 0;
  });
}
