// Stage: trace -> replay. The rules between the rows of a unit, apart from the validity of every index. A unit that
// breaks a rule is refused, so later code need not check again.

import { RecordFlag, RecordTag, SIZE_DYNAMIC, SlotKind } from './layout.js';
import { TraceError } from './trace-error.js';
import type { UnitColumns, UnitRecord } from './unit.js';

const MAX_LANES = 64;
const WORD_BYTES = 8;
/** The kinds of slots that an entry may have before it accesses anything. */
const ENTRY_KINDS: readonly number[] = [SlotKind.argument, SlotKind.object];
/** The kinds of slots whose size may be a word of its own. */
const DYNAMIC_KINDS: readonly number[] = [
  SlotKind.copyStore,
  SlotKind.fill,
  SlotKind.scan,
  SlotKind.copyLoad,
  SlotKind.object,
  SlotKind.site,
];

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
  return wordsOf(slot.kind, slot.sizeBytes, slot.lanes);
}

function wordsOf(kind: number, sizeBytes: number, lanes: number): number {
  switch (kind) {
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
      return sizeBytes === SIZE_DYNAMIC ? 2 : 1;
    case SlotKind.gather:
    case SlotKind.scatter:
      return lanes;
    default:
      return 1;
  }
}

/** `firstNumber`: of the unit's first record in the trace, for the message. */
export function checkRecords({ records, slots }: UnitColumns, firstNumber: number): void {
  for (let record = 0; record < records.count; record++) {
    const first = records.firstSlot[record];
    checkRecord(
      { tag: records.tag[record], flags: records.flags[record], words: records.words[record] },
      slots,
      first,
      first + records.slotCount[record],
      firstNumber + record,
    );
  }
}

function checkRecord(
  { tag, flags, words: said }: Pick<UnitRecord, 'tag' | 'flags' | 'words'>,
  { kind: kinds, sizeBytes, lanes }: UnitColumns['slots'],
  first: number,
  end: number,
  number: number,
): void {
  const refuse = (expected: string, actual: string): never => {
    throw new TraceError(`record ${number}`, 0, expected, actual);
  };
  const kindAt = (slot: number): number | undefined => (slot >= first && slot < end ? kinds[slot] : undefined);
  if (tag < RecordTag.segment || tag > RecordTag.marker) refuse('a tag from 1 to 4', `${tag}`);
  const isStamped = (flags & RecordFlag.stamped) !== 0;
  const isEntry = (flags & RecordFlag.entry) !== 0;
  let words = tag === RecordTag.allocation ? 2 : tag === RecordTag.free ? 1 : 0;
  for (let slot = first; slot < end; slot++) {
    const kind = kinds[slot];
    words += wordsOf(kind, sizeBytes[slot], lanes[slot]);
    const isLast = slot === end - 1;
    if (isAtomic(kind) && !(isLast && isStamped))
      refuse('an atomic only as the last slot of a STAMPED record', `slot ${slot - first} of ${end - first}`);
    if (isLast && isStamped && !isAtomic(kind))
      refuse('an atomic as the last slot of a STAMPED record', `slot kind ${kind}`);
    if (lanes[slot] > MAX_LANES) refuse(`at most ${MAX_LANES} lanes`, `${lanes[slot]}`);
    if (kind === SlotKind.copyLoad && kindAt(slot + 1) !== SlotKind.copyStore)
      refuse('a COPY_STORE after a COPY_LOAD', `slot kind ${kindAt(slot + 1)}`);
    if (kind === SlotKind.copyStore && kindAt(slot - 1) !== SlotKind.copyLoad)
      refuse('a COPY_LOAD before a COPY_STORE', `slot kind ${kindAt(slot - 1)}`);
    if (kind === SlotKind.value && !isValueOfNext(kindAt, slot) && !isScalar(kindAt(slot - 1)))
      refuse(
        'a VALUE behind a LOAD or STORE, or before an atomic',
        `it behind slot kind ${kindAt(slot - 1) ?? 'none'}`,
      );
    if (kind === SlotKind.argument && !isEntry) refuse('an ARGUMENT only in a record with ENTRY', `flags ${flags}`);
    if (kind === SlotKind.argument && slot > first && !ENTRY_KINDS.includes(kinds[slot - 1]))
      refuse('an ARGUMENT before all accesses', `it behind slot kind ${kinds[slot - 1]}`);
    if (isWord(kind) && sizeBytes[slot] > WORD_BYTES)
      refuse(`a value of at most ${WORD_BYTES} bytes`, `${sizeBytes[slot]}`);
    if (sizeBytes[slot] === SIZE_DYNAMIC && !DYNAMIC_KINDS.includes(kind))
      refuse('a fixed size', `slot kind ${kind} of dynamic size`);
  }
  if (isStamped && (end === first || tag !== RecordTag.segment))
    refuse('a STAMPED record with an atomic', `${end - first} slots, tag ${tag}`);
  if (tag !== RecordTag.segment)
    for (let slot = first; slot < end; slot++)
      if (kinds[slot] !== SlotKind.site && !ENTRY_KINDS.includes(kinds[slot]))
        refuse('no references outside segments', `tag ${tag}`);
  if (words !== said) refuse(`${words} words, as its slots have`, `${said}`);
}

/** Of a record's flags: the function's innermost frame ends after it. */
export function closesFrame(flags: number): boolean {
  const closes = RecordFlag.exit | RecordFlag.frame;
  return (flags & closes) === closes;
}
