// Stage: trace -> replay. The releases that threads must wait for: those of every thread, scouted as far as some
// acquire asks, and forgotten once no acquire can ask for them.

import type { ReplayInput } from '../contract/input.js';
import type { EventColumn } from '../trace/event-column.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { Allocator, EventCode, Sync } from '../trace/layout.js';
import { TraceError } from '../trace/trace-error.js';
import type { TraceFile } from '../trace/trace-file.js';
import { sourceOf } from './address-space.js';
import { AllocatedSizes } from './allocated-sizes.js';
import type { LiveHeap } from './order.js';
import type { RangeRelease } from './range-cells.js';
import type { Parallelism } from './parallelism.js';
import { isRenamable, type Renames } from './renames.js';
import { NOT_ISSUED, ReleaseLane, type Release, type Waiter } from './release-lane.js';
import { ReleaseRanges } from './release-ranges.js';
import { Scout } from './scout.js';
import { isAtAddress } from './step-addresses.js';

/** One scouted stamp of a thread and what it releases. */
interface ScoutedStamp {
  readonly stamp: Release;
  readonly objects: readonly { readonly release: Release; readonly lane: ReleaseLane }[];
  readonly range: RangeRelease | null;
}

interface ScoutedThread {
  readonly number: number;
  readonly scout: Scout;
  /** Scouted, not issued. */
  ahead: ScoutedStamp[];
  firstAhead: number;
  /** All stamps of the thread, for BLOCKED. */
  readonly stamps: ReleaseLane;
  /** The scout has no more events; else it stands on the next one. */
  isAtEnd: boolean;
}

type Lanes = Map<number, ReleaseLane>;

export class Releases {
  private readonly threads: ScoutedThread[];
  /** By sync kind, then object, then thread. */
  private readonly objects = Array.from({ length: 16 }, () => new Map<bigint, Lanes>());
  private readonly ranges = new ReleaseRanges();
  private readonly allocated = new AllocatedSizes();

  constructor(
    file: TraceFile,
    input: ReplayInput,
    private readonly heap: LiveHeap,
    private readonly renames: Renames | null,
    private readonly parallelism: Parallelism,
  ) {
    this.threads = input.threads.map((_, number) => {
      const { source, chunks, space } = sourceOf(file, input, number);
      const scout = new Scout(source, chunks, space);
      return { number, scout, ahead: [], firstAhead: 0, stamps: new ReleaseLane(), isAtEnd: !scout.next() };
    });
  }

  /**
   * The clock that the acquire brings, or null if it must wait: then `waiter.waitsFor` falls to 0 when it need no
   * longer.
   */
  acquire(thread: number, step: EventDecoder, waiter: Waiter): number | null {
    const { events } = step;
    const key = events.stamp;
    this.scoutBefore(key);
    const pending: Release[] = [];
    let clock = 0;
    const after = (release: Release | undefined, birth = -1n): void => {
      if (release === undefined || release.key <= birth) return;
      if (release.clock === NOT_ISSUED) pending.push(release);
      else clock = Math.max(clock, release.clock);
    };
    const onObject = (kind: number, object: bigint): void => {
      // What was at this address before its memory was handed out is another object.
      const birth = isAtAddress(kind) ? this.renames?.birthAt(object, key) : undefined;
      this.objects[kind].get(object)?.forEach((lane, number) => {
        if (number !== thread) after(lane.lastBelow(key), birth);
      });
    };
    switch (events.code) {
      case EventCode.blocked:
        this.threads.forEach((other, number) => {
          if (number !== thread) after(other.stamps.lastBelow(key));
        });
        break;
      case EventCode.threadStart:
        onObject(Sync.threadCreate, BigInt(thread));
        if (this.renames === null || pending.length === 0)
          clock = Math.max(clock, this.takeMemory(thread, events, pending));
        break;
      case EventCode.allocate:
        clock = this.takeMemory(thread, events, pending);
        break;
      default:
        onObject(events.detail, events.address);
    }
    if (pending.length === 0) return clock;
    waiter.waitsFor = pending.length;
    for (const release of pending) (release.waiters ??= []).push(waiter);
    return null;
  }

  /**
   * Memory is handed out by an ALLOCATE or to a THREAD_START. What was not given back yet goes to `pending`, or the
   * memory is renamed. Returns the clock that it brings.
   */
  private takeMemory(thread: number, events: EventColumn, pending: Release[]): number {
    const key = events.stamp;
    const [begin, end] = rangeOf(events);
    const birth = this.renames?.birthAt(events.address, key);
    const clock = this.ranges.before(begin, end, key, thread, pending, birth);
    if (this.renames === null || (events.code === EventCode.allocate && events.detail === Allocator.part)) return clock;
    if (pending.length === 0) this.renames.keep(begin, end, key);
    else if (!isRenamable(events) || !this.renames.rename(begin, end, key)) return clock;
    else if (events.code === EventCode.allocate) this.parallelism.renamedBlocks++;
    else this.parallelism.renamedStacks++;
    pending.length = 0;
    return isRenamable(events) ? 0 : clock;
  }

  /** A stamped step is issued at `clock`; true if that lets a waiting thread go on. */
  issue(thread: number, step: EventDecoder, clock: number): boolean {
    const { events } = step;
    const own = this.threads[thread];
    if (events.code === EventCode.free) this.scoutBefore(events.stamp);
    if (own.firstAhead === own.ahead.length) this.scoutOne(own);
    const { stamp, objects, range } = own.ahead[own.firstAhead++];
    if (own.firstAhead > 1024 && own.firstAhead * 2 > own.ahead.length) {
      own.ahead = own.ahead.slice(own.firstAhead);
      own.firstAhead = 0;
    }
    let isAnyFree = wake(stamp, clock);
    if (own.stamps.isLong) own.stamps.prune(this.floor());
    for (const { release, lane } of objects) {
      isAnyFree = wake(release, clock) || isAnyFree;
      if (lane.isLong) lane.prune(this.floor());
    }
    if (range) {
      isAnyFree = wake(range, clock) || isAnyFree;
      const isSizeless = events.code === EventCode.free && events.size === 0n;
      const place = this.renames?.place(range.begin, events.stamp) ?? range.begin;
      this.ranges.issue(
        range,
        range.begin,
        isSizeless ? range.begin + this.heap.sizeAt(place, events.detail) : range.end,
      );
      this.renames?.end(events);
      if (this.ranges.isLong) this.ranges.fold(this.floor());
    }
    return isAnyFree;
  }

  /**
   * All threads' events with smaller keys, in the order of keys: what a free frees is what was allocated there before.
   */
  private scoutBefore(key: bigint): void {
    for (;;) {
      let first: ScoutedThread | null = null;
      for (const thread of this.threads) {
        if (!thread.isAtEnd && (first === null || thread.scout.entry.stamp < first.scout.entry.stamp)) first = thread;
      }
      if (first === null || first.scout.entry.stamp >= key) return;
      this.scoutOne(first);
    }
  }

  private scoutOne(thread: ScoutedThread): void {
    const { number } = thread;
    const { entry } = thread.scout;
    const release = (): Release => ({ key: entry.stamp, thread: number, clock: NOT_ISSUED, waiters: null });
    const stamp = release();
    const objects: { release: Release; lane: ReleaseLane }[] = [];
    let range: RangeRelease | null = null;
    const onObject = (kind: number, object: bigint): void => {
      const one = { release: release(), lane: this.laneOf(kind, object, number) };
      one.lane.push(one.release);
      objects.push(one);
    };
    if (entry.code === EventCode.release || entry.code === EventCode.both) onObject(entry.detail, entry.address);
    if (entry.code === EventCode.threadEnd) onObject(Sync.threadJoin, BigInt(number));
    const isFree = entry.code === EventCode.free && entry.detail !== Allocator.pool;
    if (isFree || entry.code === EventCode.threadEnd) {
      const [begin, end] = rangeOf(entry);
      const sizeBytes = isFree ? this.allocated.free(begin, end - begin, entry.detail) : end - begin;
      range = { ...release(), begin, end: begin + sizeBytes };
      this.ranges.add(range);
    }
    if (entry.code === EventCode.allocate) {
      const [begin, end] = rangeOf(entry);
      this.allocated.allocate(begin, end - begin, entry.detail);
    }
    thread.stamps.push(stamp);
    thread.ahead.push({ stamp, objects, range });
    thread.isAtEnd = !thread.scout.next();
  }

  private laneOf(kind: number, object: bigint, thread: number): ReleaseLane {
    const byObject = this.objects[kind];
    let lanes = byObject.get(object);
    if (!lanes) byObject.set(object, (lanes = new Map()));
    let lane = lanes.get(thread);
    if (!lane) lanes.set(thread, (lane = new ReleaseLane()));
    return lane;
  }

  /** No acquire still to come has a smaller key. */
  private floor(): bigint {
    let floor = 1n << 64n;
    for (const { ahead, firstAhead, isAtEnd, scout } of this.threads) {
      const next = ahead[firstAhead]?.stamp.key ?? (isAtEnd ? floor : scout.entry.stamp);
      if (next < floor) floor = next;
    }
    return floor;
  }
}

function wake(release: Release, clock: number): boolean {
  release.clock = clock;
  let isAnyFree = false;
  for (const waiter of release.waiters ?? []) isAnyFree = --waiter.waitsFor === 0 || isAnyFree;
  release.waiters = null;
  return isAnyFree;
}

/** [begin, end) of ALLOCATE, FREE, THREAD_START and THREAD_END. */
export function rangeOf(entry: EventColumn): [number, number] {
  const end = entry.address + entry.size;
  if (end > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new TraceError(
      `address range of event ${entry.code}, stamp ${entry.stamp}`,
      0,
      'an end below 2^53',
      `0x${end.toString(16)}`,
    );
  }
  return [Number(entry.address), Number(end)];
}
