// Stage: replay. One segment with its words to its accesses: block operations expanded, lanes told apart; and accesses
// to references, one per line.

import type { Catalog } from '../contract/catalog.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { RecordFlag, SIZE_DYNAMIC, SlotKind } from '../trace/layout.js';
import { TraceError } from '../trace/trace-error.js';
import { isValueOfNext } from '../trace/unit-rules.js';

export const AccessKind = { load: 0, store: 1, atomic: 2 } as const;

export interface AccessSink {
  /** `kind`: AccessKind. `sizeBytes` is not 0. */
  access(kind: number, address: number, sizeBytes: number, slot: number): void;
  /** Word `word` of the step is what the access that comes now loads or stores. */
  value?(step: EventDecoder, word: number): void;
  /** Word `word` of the step is what a function is given. */
  argument?(step: EventDecoder, word: number, slot: number): void;
}

const TWO_32 = 0x1_0000_0000;
const MAX_HIGH = 0x20_0000;

export class Accesses {
  constructor(
    private readonly catalog: Catalog,
    private readonly lineBytes: number,
    private readonly sink: AccessSink,
  ) {}

  /** All accesses of the segment that `step` stands on, in order. */
  expand(step: EventDecoder): void {
    const { records, slots } = this.catalog;
    const first = records.firstSlot[step.record];
    const end = first + records.slotCount[step.record];
    const kindAt = (slot: number): number | undefined => (slot < end ? slots.kind[slot] : undefined);
    /** What the load or store does, if the next slot says it. */
    const tellValue = (slot: number, word: number): void => {
      if (kindAt(slot + 1) === SlotKind.value && !isValueOfNext(kindAt, slot + 1) && slots.sizeBytes[slot] > 0)
        this.sink.value!(step, word + 1);
    };
    const tellsValues = this.sink.value !== undefined;
    let word = 0;
    for (let slot = first; slot < end; slot++) {
      const kind = slots.kind[slot];
      switch (kind) {
        case SlotKind.load:
          if (tellsValues) tellValue(slot, word);
          this.access(AccessKind.load, wordAddress(step, word++), slots.sizeBytes[slot], slot);
          break;
        case SlotKind.atomicLoad:
          this.access(AccessKind.load, wordAddress(step, word++), slots.sizeBytes[slot], slot);
          break;
        case SlotKind.store:
          if (tellsValues) tellValue(slot, word);
          this.access(AccessKind.store, wordAddress(step, word++), slots.sizeBytes[slot], slot);
          break;
        case SlotKind.atomicStore:
          this.access(AccessKind.store, wordAddress(step, word++), slots.sizeBytes[slot], slot);
          break;
        case SlotKind.atomicUpdate:
        case SlotKind.atomicResult:
          this.access(AccessKind.atomic, wordAddress(step, word++), slots.sizeBytes[slot], slot);
          break;
        case SlotKind.copyLoad: {
          const isDynamic = slots.sizeBytes[slot + 1] === SIZE_DYNAMIC;
          const sizeBytes = isDynamic ? wordAddress(step, word + 2) : slots.sizeBytes[slot + 1];
          if (sizeBytes > 0) this.copy(slot, wordAddress(step, word), wordAddress(step, word + 1), sizeBytes);
          word += isDynamic ? 3 : 2;
          slot++;
          break;
        }
        case SlotKind.fill:
        case SlotKind.scan: {
          const isDynamic = slots.sizeBytes[slot] === SIZE_DYNAMIC;
          const sizeBytes = isDynamic ? wordAddress(step, word + 1) : slots.sizeBytes[slot];
          if (sizeBytes > 0)
            this.block(
              kind === SlotKind.fill ? AccessKind.store : AccessKind.load,
              slot,
              wordAddress(step, word),
              sizeBytes,
            );
          word += isDynamic ? 2 : 1;
          break;
        }
        case SlotKind.maskedLoad:
        case SlotKind.maskedStore:
          this.masked(kind === SlotKind.maskedLoad ? AccessKind.load : AccessKind.store, step, word, slot);
          word += 2;
          break;
        case SlotKind.gather:
        case SlotKind.scatter:
          for (let lane = 0; lane < slots.lanes[slot]; lane++, word++) {
            if (step.lo[word] === 0 && step.hi[word] === 0) continue;
            this.access(
              kind === SlotKind.gather ? AccessKind.load : AccessKind.store,
              wordAddress(step, word),
              slots.sizeBytes[slot],
              slot,
            );
          }
          break;
        case SlotKind.object:
          word++;
          break;
        case SlotKind.value:
          if (tellsValues && isValueOfNext(kindAt, slot) && slots.sizeBytes[slot + 1] > 0) this.sink.value!(step, word);
          word++;
          break;
        case SlotKind.argument:
          this.sink.argument?.(step, word, slot);
          word++;
          break;
      }
    }
  }

  /** Stores into [address, address + sizeBytes), one for each line. */
  store(slot: number, address: number, sizeBytes: number): void {
    this.block(AccessKind.store, slot, address, sizeBytes);
  }

  private copy(slot: number, source: number, destination: number, sizeBytes: number): void {
    checkEnd(source, sizeBytes);
    checkEnd(destination, sizeBytes);
    for (let done = 0; done < sizeBytes; ) {
      const piece = Math.min(sizeBytes - done, this.lineBytes - ((source + done) % this.lineBytes));
      this.access(AccessKind.load, source + done, piece, slot);
      this.access(AccessKind.store, destination + done, piece, slot + 1);
      done += piece;
    }
  }

  private block(kind: number, slot: number, address: number, sizeBytes: number): void {
    checkEnd(address, sizeBytes);
    for (let done = 0; done < sizeBytes; ) {
      const piece = Math.min(sizeBytes - done, this.lineBytes - ((address + done) % this.lineBytes));
      this.access(kind, address + done, piece, slot);
      done += piece;
    }
  }

  private masked(kind: number, step: EventDecoder, word: number, slot: number): void {
    const { sizeBytes, lanes } = this.catalog.slots;
    for (let lane = 0; lane < lanes[slot]; lane++) {
      const mask = lane < 32 ? step.lo[word + 1] >>> lane : step.hi[word + 1] >>> (lane - 32);
      if ((mask & 1) === 0) continue;
      // The base of a vector whose first lanes are inactive may lie below 0: lanes count modulo 2^64.
      const lo = step.lo[word] + lane * sizeBytes[slot];
      const hi = (step.hi[word] + Math.floor(lo / TWO_32)) % TWO_32;
      if (hi >= MAX_HIGH) throw highAddress(hi, lo % TWO_32);
      this.access(kind, hi * TWO_32 + (lo % TWO_32), sizeBytes[slot], slot);
    }
  }

  private access(kind: number, address: number, sizeBytes: number, slot: number): void {
    if (sizeBytes === 0) return;
    checkEnd(address, sizeBytes);
    this.sink.access(kind, address, sizeBytes, slot);
  }
}

/** The stack variables that come to life at a record with ENTRY: their slots and addresses. */
export function openedVariables(catalog: Catalog, step: EventDecoder): { slots: number[]; addresses: number[] } | null {
  const { records, slots } = catalog;
  if ((records.flags[step.record] & RecordFlag.entry) === 0) return null;
  const first = records.firstSlot[step.record];
  let opened: { slots: number[]; addresses: number[] } | null = null;
  for (let index = 0, word = 0; index < records.slotCount[step.record]; index++) {
    const slot = first + index;
    if (slots.kind[slot] === SlotKind.object) {
      opened ??= { slots: [], addresses: [] };
      opened.slots.push(slot);
      opened.addresses.push(wordAddress(step, word));
    }
    word += codedWords(slots.kind[slot], slots.sizeBytes[slot], slots.lanes[slot]);
  }
  return opened;
}

/** Of a slot in a decoded step: an atomic's stamp is none of them. */
export function codedWords(kind: number, sizeBytes: number, lanes: number): number {
  if (kind === SlotKind.site) return 0;
  if (kind === SlotKind.maskedLoad || kind === SlotKind.maskedStore) return 2;
  if (kind === SlotKind.gather || kind === SlotKind.scatter) return lanes;
  return (kind === SlotKind.copyStore || kind === SlotKind.fill || kind === SlotKind.scan) && sizeBytes === SIZE_DYNAMIC
    ? 2
    : 1;
}

/** The address of an ALLOCATION record; null where nothing was given out: MAP_FAILED, all ones. */
export function allocatedAddress(step: EventDecoder): number | null {
  return step.hi[0] === TWO_32 - 1 && step.lo[0] === TWO_32 - 1 ? null : wordAddress(step, 0);
}

/** A coded word as an address or a length: both lie below 2^53 in any program that ran. */
export function wordAddress(step: EventDecoder, word: number): number {
  const hi = step.hi[word];
  if (hi >= MAX_HIGH) throw highAddress(hi, step.lo[word]);
  return hi * TWO_32 + step.lo[word];
}

function checkEnd(address: number, sizeBytes: number): void {
  if (address + sizeBytes > Number.MAX_SAFE_INTEGER) throw highAddress(Math.floor(address / TWO_32), address % TWO_32);
}

function highAddress(hi: number, lo: number): TraceError {
  return new TraceError(
    'address of an access',
    0,
    'an end below 2^53',
    `0x${((BigInt(hi) << 32n) | BigInt(lo)).toString(16)}`,
  );
}
