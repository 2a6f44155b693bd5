// Stage: what-if. Which functions a thread is in, by the records of a run and by those of its excerpts: where it
// matters, excerpts get what they lack. The specification of engine/placing/excerpt_frames.h.

import type { Catalog } from '../contract/catalog.js';
import { CallStacks } from '../sim/call-stacks.js';
import { RecordFlag } from '../trace/layout.js';

/** A record without accesses, by which a thread enters a function, leaves it, or makes a call. */
export interface FrameMove {
  readonly functionId: number;
  /** Of RecordFlag. */
  readonly flags: number;
  /** Row of the catalog's calls. */
  readonly call: number;
}

export class ExcerptFrames {
  private readonly met: CallStacks;
  private readonly written: CallStacks;

  constructor(catalog: Catalog) {
    this.met = new CallStacks(catalog);
    this.written = new CallStacks(catalog);
  }

  /** The run has this record; `isWritten`: so do the excerpts. */
  pass(thread: number, record: number, isWritten: boolean): void {
    this.met.pass(thread, record);
    if (isWritten) this.written.pass(thread, record);
  }

  /** Steps are lost: nobody knows where the thread is. */
  forget(thread: number): void {
    this.met.forget(thread);
    this.written.forget(thread);
  }

  /** What has to be written before the thread's next record, for the excerpts' functions to be the run's. */
  missing(thread: number): FrameMove[] {
    const met = this.met.frames(thread);
    const written = this.written.frames(thread);
    let same = 0; // so many frames stay; the call of the last one may be another
    while (
      same < Math.min(met.length, written.length) &&
      met[same].functionId === written[same].functionId &&
      (same === 0 || met[same - 1].call === written[same - 1].call)
    )
      same++;
    const left = written.slice(same).reverse();
    const moves: FrameMove[] = left.map(({ functionId }) => ({ functionId, flags: RecordFlag.exit, call: 0 }));
    const callOfLast = left.length > 0 ? 0 : written[same - 1]?.call;
    if (same > 0 && met[same - 1].call !== callOfLast) moves.push({ ...met[same - 1], flags: 0 });
    for (const frame of met.slice(same)) moves.push({ ...frame, flags: RecordFlag.entry });
    for (const { functionId, flags, call } of moves) this.written.move(thread, functionId, flags, call);
    return moves;
  }
}
