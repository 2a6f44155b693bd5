// Stage: replay. Which threads hold a lock: what makes the order of their references the recording's and not the
// program's.

import type { EventColumn } from '../trace/event-column.js';
import { EventCode, Sync } from '../trace/layout.js';

const LOCKS: readonly number[] = [Sync.mutex, Sync.rwlock, Sync.spinlock, Sync.semaphore];

export class HeldLocks {
  private readonly held: (Map<string, number> | undefined)[] = [];

  holdsAny(thread: number): boolean {
    return (this.held[thread]?.size ?? 0) > 0;
  }

  forget(thread: number): void {
    this.held[thread] = undefined;
  }

  event(thread: number, { code, detail, address }: EventColumn): void {
    if (!LOCKS.includes(detail) || (code !== EventCode.acquire && code !== EventCode.release)) return;
    const own = (this.held[thread] ??= new Map());
    const key = `${detail} ${address}`;
    const count = (own.get(key) ?? 0) + (code === EventCode.acquire ? 1 : -1);
    if (count > 0) own.set(key, count);
    else own.delete(key);
  }
}
