// Stage: what-if. A record with the addresses that its accesses have anew. An access whose bytes do not stay together
// becomes several, in order; a copy of whole elements stays one copy.

import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { codedWords, wordAddress } from '../sim/references.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import type { EventEntry } from '../trace/event-writer.js';
import { RecordTag, SIZE_DYNAMIC, SlotKind } from '../trace/layout.js';
import type { Placement, PlacedPiece } from './placement.js';
import { POINTER, POINTER_BYTES, RecordPart, type VariantRecords } from './variant-records.js';

const TWO_32 = 0x1_0000_0000;
/** A copy or fill that becomes more is refused. */
const MOST_PIECES = 1 << 20;
/** A record with more is several. */
const MOST_SLOTS = 16;

/** Where steps go. */
export interface StepSink {
  path(record: number, lo: ArrayLike<number>, hi: ArrayLike<number>, words: number, stamp?: EventEntry): void;
  event(entry: EventEntry): void;
}

/** The beginning of a record, which goes before it. */
interface FirstPart {
  readonly record: number;
  readonly lo: readonly number[];
  readonly hi: readonly number[];
}

export class PlacedStep {
  /** A number of the catalog, or of a variant. */
  record = 0;
  lo: number[] = [];
  hi: number[] = [];
  words = 0;
  /** If it has very many accesses: all but the last ones. */
  parts: FirstPart[] = [];
  /** Accesses that became several. */
  split = 0;
  /** Loads of pointers to cold parts. */
  pointerLoads = 0;
  /** The record as it was. */
  private own = 0;
  /** A slot of it that became several. */
  private several = 0;
  private slots: number[] = [];
  private isVariant = false;

  constructor(
    private readonly catalog: Catalog,
    private readonly placement: Placement,
    private readonly variants: VariantRecords,
  ) {}

  take(step: EventDecoder): void {
    const { records } = this.catalog;
    this.begin(step.record);
    const tag = records.tag[step.record];
    if (tag === RecordTag.allocation || tag === RecordTag.free) this.site(step, tag);
    else this.accesses(step);
    this.record = this.isVariant
      ? this.variantOf(this.parts.length > 0 ? RecordPart.last : RecordPart.whole)
      : step.record;
  }

  /** The record behind its parts. */
  writeTo(sink: StepSink, stamp?: EventEntry): void {
    for (const { record, lo, hi } of this.parts) sink.path(record, lo, hi, lo.length);
    sink.path(this.record, this.lo, this.hi, this.words, stamp);
  }

  /** Only the variables that it opens. */
  skim(step: EventDecoder): void {
    const { records, slots } = this.catalog;
    this.begin(step.record);
    const first = records.firstSlot[step.record];
    let word = 0;
    for (let slot = first; slot < first + records.slotCount[step.record]; slot++) {
      const [kind, sizeBytes] = [slots.kind[slot], slots.sizeBytes[slot]];
      if (kind === SlotKind.object) this.object(slot, wordAddress(step, word), sizeBytes);
      word += codedWords(kind, sizeBytes, slots.lanes[slot]);
    }
    const isWhole = this.slots.length === records.slotCount[step.record] && !this.isVariant;
    this.record = isWhole ? step.record : this.variantOf(RecordPart.whole);
  }

  /** The record, or a part of it, with the slots at hand. */
  private variantOf(part: number): number {
    const number = this.variants.record(this.own, this.slots, part);
    if (number === null) throw takenApart(this.catalog, this.several);
    return number;
  }

  /** Before an access that the record has no room for. */
  private makeRoom(): void {
    if (!this.isVariant || this.slots.length < MOST_SLOTS) return;
    const record = this.variantOf(this.parts.length === 0 ? RecordPart.first : RecordPart.middle);
    this.parts.push({ record, lo: this.lo.slice(0, this.words), hi: this.hi.slice(0, this.words) });
    this.words = 0;
    this.slots.length = 0;
  }

  private site(step: EventDecoder, tag: number): void {
    if (tag === RecordTag.allocation && step.hi[0] === TWO_32 - 1) {
      this.copyWords(step, 0, step.words); // nothing was given out
      return;
    }
    const address = wordAddress(step, 0);
    this.put(this.placement.begin(address));
    if (tag === RecordTag.allocation) this.put(this.placement.sizeAt(address, wordAddress(step, 1)));
  }

  private accesses(step: EventDecoder): void {
    const { records, slots } = this.catalog;
    const first = records.firstSlot[step.record];
    const end = first + records.slotCount[step.record];
    let word = 0;
    for (let slot = first; slot < end; slot++) {
      const kind = slots.kind[slot];
      const size = slots.sizeBytes[slot];
      switch (kind) {
        case SlotKind.site:
          this.slots.push(slot);
          break;
        case SlotKind.value:
        case SlotKind.argument:
          this.slots.push(slot);
          this.copyWords(step, word++, 1);
          break;
        case SlotKind.object:
          this.object(slot, wordAddress(step, word++), size);
          break;
        case SlotKind.copyLoad: {
          const length = slots.sizeBytes[slot + 1];
          const isDynamic = length === SIZE_DYNAMIC;
          const bytes = isDynamic ? wordAddress(step, word + 2) : length;
          this.copy(slot, wordAddress(step, word), wordAddress(step, word + 1), bytes, isDynamic);
          word += isDynamic ? 3 : 2;
          slot++;
          break;
        }
        case SlotKind.fill:
        case SlotKind.scan: {
          const isDynamic = size === SIZE_DYNAMIC;
          this.block(slot, wordAddress(step, word), isDynamic ? wordAddress(step, word + 1) : size, isDynamic);
          word += isDynamic ? 2 : 1;
          break;
        }
        case SlotKind.maskedLoad:
        case SlotKind.maskedStore:
          this.masked(step, slot, word);
          word += 2;
          break;
        case SlotKind.gather:
        case SlotKind.scatter:
          this.lanes(step, slot, word);
          word += slots.lanes[slot];
          break;
        case SlotKind.load:
        case SlotKind.store:
          this.access(slot, wordAddress(step, word++), size);
          break;
        default:
          // An atomic is one access, whatever becomes of its bytes.
          this.atomic(slot, wordAddress(step, word++), size);
      }
    }
  }

  private atomic(slot: number, address: number, bytes: number): void {
    const to = this.together(slot, address, bytes);
    this.follow(slot, this.placement.pointer);
    this.slots.push(slot);
    this.put(to);
  }

  /** Loads the pointer to a cold part. */
  private follow(slot: number, pointer: number): void {
    if (pointer < 0) return;
    this.pointerLoads++;
    this.variant(slot, POINTER_BYTES, POINTER);
    this.put(pointer);
  }

  private access(slot: number, address: number, bytes: number): void {
    const to = this.placement.place(address, Math.max(1, bytes));
    if (to >= 0) {
      this.follow(slot, this.placement.pointer);
      this.slots.push(slot);
      this.put(to);
      return;
    }
    const pieces = this.placement.pieces(address, bytes, false);
    this.countPieces(pieces.length, slot);
    for (const piece of pieces) {
      this.follow(slot, piece.pointer);
      this.variant(slot, piece.newBytes, piece.from);
      this.put(piece.address);
    }
  }

  /** Of bytes that no change may separate. */
  private together(slot: number, address: number, bytes: number): number {
    const to = this.placement.place(address, Math.max(1, bytes));
    if (to >= 0) return to;
    throw tornApart(this.catalog, slot);
  }

  private begin(record: number): void {
    this.own = record;
    this.several = this.catalog.records.firstSlot[record];
    this.parts = [];
    this.words = 0;
    this.slots.length = 0;
    this.isVariant = false;
  }

  private object(slot: number, address: number, bytes: number): void {
    const size = this.placement.sizeAt(address, bytes);
    this.variant(slot, size, 0);
    this.put(this.placement.begin(address));
  }

  private block(slot: number, address: number, bytes: number, isDynamic: boolean): void {
    const pieces = this.placement.pieces(address, bytes, true);
    this.countPieces(pieces.length, slot);
    for (const piece of pieces) {
      this.makeRoom();
      this.follow(slot, piece.pointer);
      this.sized(slot, piece.newBytes, isDynamic);
      this.put(piece.address);
      if (isDynamic) this.put(piece.newBytes);
    }
  }

  private copy(slot: number, source: number, destination: number, bytes: number, isDynamic: boolean): void {
    const pairs = this.copyPieces(source, destination, bytes);
    this.countPieces(pairs.length, slot);
    for (const [load, store] of pairs) {
      this.makeRoom();
      this.follow(slot, load.pointer);
      this.follow(slot, store.pointer);
      this.slots.push(slot);
      this.sized(slot + 1, load.newBytes, isDynamic);
      this.put(load.address);
      this.put(store.address);
      if (isDynamic) this.put(load.newBytes);
    }
  }

  /** Whole elements on both sides are one piece; else fields are. */
  private copyPieces(source: number, destination: number, bytes: number): [PlacedPiece, PlacedPiece][] {
    const { placement } = this;
    const [from, to] = [source, destination].map((address) => placement.pieces(address, bytes, true));
    const isAlike = (piece: PlacedPiece, other: PlacedPiece | undefined): boolean =>
      piece.from === other?.from && piece.bytes === other.bytes && piece.newBytes === other.newBytes;
    if (from.length === to.length && from.every((piece, index) => isAlike(piece, to[index])))
      return from.map((piece, index) => [piece, to[index]]);
    return sideBySide(placement.pieces(source, bytes, false), placement.pieces(destination, bytes, false));
  }

  private countPieces(count: number, slot: number): void {
    if (count === 1) return;
    this.several = slot;
    if (count > MOST_PIECES) throw takenApart(this.catalog, slot);
    this.split++;
    this.isVariant = true;
  }

  /** Each lane has an address; all pointers are loaded before the vector is. 0: the lane is inactive. */
  private lanes(step: EventDecoder, slot: number, word: number): void {
    const { sizeBytes, lanes } = this.catalog.slots;
    const places = Array.from({ length: lanes[slot] }, (_, lane) => {
      const address = wordAddress(step, word + lane);
      if (address === 0) return 0;
      const to = this.together(slot, address, sizeBytes[slot]);
      this.follow(slot, this.placement.pointer);
      return to;
    });
    this.slots.push(slot);
    for (const to of places) this.put(to);
  }

  private masked(step: EventDecoder, slot: number, word: number): void {
    const { sizeBytes, lanes } = this.catalog.slots;
    const bytes = sizeBytes[slot];
    const isActive = (lane: number): boolean =>
      (((lane < 32 ? step.lo[word + 1] >>> lane : step.hi[word + 1] >>> (lane - 32)) & 1) as 0 | 1) === 1;
    let first = 0;
    while (first < lanes[slot] && !isActive(first)) first++;
    let last = lanes[slot] - 1;
    while (last > first && !isActive(last)) last--;
    if (first >= lanes[slot]) {
      this.slots.push(slot);
      this.copyWords(step, word, 2);
      return;
    }
    const base = (step.hi[word] * TWO_32 + step.lo[word] + first * bytes) % (TWO_32 * TWO_32);
    const to = this.together(slot, base, (last - first + 1) * bytes);
    this.follow(slot, this.placement.pointer);
    this.slots.push(slot);
    this.put(to - first * bytes);
    this.copyWords(step, word + 1, 1);
  }

  private variant(slot: number, sizeBytes: number, further: number): void {
    const number = this.variants.slot(slot, sizeBytes, further);
    this.isVariant ||= number !== slot || further > 0;
    this.slots.push(number);
  }

  /** A block's slot; a dynamic one says its size in a word. */
  private sized(slot: number, sizeBytes: number, isDynamic: boolean): void {
    if (isDynamic) this.slots.push(slot);
    else this.variant(slot, sizeBytes, 0);
  }

  private put(value: number): void {
    // Below 0 only where a vector's first lanes are inactive; addresses count modulo 2^64.
    this.lo[this.words] = value >>> 0;
    this.hi[this.words++] = Math.floor(value / TWO_32) >>> 0;
  }

  private copyWords(step: EventDecoder, word: number, count: number): void {
    for (let at = word; at < word + count; at++) {
      this.lo[this.words] = step.lo[at];
      this.hi[this.words++] = step.hi[at];
    }
  }
}

export function takenApart({ slots: { file, line } }: Catalog, slot: number): DprofError {
  return new DprofError(
    `${file[slot]}:${line[slot]} copies or fills so many elements at once that dprof cannot take them apart one by one`,
    'try a change that keeps the bytes of an element together',
    2,
  );
}

export function tornApart({ slots: { file, line } }: Catalog, slot: number): DprofError {
  return new DprofError(
    `${file[slot]}:${line[slot]} is an atomic or a vector: it accesses bytes together that this change separates`,
    'leave the fields that it accesses side by side',
    2,
  );
}

/** The bytes that both sides have, cut where either is cut. */
function sideBySide(from: readonly PlacedPiece[], to: readonly PlacedPiece[]): [PlacedPiece, PlacedPiece][] {
  const pairs: [PlacedPiece, PlacedPiece][] = [];
  for (let [a, b] = [0, 0]; a < from.length && b < to.length; ) {
    const begin = Math.max(from[a].from, to[b].from);
    const [endA, endB] = [from[a].from + from[a].bytes, to[b].from + to[b].bytes];
    const bytes = Math.min(endA, endB) - begin;
    const cut = (piece: PlacedPiece): PlacedPiece => ({
      from: begin,
      bytes,
      address: piece.address + begin - piece.from,
      newBytes: bytes,
      pointer: piece.pointer,
    });
    if (bytes > 0) pairs.push([cut(from[a]), cut(to[b])]);
    if (endA <= endB) a++;
    if (endB <= endA) b++;
  }
  return pairs;
}
