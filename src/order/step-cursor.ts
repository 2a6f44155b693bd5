// Stage: trace -> replay. One thread's steps over all its chunks, read and unpacked one chunk at a time.

import type { ReplayInput, ThreadChunks } from '../contract/input.js';
import type { RecordTable } from '../contract/catalog.js';
import { EventDecoder } from '../trace/event-decoder.js';
import { EventCode, RecordFlag, RecordTag } from '../trace/layout.js';
import type { PathTable } from '../trace/path-table.js';
import type { TraceFile } from '../trace/trace-file.js';
import { namedBy, sourceOf, type AddressSpace } from './address-space.js';

/** The steps of thread `number` of a replay, in whichever process the thread is. */
export function stepsOf(file: TraceFile, input: ReplayInput, paths: PathTable, number: number): StepCursor {
  const { chunks, source, space } = sourceOf(file, input, number);
  return new StepCursor(source, chunks, paths, space);
}

export class StepCursor {
  /** The current step. */
  readonly step: EventDecoder;
  private readonly records: RecordTable;
  private nextChunk = 0;
  private isOpen = false;

  constructor(
    private readonly file: TraceFile,
    private readonly chunks: ThreadChunks,
    paths: PathTable,
    private readonly space: AddressSpace | null = null,
  ) {
    this.step = new EventDecoder(paths, space?.process);
    this.records = paths.catalog.records;
  }

  next(): boolean {
    if (this.space === null) return this.read();
    if (!namedBy(this.space, () => this.read())) return false;
    this.space.step(this.step, this.isStamped);
    return true;
  }

  private read(): boolean {
    for (;;) {
      if (this.isOpen && this.step.next()) return true;
      if (this.nextChunk === this.chunks.offset.length) return false;
      const offset = this.chunks.offset[this.nextChunk];
      const { bytes, begins } = this.chunks;
      this.step.load(this.file.read(offset, bytes[this.nextChunk]), offset, begins[this.nextChunk]);
      this.nextChunk++;
      this.isOpen = true;
    }
  }

  /** Instructions of the current step if it is a segment, else 0. */
  get instructions(): number {
    return this.isSegment ? this.records.instructions[this.step.record] : 0;
  }

  get isSegment(): boolean {
    return this.step.isRecord && this.records.tag[this.step.record] === RecordTag.segment;
  }

  /** Whether the current step carries a stamp, which is then `step.events.stamp`. */
  get isStamped(): boolean {
    const { step } = this;
    return step.isRecord ? (this.records.flags[step.record] & RecordFlag.stamped) !== 0 : step.events.hasStamp;
  }

  get isAcquire(): boolean {
    if (!this.isStamped) return false;
    const { code } = this.step.events;
    return (
      code === EventCode.acquire ||
      code === EventCode.both ||
      code === EventCode.allocate ||
      code === EventCode.threadStart ||
      code === EventCode.blocked
    );
  }
}
