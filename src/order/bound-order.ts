// Stage: trace -> replay. Threads with clocks that keep recorded synchronisation: what schedules have in common that
// let them wait for one another. Which of the threads that need not wait goes next is each schedule's own
// (logical-order.ts, random-order.ts).

import { NO_CHUNKS, type ReplayInput } from '../contract/input.js';
import { EventCode, Sync } from '../trace/layout.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { PathTable } from '../trace/path-table.js';
import { TraceError } from '../trace/trace-error.js';
import type { TraceFile } from '../trace/trace-file.js';
import type { LiveHeap, Order } from './order.js';
import { Parallelism } from './parallelism.js';
import type { Renames } from './renames.js';
import { Releases } from './releases.js';
import { StepCursor, stepsOf } from './step-cursor.js';

export interface OrderedThread {
  readonly number: number;
  readonly cursor: StepCursor;
  clock: number;
  /** Of its last issued stamp; -1: none. */
  key: bigint;
  /** Whether `cursor` stands on a step that is not issued yet. */
  hasStep: boolean;
  /** The step's acquire is done. */
  hasAcquired: boolean;
  /** How far it raised the clock. */
  raisedBy: number;
  /** An acquire since the last segment had to wait or raised the clock. */
  hadToWait: boolean;
  waitsFor: number;
  isDone: boolean;
}

export abstract class BoundOrder implements Order {
  readonly parallelism = new Parallelism();
  thread = 0;
  step: EventDecoder;
  isSegment = false;
  instructions = 0;
  timeBefore = 0;
  time = 0;
  clock = 0;
  raisedBy = 0;
  hadToWait = false;

  protected readonly threads: OrderedThread[];
  private readonly releases: Releases | null;

  /** `renames`: of a schedule in which memory does not wait. */
  constructor(
    file: TraceFile,
    input: ReplayInput,
    heap: LiveHeap,
    private readonly renames: Renames | null = null,
  ) {
    const paths = new PathTable(input.catalog);
    this.threads = input.threads.map((chunks, number) => ({
      number,
      cursor: stepsOf(file, input, paths, number),
      clock: 0,
      key: -1n,
      hasStep: false,
      hasAcquired: false,
      raisedBy: 0,
      hadToWait: false,
      waitsFor: 0,
      isDone: chunks.offset.length === 0,
    }));
    const isAlone = this.threads.filter((thread) => !thread.isDone).length < 2;
    this.releases = isAlone ? null : new Releases(file, input, heap, renames, this.parallelism);
    this.step = this.threads[0]?.cursor.step ?? new StepCursor(file, NO_CHUNKS, paths).step;
  }

  /**
   * The thread to go next, before every step; null: no thread is able to. It may have no step left, or have to wait.
   */
  protected abstract choose(): OrderedThread | null;
  /** The chosen thread can not go on: it is done, or waits. */
  protected abstract stop(): void;
  /**
   * The chosen thread issued a step of so many instructions; `isAnyFree`: that let a thread go on which had to wait.
   */
  protected abstract pass(instructions: number, isAnyFree: boolean): void;

  next(): boolean {
    this.renames?.forget();
    for (;;) {
      const thread = this.choose();
      if (!thread) {
        if (this.threads.some((waiting) => !waiting.isDone)) throw this.deadlock();
        return false;
      }
      if (!thread.hasStep) {
        if (!thread.cursor.next()) {
          thread.isDone = true;
          this.parallelism.stop(thread.number, thread.clock);
          this.stop();
          continue;
        }
        thread.hasStep = true;
        thread.hasAcquired = false;
        thread.raisedBy = 0;
      }
      if (this.releases && !thread.hasAcquired && thread.cursor.isAcquire) {
        const before = this.releases.acquire(thread.number, thread.cursor.step, thread);
        if (before === null) {
          thread.hadToWait = true;
          this.parallelism.stop(thread.number, thread.clock);
          this.stop();
          continue;
        }
        thread.hasAcquired = true;
        if (before > thread.clock) {
          thread.raisedBy = before - thread.clock;
          this.parallelism.stop(thread.number, thread.clock);
          this.parallelism.wait(thread.cursor.step.events, thread.raisedBy);
          thread.clock = before;
          thread.hadToWait = true;
          if (thread.cursor.step.isRecord) continue; // chosen again, or not, before the segment is issued
        }
      }
      this.issue(thread);
      return true;
    }
  }

  place(): void {
    if (this.renames && !this.renames.isEmpty) this.renames.placeStep(this.step, this.threads[this.thread].key);
  }

  private issue(thread: OrderedThread): void {
    const { cursor } = thread;
    thread.hasStep = false;
    this.parallelism.run(thread.number, thread.clock);
    this.thread = thread.number;
    this.step = cursor.step;
    this.isSegment = cursor.isSegment;
    this.instructions = cursor.instructions;
    this.hadToWait = false;
    if (cursor.isStamped) thread.key = cursor.step.events.stamp;
    this.clock = thread.clock;
    this.raisedBy = thread.raisedBy;
    const isAnyFree =
      this.releases !== null && cursor.isStamped && this.releases.issue(thread.number, cursor.step, thread.clock);
    this.timeBefore = this.time;
    if (this.isSegment) {
      this.hadToWait = thread.hadToWait;
      thread.hadToWait = false;
      thread.clock += this.instructions;
      this.time = Math.max(this.time, thread.clock);
    }
    this.pass(this.instructions, isAnyFree);
  }

  private deadlock(): TraceError {
    const waiting = this.threads.filter((thread) => !thread.isDone);
    const { events } = waiting[0].cursor.step;
    const what =
      events.code === EventCode.blocked
        ? 'the return of a system call'
        : `an acquire (event ${events.code}, sync ${events.detail || Sync.atomic})`;
    return new TraceError(
      `order of the threads: stamp ${events.stamp} of thread ${waiting[0].number}`,
      0,
      'a thread that need not wait',
      `${waiting.length} threads that wait for each other, the first at ${what}`,
    );
  }
}
