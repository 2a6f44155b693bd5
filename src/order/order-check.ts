// Stage: order -> check. Decides whether a sequence of steps could have happened, as far as the trace says: every step
// of every thread once and in its order, and every release before the acquires that followed it in recorded time. It
// uses stamps and events alone, so it can prove any schedule, and any scheduler, wrong: docs/replay/order.md, 2 to 4.

import type { ReplayInput } from '../contract/input.js';
import type { EventColumn } from '../trace/event-column.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { Allocator, EventCode, Sync } from '../trace/layout.js';
import { PathTable } from '../trace/path-table.js';
import type { TraceFile } from '../trace/trace-file.js';
import { LatestKeys, LatestKeysByRange } from './latest-keys.js';
import { MemoryBirths } from './memory-births.js';
import { isRenamable } from './renames.js';
import { isAtAddress } from './step-addresses.js';
import { stepsOf, type StepCursor } from './step-cursor.js';

/** One step of a sequence: whose it is, and a number that hardly any other step has. */
export interface IssuedStep {
  readonly thread: number;
  readonly print: number;
}

export interface OrderVerdict {
  readonly steps: number;
  readonly acquires: number;
  readonly releases: number;
  readonly violations: number;
  /** The first few, in words. */
  readonly examples: readonly string[];
}

const MOST_EXAMPLES = 10;
const WITH_RANGE = new Set<number>([EventCode.allocate, EventCode.free, EventCode.threadStart, EventCode.threadEnd]);

export function checkOrder(file: TraceFile, input: ReplayInput, sequence: Iterable<IssuedStep>): OrderVerdict {
  return new OrderCheck(file, input).run(sequence);
}

export function fingerprint(step: EventDecoder): number {
  const { events } = step;
  let print = 0;
  const mix = (half: number): void => {
    print = Math.imul(print ^ half, 0x85ebca6b);
    print = Math.imul(print ^ (print >>> 13), 0xc2b2ae35) + 1;
  };
  mix(step.isRecord ? step.record + 1 : 0);
  for (let word = 0; word < step.words && step.isRecord; word++) {
    mix(step.lo[word]);
    mix(step.hi[word]);
  }
  if (!step.isRecord) {
    for (const part of [
      BigInt(events.code),
      BigInt(events.detail),
      events.stamp,
      events.address,
      events.size,
      events.number,
    ]) {
      mix(Number(part & 0xffff_ffffn));
      mix(Number((part >> 32n) & 0xffff_ffffn));
    }
  }
  return print >>> 0;
}

interface Range {
  readonly begin: number;
  readonly end: number;
}

class OrderCheck {
  private readonly cursors: StepCursor[];
  /** The acquires that were issued: by sync kind and object, by address, and those that wait for everything. */
  private readonly objects = new Map<string, LatestKeys>();
  private readonly ranges: LatestKeysByRange;
  /** Where memory is renamed, what was at an address before its memory was handed out is another object. */
  private readonly births: MemoryBirths | null;
  /** By key and thread: where the memory of an acquire begins. */
  private readonly acquired = new Map<string, number>();
  private readonly blocked = new LatestKeys();
  /** By thread, then stamp: bytes of the frees that do not say what they free. */
  private readonly freed: readonly ReadonlyMap<bigint, number>[];
  private acquires = 0;
  private releases = 0;
  private violations = 0;
  private readonly examples: string[] = [];

  constructor(
    private readonly file: TraceFile,
    private readonly input: ReplayInput,
  ) {
    const { bounds, freed, births } = surveyRanges(this.openThreads());
    this.ranges = new LatestKeysByRange(bounds);
    this.freed = freed;
    this.births = input.schedule.kind === 'logical' ? new MemoryBirths(births) : null;
    this.cursors = this.openThreads();
  }

  run(sequence: Iterable<IssuedStep>): OrderVerdict {
    let steps = 0;
    for (const { thread, print } of sequence) {
      steps++;
      const cursor = this.cursors[thread];
      if (!cursor?.next()) {
        this.report(`step ${steps} is of thread ${thread}, which has no more`);
        continue;
      }
      if (fingerprint(cursor.step) !== print) this.report(`step ${steps} is not the next one of thread ${thread}`);
      if (cursor.isStamped) this.stamped(thread, cursor.step.events);
    }
    this.cursors.forEach((cursor, thread) => {
      if (cursor.next()) this.report(`thread ${thread} has steps that were not issued`);
    });
    const { acquires, releases, violations, examples } = this;
    return { steps, acquires, releases, violations, examples };
  }

  private stamped(thread: number, events: EventColumn): void {
    const late = this.blocked.above(events.stamp, thread);
    if (late)
      this.report(
        `thread ${thread}, stamp ${events.stamp}, comes after a system call of thread ${late.thread} that ` +
          `returned at ${late.key}`,
      );
    switch (events.code) {
      case EventCode.blocked:
        this.acquires++;
        this.blocked.add(thread, events.stamp);
        return;
      case EventCode.acquire:
        return this.acquire(thread, events.detail, events.address, events.stamp);
      case EventCode.release:
        return this.release(thread, events.detail, events.address, events.stamp);
      case EventCode.both:
        this.release(thread, events.detail, events.address, events.stamp);
        return this.acquire(thread, events.detail, events.address, events.stamp);
      case EventCode.threadStart:
        this.acquire(thread, Sync.threadCreate, BigInt(thread), events.stamp);
        return this.acquireRange(thread, events);
      case EventCode.allocate:
        return this.acquireRange(thread, events);
      case EventCode.threadEnd:
        this.release(thread, Sync.threadJoin, BigInt(thread), events.stamp);
        return this.releaseRange(thread, events);
      case EventCode.free:
        if (events.detail !== Allocator.pool) this.releaseRange(thread, events);
    }
  }

  private acquire(thread: number, kind: number, object: bigint, key: bigint): void {
    this.acquires++;
    this.latestOf(kind, object, key).add(thread, key);
  }

  private release(thread: number, kind: number, object: bigint, key: bigint): void {
    this.releases++;
    this.releaseBefore(
      thread,
      key,
      this.latestOf(kind, object, key).above(key, thread),
      `sync ${kind} of 0x${object.toString(16)}`,
    );
  }

  private acquireRange(thread: number, events: EventColumn): void {
    const { begin, end } = rangeOf(events);
    if (begin >= end || (this.births && isRenamable(events))) return;
    this.acquires++;
    this.acquired.set(`${events.stamp} ${thread}`, begin);
    this.ranges.add(begin, end, thread, events.stamp);
  }

  private releaseRange(thread: number, events: EventColumn): void {
    const { begin, end } = rangeOf(events, this.freed[thread].get(events.stamp));
    if (begin >= end) return;
    this.releases++;
    const acquire = this.ranges.above(begin, end, events.stamp, thread);
    const isOfOther =
      acquire !== null &&
      this.births !== null &&
      this.births.lastBefore(this.acquired.get(`${acquire.key} ${acquire.thread}`)!, acquire.key) > events.stamp;
    this.releaseBefore(
      thread,
      events.stamp,
      isOfOther ? null : acquire,
      `memory at 0x${begin.toString(16)}, ${end - begin} bytes`,
    );
  }

  private releaseBefore(
    thread: number,
    key: bigint,
    acquire: { thread: number; key: bigint } | null,
    what: string,
  ): void {
    if (acquire)
      this.report(
        `the release of ${what} by thread ${thread}, stamp ${key}, comes after an acquire by thread ` +
          `${acquire.thread}, stamp ${acquire.key}`,
      );
  }

  private latestOf(kind: number, object: bigint, key: bigint): LatestKeys {
    const birth = isAtAddress(kind) ? (this.births?.lastBefore(Number(object), key) ?? -1n) : -1n;
    const name = `${kind} ${object} ${birth}`;
    let latest = this.objects.get(name);
    if (!latest) this.objects.set(name, (latest = new LatestKeys()));
    return latest;
  }

  private openThreads(): StepCursor[] {
    const paths = new PathTable(this.input.catalog);
    return this.input.threads.map((_, number) => stepsOf(this.file, this.input, paths, number));
  }

  private report(what: string): void {
    this.violations++;
    if (this.examples.length < MOST_EXAMPLES) this.examples.push(what);
  }
}

/**
 * Finds the bounds of all ranges, the memory that may be renamed, and the size of each free that does not say it: the
 * size of the last allocation at its address, in recorded time.
 */
function surveyRanges(cursors: readonly StepCursor[]): {
  bounds: Set<number>;
  freed: Map<bigint, number>[];
  births: (Range & { key: bigint })[];
} {
  const births: (Range & { key: bigint })[] = [];
  const bounds = new Set<number>();
  const heap: { thread: number; key: bigint; layer: number; address: number; sizeBytes: number; isFree: boolean }[] =
    [];
  for (const [thread, cursor] of cursors.entries()) {
    while (cursor.next()) {
      const { events } = cursor.step;
      if (!cursor.isStamped || !WITH_RANGE.has(events.code)) continue;
      const { begin, end } = rangeOf(events);
      bounds.add(begin).add(end);
      const isTaken = events.code === EventCode.allocate || events.code === EventCode.threadStart;
      if (isTaken && isRenamable(events)) births.push({ begin, end, key: events.stamp });
      if (events.code === EventCode.allocate || (events.code === EventCode.free && events.detail !== Allocator.pool)) {
        heap.push({
          thread,
          key: events.stamp,
          layer: Number(events.detail === Allocator.part),
          address: begin,
          sizeBytes: end - begin,
          isFree: events.code === EventCode.free,
        });
      }
    }
  }
  heap.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const live = [new Map<number, number>(), new Map<number, number>()];
  const freed = cursors.map(() => new Map<bigint, number>());
  for (const { thread, key, layer, address, sizeBytes, isFree } of heap) {
    if (isFree && sizeBytes === 0) {
      const known = live[layer].get(address) || 1;
      freed[thread].set(key, known);
      bounds.add(address + known);
    }
    if (isFree) live[layer].delete(address);
    else live[layer].set(address, sizeBytes);
  }
  return { bounds, freed, births };
}

function rangeOf({ address, size }: EventColumn, sizeBytes = Number(size)): Range {
  return { begin: Number(address), end: Number(address) + sizeBytes };
}
