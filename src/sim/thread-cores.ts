// Stage: replay. On which core each thread is: the one that its number says, or that of the CPU it said last.
// docs/replay/order.md, "Cores".

import type { ReplayInput } from '../contract/input.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { EventCode } from '../trace/layout.js';

export class ThreadCores {
  private readonly cores: Uint16Array;
  private readonly coreOf: Uint16Array | undefined;

  constructor({ threads, machine, cpus }: ReplayInput) {
    this.cores = Uint16Array.from(threads, (_, thread) => cpus?.first[thread] ?? thread % machine.cores);
    this.coreOf = cpus?.coreOf;
  }

  of(thread: number): number {
    return this.cores[thread] ?? 0; // a trace may have no threads
  }

  /** The thread's steps behind this one may be on another core. */
  pass(thread: number, { isRecord, events }: EventDecoder): void {
    if (this.coreOf === undefined || isRecord || events.code !== EventCode.time) return;
    this.cores[thread] = this.coreOf[events.cpu] ?? this.cores[thread];
  }
}
