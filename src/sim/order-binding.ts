// Stage: replay. What makes the order of a thread's references the recording's and not the program's: locks that it
// holds, a system call that it waited in, a message.

import type { EventColumn } from '../trace/event-column.js';
import { EventCode, Sync } from '../trace/layout.js';

const LOCKS: readonly number[] = [Sync.mutex, Sync.rwlock, Sync.spinlock, Sync.semaphore];
/** All threads of a team, or a thread and its creator, begin anew at the same time. */
const MEETINGS: readonly number[] = [Sync.barrier, Sync.team, Sync.threadCreate, Sync.threadJoin];

export class OrderBinding {
  private readonly held: (Map<string, number> | undefined)[] = [];
  /** Threads that waited in a system call, or read a message, and met no other since. */
  private readonly waited = new Set<number>();

  isBound(thread: number): boolean {
    return (this.held[thread]?.size ?? 0) > 0 || this.waited.has(thread);
  }

  forget(thread: number): void {
    this.held[thread] = undefined;
    this.waited.delete(thread);
  }

  event(thread: number, { code, detail, address }: EventColumn): void {
    if (code === EventCode.blocked) this.waited.add(thread);
    if (code !== EventCode.acquire && code !== EventCode.release) return;
    if (code === EventCode.acquire && detail === Sync.file) this.waited.add(thread);
    if (MEETINGS.includes(detail)) this.waited.delete(thread);
    if (!LOCKS.includes(detail)) return;
    const own = (this.held[thread] ??= new Map());
    const key = `${detail} ${address}`;
    const count = (own.get(key) ?? 0) + (code === EventCode.acquire ? 1 : -1);
    if (count > 0) own.set(key, count);
    else own.delete(key);
  }
}
