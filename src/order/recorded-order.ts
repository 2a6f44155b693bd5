// Stage: trace -> replay. The recorded schedule: recorded time decides; between two stamps of a thread, positions
// interpolate by instruction count.

import { NO_CHUNKS, type ReplayInput } from '../contract/input.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { PathTable } from '../trace/path-table.js';
import type { TraceFile } from '../trace/trace-file.js';
import type { Order } from './order.js';
import { StepCursor, stepsOf } from './step-cursor.js';

/** Gives the steps of one thread their times; a second cursor runs ahead to the next stamp. */
class TimedThread {
  clock = 0;
  hasStep = false;
  isDone = false;
  /** The time of the step that `cursor` stands on. */
  time = 0n;
  readonly cursor: StepCursor;
  private readonly ahead: StepCursor;
  /** Instructions up to the current step, the last stamp, and the next one. */
  private position = 0;
  private fromPosition = 0;
  private toPosition = 0;
  private fromStamp: bigint | null = null;
  private toStamp: bigint | null = null;

  constructor(
    file: TraceFile,
    input: ReplayInput,
    paths: PathTable,
    readonly number: number,
  ) {
    this.cursor = stepsOf(file, input, paths, number);
    this.ahead = stepsOf(file, input, paths, number);
    this.findNextStamp();
  }

  load(): boolean {
    if (!this.cursor.next()) return false;
    this.hasStep = true;
    if (this.cursor.isStamped) {
      this.time = this.cursor.step.events.stamp;
      this.fromStamp = this.time;
      this.fromPosition = this.position;
      this.findNextStamp();
    } else this.time = this.interpolate();
    this.position += this.cursor.instructions;
    return true;
  }

  private interpolate(): bigint {
    const { fromStamp, toStamp } = this;
    if (fromStamp === null || toStamp === null) return fromStamp ?? toStamp ?? 0n;
    if (this.toPosition === this.fromPosition) return fromStamp;
    return (
      fromStamp +
      ((toStamp - fromStamp) * BigInt(this.position - this.fromPosition)) / BigInt(this.toPosition - this.fromPosition)
    );
  }

  /** `toPosition` already counts the segment that carries the last stamp. */
  private findNextStamp(): void {
    while (this.ahead.next()) {
      const isStamped = this.ahead.isStamped;
      const position = this.aheadPosition;
      this.aheadPosition += this.ahead.instructions;
      if (isStamped) {
        this.toStamp = this.ahead.step.events.stamp;
        this.toPosition = position;
        return;
      }
    }
    this.toStamp = null;
  }

  private aheadPosition = 0;
}

export class RecordedOrder implements Order {
  readonly parallelism = null;
  thread = 0;
  step: EventDecoder;
  isSegment = false;
  instructions = 0;
  timeBefore = 0;
  time = 0;
  clock = 0;
  /** Recorded time of the step. */
  stamp = 0n;
  readonly raisedBy = 0;
  readonly hadToWait = false;

  private readonly threads: TimedThread[];

  constructor(file: TraceFile, input: ReplayInput) {
    const paths = new PathTable(input.catalog);
    this.threads = input.threads.map((_, number) => new TimedThread(file, input, paths, number));
    this.step = this.threads[0]?.cursor.step ?? new StepCursor(file, NO_CHUNKS, paths).step;
  }

  /** What was recorded is where it was. */
  place(): void {}

  next(): boolean {
    let first: TimedThread | null = null;
    for (const thread of this.threads) {
      if (thread.isDone) continue;
      if (!thread.hasStep && !thread.load()) {
        thread.isDone = true;
        continue;
      }
      if (first === null || thread.time < first.time) first = thread;
    }
    if (first === null) return false;
    const { cursor } = first;
    first.hasStep = false;
    this.thread = first.number;
    this.stamp = first.time;
    this.step = cursor.step;
    this.isSegment = cursor.isSegment;
    this.instructions = cursor.instructions;
    this.timeBefore = this.time;
    this.clock = first.clock;
    first.clock += this.instructions;
    this.time = Math.max(this.time, first.clock);
    return true;
  }
}
