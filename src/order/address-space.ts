// Stage: trace -> replay. Steps of one of several processes, as the replay knows them: threads, units and addresses of
// a process become those of the whole (docs/replay/processes.md). A step is changed where it stands, before
// anybody looks at it.

import { NO_INDEX } from '../base/ids.js';
import {
  SPACE_BYTES,
  type ProcessInput,
  type ReplayInput,
  type SharedPieces,
  type ThreadChunks,
} from '../contract/input.js';
import { Allocator, EventCode, RecordTag, Sync, Unseen } from '../trace/layout.js';
import type { Catalog } from '../contract/catalog.js';
import type { EventColumn } from '../trace/event-column.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { TraceError } from '../trace/trace-error.js';
import type { TraceFile } from '../trace/trace-file.js';
import { setWord, visitAddresses, wordOf } from './step-addresses.js';

const TWO_32 = 0x1_0000_0000;
const MASK = 0xffff_ffff_ffff_ffffn;
/** Set in what no process can address, so that it is refused where it is used, and only there. */
const NOWHERE = 1n << 63n;

export interface ThreadSource {
  readonly source: TraceFile;
  readonly chunks: ThreadChunks;
  /** Null: the only process. */
  readonly space: AddressSpace | null;
}

/** The source of the steps of thread `number`. */
export function sourceOf(file: TraceFile, { threads, processes, catalog }: ReplayInput, number: number): ThreadSource {
  const chunks = threads[number];
  if (processes === undefined || chunks.process === undefined) return { source: file, chunks, space: null };
  const process = processes[chunks.process];
  return {
    source: file.beside(process.path),
    chunks,
    space: new AddressSpace(process, catalog, chunks.isFirst === true),
  };
}

/** What `read` throws, with the name of the trace: there are several. */
export function namedBy<T>({ process }: AddressSpace, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TraceError) error.message = `${process.path}: ${error.message}`;
    throw error;
  }
}

export class AddressSpace {
  constructor(
    readonly process: ProcessInput,
    private readonly catalog: Catalog,
    /** Its thread began the process. */
    private readonly isFirst: boolean,
  ) {}

  /** `isStamped`: an event, or a record with the stamp of an atomic. */
  step(step: EventDecoder, isStamped: boolean): void {
    if (step.isRecord) this.record(step);
    if (!step.isRecord || isStamped) this.event(step.events);
  }

  event(events: EventColumn): void {
    switch (events.code) {
      case EventCode.allocate:
        if (events.pool > 0 && events.pool < SPACE_BYTES) events.pool = this.placeNumber(events.pool, events.stamp);
        return this.allocate(events);
      case EventCode.free:
        return this.free(events);
      case EventCode.release:
      case EventCode.acquire:
      case EventCode.both:
        if (events.detail === Sync.threadCreate || events.detail === Sync.threadJoin)
          events.address = this.thread(events.address);
        else if (events.detail !== Sync.file && events.detail !== Sync.process)
          events.address = this.place(events.address, events.stamp);
        return;
      case EventCode.threadStart:
        // A process begins after everything that others had done by then. No THREAD_CREATE says so, hence BLOCKED.
        if (this.isFirst) events.code = EventCode.blocked;
        events.address = this.place(events.address, events.stamp);
        return;
      case EventCode.threadEnd:
        events.address = this.place(events.address, events.stamp);
        return;
      case EventCode.threadLocal:
        events.unit += this.process.firstUnit;
        events.address = this.place(events.address, events.stamp);
        return;
      case EventCode.unseen:
        if (events.detail === Unseen.kernelRange) events.address = this.place(events.address, events.stamp);
    }
  }

  /** The first mapping makes the object of shared memory, as large as anybody has it; the others only come after it. */
  private allocate(events: EventColumn): void {
    const piece = events.detail === Allocator.mmap ? this.pieceAt(events.address, events.stamp) : -1;
    if (piece < 0) {
      events.address = this.place(events.address, events.stamp);
      return;
    }
    const { mappedAt, wholeAt, wholeBytes } = this.process.shared;
    if (wholeBytes[piece] > 0 && Number(events.address) === mappedAt[piece]) {
      events.address = BigInt(wholeAt[piece]);
      events.size = BigInt(wholeBytes[piece]);
    } else events.code = EventCode.blocked;
  }

  /** The object of shared memory lives to the end: others may have it yet, or map it again. */
  private free(events: EventColumn): void {
    if (events.detail === Allocator.mmap && this.pieceAt(events.address, events.stamp) >= 0) {
      events.code = EventCode.time;
      events.cpu = NO_INDEX; // of no CPU
    } else events.address = this.place(events.address, events.stamp);
  }

  private thread(number: bigint): bigint {
    const { threads, base } = this.process;
    return number < BigInt(threads.length) ? BigInt(threads[Number(number)]) : (number + BigInt(base)) & MASK;
  }

  private record(step: EventDecoder): void {
    const { stamp } = step.events;
    if (this.catalog.records.tag[step.record] === RecordTag.allocation) return this.allocationRecord(step, stamp);
    visitAddresses(step, this.catalog, (word, offset) => {
      if (offset === 0) return this.move(step, word, stamp);
      const base = wordOf(step, word);
      const active = (base + BigInt(offset)) & MASK;
      setWord(step, word, base + this.place(active, stamp) - active);
    });
  }

  private allocationRecord(step: EventDecoder, stamp: bigint): void {
    const address = step.hi[0] * TWO_32 + step.lo[0];
    if (step.hi[0] === TWO_32 - 1 && step.lo[0] === TWO_32 - 1) return; // nothing was given out
    const { mappedAt, wholeAt, wholeBytes } = this.process.shared;
    const piece = this.pieceAt(BigInt(address), stamp);
    if (piece < 0 || mappedAt[piece] !== address) return this.move(step, 0, stamp);
    const whole = wholeBytes[piece] > 0 ? wholeAt[piece] : 0;
    step.lo[0] = whole % TWO_32;
    step.hi[0] = Math.floor(whole / TWO_32);
  }

  private move(step: EventDecoder, word: number, stamp: bigint): void {
    const hi = step.hi[word];
    const lo = step.lo[word];
    if (hi >= SPACE_BYTES / TWO_32) {
      step.hi[word] |= 0x8000_0000;
      return;
    }
    const address = hi * TWO_32 + lo;
    const moved = address === 0 ? 0 : this.placeNumber(address, stamp);
    step.lo[word] = moved % TWO_32;
    step.hi[word] = Math.floor(moved / TWO_32);
  }

  private place(address: bigint, stamp: bigint): bigint {
    if (address >= BigInt(SPACE_BYTES)) return address | NOWHERE;
    return address === 0n ? 0n : BigInt(this.placeNumber(Number(address), stamp));
  }

  /** 0 is nowhere in any process. */
  private placeNumber(address: number, stamp: bigint): number {
    const piece = this.process.shared.begin.length === 0 ? -1 : findPiece(this.process.shared, address, stamp);
    const { begin, target } = this.process.shared;
    return piece < 0 ? address + this.process.base : target[piece] + (address - begin[piece]);
  }

  private pieceAt(address: bigint, stamp: bigint): number {
    return address < BigInt(SPACE_BYTES) ? findPiece(this.process.shared, Number(address), stamp) : -1;
  }
}

/** -1: the address is the process's own at that time. */
function findPiece({ begin, end, from, to }: SharedPieces, address: number, stamp: bigint): number {
  let [low, high] = [0, begin.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (begin[middle] <= address) low = middle + 1;
    else high = middle;
  }
  if (low === 0 || address >= end[low - 1]) return -1;
  // Pieces of these bounds, by time; the last one that had begun.
  const bounds = begin[low - 1];
  high = low;
  low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (begin[middle] < bounds || (begin[middle] === bounds && from[middle] <= stamp)) low = middle + 1;
    else high = middle;
  }
  const piece = low - 1;
  return piece >= 0 && begin[piece] === bounds && stamp < to[piece] ? piece : -1;
}
