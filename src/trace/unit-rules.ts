// Stage: trace -> replay. The rules between the rows of a unit, apart from the validity of every index. A unit that
// breaks a rule is refused, so later code need not check again.

import { RecordFlag, RecordTag, SIZE_DYNAMIC, SlotKind } from './layout.js';
import { TraceError } from './trace-error.js';
import type { UnitRecord, UnitSlot } from './unit.js';

const MAX_LANES = 64;
const WORD_BYTES = 8;
/** The kinds of slots that an entry may have before it accesses anything. */
const ENTRY_KINDS: readonly number[] = [SlotKind.argument, SlotKind.object];

function isAtomic(kind: number): boolean {
  return kind >= SlotKind.atomicLoad && kind <= SlotKind.atomicResult;
}

function isScalar(kind: number | undefined): boolean {
  return kind === SlotKind.load || kind === SlotKind.store;
}

function isWord(kind: number): boolean {
  return kind === SlotKind.value || kind === SlotKind.argument;
}

/** Whether the VALUE slot of number `index` is that of the slot behind it; else it is that of the slot before. */
export function isValueOfNext(kindAt: (index: number) => number | undefined, index: number): boolean {
  return isAtomic(kindAt(index + 1) ?? SlotKind.site);
}

/** Words of a slot; the stamp of an atomic included. */
export function slotWords(slot: { kind: number; sizeBytes: number; lanes: number }): number {
  switch (slot.kind) {
    case SlotKind.site:
      return 0;
    case SlotKind.atomicLoad:
    case SlotKind.atomicStore:
    case SlotKind.atomicUpdate:
    case SlotKind.atomicResult:
    case SlotKind.maskedLoad:
    case SlotKind.maskedStore:
      return 2;
    case SlotKind.copyStore:
    case SlotKind.fill:
    case SlotKind.scan:
      return slot.sizeBytes === SIZE_DYNAMIC ? 2 : 1;
    case SlotKind.gather:
    case SlotKind.scatter:
      return slot.lanes;
    default:
      return 1;
  }
}

/** `number`: of the record in the trace, for the message. */
export function checkRecord(record: UnitRecord, unitSlots: readonly UnitSlot[], number: number): void {
  const refuse = (expected: string, actual: string): never => {
    throw new TraceError(`record ${number}`, 0, expected, actual);
  };
  if (record.tag < RecordTag.segment || record.tag > RecordTag.marker) refuse('a tag from 1 to 4', `${record.tag}`);
  const slots = unitSlots.slice(record.firstSlot, record.firstSlot + record.slotCount);
  const isStamped = (record.flags & RecordFlag.stamped) !== 0;
  const isEntry = (record.flags & RecordFlag.entry) !== 0;
  let words = record.tag === RecordTag.allocation ? 2 : record.tag === RecordTag.free ? 1 : 0;
  slots.forEach((slot, index) => {
    words += slotWords(slot);
    const isLast = index === slots.length - 1;
    if (isAtomic(slot.kind) && !(isLast && isStamped))
      refuse('an atomic only as the last slot of a STAMPED record', `slot ${index} of ${slots.length}`);
    if (isLast && isStamped && !isAtomic(slot.kind))
      refuse('an atomic as the last slot of a STAMPED record', `slot kind ${slot.kind}`);
    if (slot.lanes > MAX_LANES) refuse(`at most ${MAX_LANES} lanes`, `${slot.lanes}`);
    if (slot.kind === SlotKind.copyLoad && slots[index + 1]?.kind !== SlotKind.copyStore)
      refuse('a COPY_STORE after a COPY_LOAD', `slot kind ${slots[index + 1]?.kind}`);
    if (slot.kind === SlotKind.copyStore && slots[index - 1]?.kind !== SlotKind.copyLoad)
      refuse('a COPY_LOAD before a COPY_STORE', `slot kind ${slots[index - 1]?.kind}`);
    if (
      slot.kind === SlotKind.value &&
      !isValueOfNext((at) => slots[at]?.kind, index) &&
      !isScalar(slots[index - 1]?.kind)
    ) {
      refuse(
        'a VALUE behind a LOAD or STORE, or before an atomic',
        `it behind slot kind ${slots[index - 1]?.kind ?? 'none'}`,
      );
    }
    if (slot.kind === SlotKind.argument && !isEntry)
      refuse('an ARGUMENT only in a record with ENTRY', `flags ${record.flags}`);
    if (slot.kind === SlotKind.argument && index > 0 && !ENTRY_KINDS.includes(slots[index - 1].kind))
      refuse('an ARGUMENT before all accesses', `it behind slot kind ${slots[index - 1].kind}`);
    if (isWord(slot.kind) && slot.sizeBytes > WORD_BYTES)
      refuse(`a value of at most ${WORD_BYTES} bytes`, `${slot.sizeBytes}`);
    if (
      slot.sizeBytes === SIZE_DYNAMIC &&
      slot.kind !== SlotKind.copyStore &&
      slot.kind !== SlotKind.fill &&
      slot.kind !== SlotKind.scan &&
      slot.kind !== SlotKind.copyLoad &&
      slot.kind !== SlotKind.object &&
      slot.kind !== SlotKind.site
    ) {
      refuse('a fixed size', `slot kind ${slot.kind} of dynamic size`);
    }
  });
  if (isStamped && (slots.length === 0 || record.tag !== RecordTag.segment))
    refuse('a STAMPED record with an atomic', `${slots.length} slots, tag ${record.tag}`);
  if (
    record.tag !== RecordTag.segment &&
    !slots.every(({ kind }) => kind === SlotKind.site || ENTRY_KINDS.includes(kind))
  )
    refuse('no references outside segments', `tag ${record.tag}`);
  if (words !== record.words) refuse(`${words} words, as its slots have`, `${record.words}`);
}
