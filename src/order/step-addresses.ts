// Stage: trace -> replay. Which words of a step are addresses: those that change when memory is moved to another place
// (address-space.ts, renames.ts).

import type { Catalog } from '../contract/catalog.js';
import type { EventColumn } from '../trace/event-column.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { EventCode, RecordTag, SlotKind, Sync, Unseen } from '../trace/layout.js';
import { slotWords } from '../trace/unit-rules.js';

/**
 * Visits the words of a record that are addresses. `offset`: how far behind the address the first byte lies that is
 * accessed; a vector's first lanes may be inactive.
 */
export function visitAddresses(
  step: EventDecoder,
  { records, slots }: Catalog,
  visit: (word: number, offset: number) => void,
): void {
  const { record } = step;
  if (records.tag[record] === RecordTag.allocation || records.tag[record] === RecordTag.free) return visit(0, 0);
  const first = records.firstSlot[record];
  for (let slot = first, word = 0; slot < first + records.slotCount[record]; slot++) {
    const kind = slots.kind[slot];
    const words = slotWords({ kind, sizeBytes: slots.sizeBytes[slot], lanes: slots.lanes[slot] });
    if (kind === SlotKind.maskedLoad || kind === SlotKind.maskedStore) {
      const lane = firstActive(wordOf(step, word + 1), slots.lanes[slot]);
      if (lane !== null) visit(word, lane * slots.sizeBytes[slot]);
    } else if (kind === SlotKind.gather || kind === SlotKind.scatter)
      for (let lane = 0; lane < words; lane++) visit(word + lane, 0);
    else if (words > 0 && kind !== SlotKind.value && kind !== SlotKind.argument) visit(word, 0);
    word += words;
  }
}

/** Whether the event's `address` is one, and not a number of something else. */
export function hasAddress({ code, detail }: EventColumn): boolean {
  switch (code) {
    case EventCode.allocate:
    case EventCode.free:
    case EventCode.threadStart:
    case EventCode.threadEnd:
    case EventCode.threadLocal:
      return true;
    case EventCode.release:
    case EventCode.acquire:
    case EventCode.both:
      return isAtAddress(detail);
    default:
      return code === EventCode.unseen && detail === Unseen.kernelRange;
  }
}

/** Whether the objects of this kind of synchronisation are addresses. */
export function isAtAddress(kind: number): boolean {
  return kind !== Sync.threadCreate && kind !== Sync.threadJoin && kind !== Sync.file && kind !== Sync.process;
}

function firstActive(mask: bigint, lanes: number): number | null {
  for (let lane = 0; lane < lanes; lane++) if (((mask >> BigInt(lane)) & 1n) !== 0n) return lane;
  return null;
}

export function wordOf({ lo, hi }: EventDecoder, word: number): bigint {
  return (BigInt(hi[word]) << 32n) | BigInt(lo[word]);
}

export function setWord({ lo, hi }: EventDecoder, word: number, value: bigint): void {
  lo[word] = Number(value & 0xffff_ffffn);
  hi[word] = Number((value >> 32n) & 0xffff_ffffn);
}
