// Stage: trace -> replay. When threads run, and what they wait for: docs/replay/order.md, "Parallelism".

import { WAIT_CAUSES, WaitCause, type ParallelismTable } from '../contract/parallelism.js';
import type { EventColumn } from '../trace/event-column.js';
import { EventCode } from '../trace/layout.js';

export class Parallelism {
  private readonly threads = new Set<number>();
  private readonly running = new Set<number>();
  /** By time: how many threads more run from then on. */
  private readonly changes = new Map<number, number>();
  private from = 0;
  private readonly waits = new Array<number>(WAIT_CAUSES).fill(0);
  private readonly waited = new Array<number>(WAIT_CAUSES).fill(0);
  renamedBlocks = 0;
  renamedStacks = 0;

  /** A thread issues a step. */
  run(thread: number, clock: number): void {
    if (this.running.has(thread)) return;
    this.threads.add(thread);
    this.running.add(thread);
    this.change(clock, 1);
  }

  /** It has to wait, is raised from this clock, or is done. */
  stop(thread: number, clock: number): void {
    if (this.running.delete(thread)) this.change(clock, -1);
  }

  /** Its clock is raised by the acquire. That of a THREAD_START begins there. */
  wait({ code, detail }: EventColumn, raisedBy: number): void {
    if (code === EventCode.threadStart) return;
    const cause =
      code === EventCode.allocate ? WaitCause.allocation : code === EventCode.blocked ? WaitCause.blocked : detail;
    this.waits[cause]++;
    this.waited[cause] += raisedBy;
  }

  /** A window begins: only what comes counts. */
  restart(time: number): void {
    this.from = time;
    this.waits.fill(0);
    this.waited.fill(0);
    this.renamedBlocks = this.renamedStacks = 0;
  }

  /** Null: there was one thread. `until`: replay time at the end. */
  freeze(until: number): ParallelismTable | null {
    if (this.threads.size < 2) return null;
    const running: number[] = [];
    let count = 0;
    let at = 0;
    const pass = (time: number): void => {
      const passed = Math.min(time, until) - Math.max(at, this.from);
      if (passed > 0) running[count] = (running[count] ?? 0) + passed;
      at = time;
    };
    for (const [time, change] of [...this.changes].sort(([a], [b]) => a - b)) {
      pass(time);
      count += change;
    }
    pass(until);
    return {
      running: Array.from(running, (time) => time ?? 0),
      waits: this.waits,
      waited: this.waited,
      renamedBlocks: this.renamedBlocks,
      renamedStacks: this.renamedStacks,
    };
  }

  private change(time: number, by: number): void {
    this.changes.set(time, (this.changes.get(time) ?? 0) + by);
  }
}
