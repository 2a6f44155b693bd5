// Stage: trace -> replay. The logical schedule: the thread with the smallest instruction clock goes next, recorded
// synchronisation keeps its order.

import type { ReplayInput } from '../contract/input.js';
import type { TraceFile } from '../trace/trace-file.js';
import { BoundOrder, type OrderedThread } from './bound-order.js';
import type { LiveHeap } from './order.js';
import { Renames } from './renames.js';

export class LogicalOrder extends BoundOrder {
  private chosen: OrderedThread | null = null;
  /** The best of the threads that were not chosen: `chosen` goes on while it is before it. */
  private rival: OrderedThread | null = null;

  constructor(file: TraceFile, input: ReplayInput, heap: LiveHeap) {
    super(file, input, heap, new Renames(input.catalog, input.processes));
  }

  protected choose(): OrderedThread | null {
    if (this.chosen && (this.rival === null || isBefore(this.chosen, this.rival))) return this.chosen;
    let best: OrderedThread | null = null;
    let rival: OrderedThread | null = null;
    for (const thread of this.threads) {
      if (thread.isDone || thread.waitsFor > 0) continue;
      if (best === null || isBefore(thread, best)) {
        rival = best;
        best = thread;
      } else if (rival === null || isBefore(thread, rival)) rival = thread;
    }
    this.chosen = best;
    this.rival = rival;
    return best;
  }

  protected stop(): void {
    this.chosen = null;
  }

  /** A thread that need not wait any more may come before the chosen thread. */
  protected pass(_instructions: number, isAnyFree: boolean): void {
    if (isAnyFree) this.chosen = null;
  }
}

function isBefore(a: OrderedThread, b: OrderedThread): boolean {
  return a.clock < b.clock || (a.clock === b.clock && a.number < b.number);
}
