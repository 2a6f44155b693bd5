// Stage: trace -> replay. The logical schedule: the thread with the smallest instruction clock goes next, recorded synchronisation keeps its order.

import type { ReplayInput } from '../replay/input.js';
import { EventCode, Sync } from '../trace/layout.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { PathTable } from '../trace/path-table.js';
import { TraceError } from '../trace/trace-error.js';
import type { TraceFile } from '../trace/trace-reader.js';
import type { LiveHeap, Order } from './order.js';
import { Releases } from './releases.js';
import { StepCursor } from './step-cursor.js';

interface OrderedThread {
  readonly number: number;
  readonly cursor: StepCursor;
  clock: number;
  /** Whether `cursor` stands on a step that is not issued yet. */
  hasStep: boolean;
  /** The step's acquire is done. */
  hasAcquired: boolean;
  /** An acquire since the last segment had to wait or raised the clock. */
  hadToWait: boolean;
  waitsFor: number;
  isDone: boolean;
}

export class LogicalOrder implements Order {
  thread = 0;
  step: EventDecoder;
  isSegment = false;
  instructions = 0;
  timeBefore = 0;
  time = 0;
  hadToWait = false;

  private readonly threads: OrderedThread[];
  private readonly releases: Releases | null;
  private chosen: OrderedThread | null = null;
  /** The best of the threads that were not chosen: `chosen` goes on while it is before it. */
  private rival: OrderedThread | null = null;

  constructor(file: TraceFile, input: ReplayInput, heap: LiveHeap) {
    const paths = new PathTable(input.catalog);
    this.threads = input.threads.map((chunks, number) => ({
      number, cursor: new StepCursor(file, chunks, paths), clock: 0, hasStep: false, hasAcquired: false, hadToWait: false, waitsFor: 0,
      isDone: chunks.offset.length === 0,
    }));
    const isAlone = this.threads.filter((thread) => !thread.isDone).length < 2;
    this.releases = isAlone ? null : new Releases(file, input.threads, heap);
    this.step = this.threads[0]?.cursor.step ?? new StepCursor(file, { offset: new Float64Array(0), bytes: new Uint32Array(0) }, paths).step;
  }

  next(): boolean {
    for (;;) {
      const thread = this.choose();
      if (!thread) return false;
      if (!thread.hasStep) {
        if (!thread.cursor.next()) {
          thread.isDone = true;
          this.chosen = null;
          continue;
        }
        thread.hasStep = true;
        thread.hasAcquired = false;
      }
      if (this.releases && !thread.hasAcquired && thread.cursor.isAcquire) {
        const before = this.releases.acquire(thread.number, thread.cursor.step, thread);
        if (before === null) {
          thread.hadToWait = true;
          this.chosen = null;
          continue;
        }
        thread.hasAcquired = true;
        if (before > thread.clock) {
          thread.clock = before;
          thread.hadToWait = true;
          if (thread.cursor.step.isRecord) continue; // competes again before the segment is issued
        }
      }
      this.issue(thread);
      return true;
    }
  }

  private issue(thread: OrderedThread): void {
    const { cursor } = thread;
    thread.hasStep = false;
    this.thread = thread.number;
    this.step = cursor.step;
    this.isSegment = cursor.isSegment;
    this.instructions = cursor.instructions;
    this.hadToWait = false;
    if (this.releases && cursor.isStamped && this.releases.issue(thread.number, cursor.step, thread.clock)) this.chosen = null;
    this.timeBefore = this.time;
    if (this.isSegment) {
      this.hadToWait = thread.hadToWait;
      thread.hadToWait = false;
      thread.clock += this.instructions;
      this.time = Math.max(this.time, thread.clock);
    }
  }

  private choose(): OrderedThread | null {
    if (this.chosen && (this.rival === null || isBefore(this.chosen, this.rival))) return this.chosen;
    let best: OrderedThread | null = null;
    let rival: OrderedThread | null = null;
    let isAnyLeft = false;
    for (const thread of this.threads) {
      if (thread.isDone) continue;
      isAnyLeft = true;
      if (thread.waitsFor > 0) continue;
      if (best === null || isBefore(thread, best)) {
        rival = best;
        best = thread;
      } else if (rival === null || isBefore(thread, rival)) rival = thread;
    }
    if (best === null && isAnyLeft) throw this.deadlock();
    this.chosen = best;
    this.rival = rival;
    return best;
  }

  private deadlock(): TraceError {
    const waiting = this.threads.filter((thread) => !thread.isDone);
    const { events } = waiting[0].cursor.step;
    const what = events.code === EventCode.blocked ? 'the return of a system call' : `an acquire (event ${events.code}, sync ${events.detail || Sync.atomic})`;
    return new TraceError(
      `order of the threads: stamp ${events.stamp} of thread ${waiting[0].number}`, 0, 'a thread that need not wait',
      `${waiting.length} threads that wait for each other, the first at ${what}`,
    );
  }
}

function isBefore(a: OrderedThread, b: OrderedThread): boolean {
  return a.clock < b.clock || (a.clock === b.clock && a.number < b.number);
}
