// Stage: replay. Acquisitions and releases of locks, and references between them, to what each lock costs.
// docs/threads.md, "Locks". Locks that read the same are one row from the start: many lie in objects that come and go.

import {
  LOCK_CALLER_COLUMNS,
  LOCK_COLUMNS,
  LOCK_DATA_COLUMNS,
  LOCK_THREAD_COLUMNS,
  type LockTables,
} from '../contract/threads-result.js';
import type { Catalog } from '../contract/catalog.js';
import type { EventColumn } from '../trace/event-column.js';
import { EventCode, Sync } from '../trace/layout.js';
import type { Labels } from './labels.js';
import type { Objects } from './objects.js';
import { FALSE_SHARING, TRUE_SHARING, type Miss } from './miss-classifier.js';
import type { SimObject } from './sim-object.js';
import { tableOf } from './table.js';
import { leafOfByte } from './typing.js';

/** Locks that belong to whoever acquired them last; a semaphore may be posted by anybody. */
const HELD: readonly number[] = [Sync.mutex, Sync.rwlock, Sync.spinlock];

interface Data {
  readonly label: number;
  references: number;
  misses: number;
  trueSharing: number;
  falseSharing: number;
}

interface Lock {
  readonly kind: number;
  readonly label: number;
  readonly leaf: number;
  readonly variable: number;
  locks: number;
  acquisitions: number;
  waits: number;
  wait: number;
  longestWait: number;
  holds: number;
  hold: number;
  longestHold: number;
  /** Acquisitions. */
  readonly byThread: Map<number, number>;
  readonly byPath: Map<string, number>;
  readonly data: Map<number, Data>;
}

const NOTHING_YET = {
  ...{ locks: 0, acquisitions: 0, waits: 0, wait: 0, longestWait: 0 },
  ...{ holds: 0, hold: 0, longestHold: 0 },
};

/** By one thread. */
interface Hold {
  readonly object: string;
  readonly lock: Lock;
  /** Acquisitions less releases. */
  depth: number;
  readonly since: number;
}

/** By one thread, of a semaphore: a hold if the thread itself posts it next. */
interface SemaphoreWait {
  readonly lock: Lock;
  readonly since: number;
}

export class LockAccounts {
  private readonly rows: Lock[] = [];
  private readonly byName = new Map<string, Lock>();
  /** By life of the object that they lie in, 0 none: those that were acquired, by kind and address. */
  private readonly known = new Map<number, Map<string, Lock>>();
  /** By thread, in the order in which their holds began. */
  private readonly held: (Hold[] | undefined)[] = [];
  /** By thread and semaphore: the last wait, if the thread has not posted it since. */
  private readonly waited: (Map<string, SemaphoreWait> | undefined)[] = [];

  constructor(
    private readonly catalog: Catalog,
    private readonly objects: Objects,
    private readonly labels: Labels,
  ) {}

  /**
   * `clock`: the thread's, `raisedBy`: how far the event raised it. `path`: the functions that the thread is in, asked
   * for where it matters.
   */
  event(
    thread: number,
    { code, detail, address }: EventColumn,
    clock: number,
    raisedBy: number,
    path: () => readonly number[],
  ): void {
    if (detail !== Sync.semaphore && !HELD.includes(detail)) return;
    const object = `${detail} ${address}`;
    if (code === EventCode.release) this.release(thread, object, clock);
    if (code !== EventCode.acquire) return;
    const lock = this.lockAt(detail, address, object);
    lock.acquisitions++;
    lock.byThread.set(thread, (lock.byThread.get(thread) ?? 0) + 1);
    const key = path().join(' ');
    lock.byPath.set(key, (lock.byPath.get(key) ?? 0) + 1);
    if (raisedBy > 0) {
      lock.waits++;
      lock.wait += raisedBy;
      lock.longestWait = Math.max(lock.longestWait, raisedBy);
    }
    if (HELD.includes(detail)) this.hold(thread, object, lock, clock);
    else (this.waited[thread] ??= new Map()).set(object, { lock, since: clock });
  }

  /** By a thread, whatever lock it holds; `misses` by level. It counts for the innermost lock held. */
  reference(thread: number, slot: number, object: SimObject | null, misses: readonly Miss[]): void {
    const innermost = this.held[thread]?.at(-1);
    if (innermost === undefined) return;
    const { data } = innermost.lock;
    const label = this.labels.ofReference(slot, object);
    let of = data.get(label);
    if (!of) data.set(label, (of = { label, references: 0, misses: 0, trueSharing: 0, falseSharing: 0 }));
    of.references++;
    if (misses.length === 0) return;
    of.misses++;
    if (misses[0].missClass === TRUE_SHARING) of.trueSharing++;
    if (misses[0].missClass === FALSE_SHARING) of.falseSharing++;
  }

  endLife(object: SimObject): void {
    this.known.delete(object.lifeNumber);
  }

  /** What the thread holds is not known any more: those holds are counted nowhere. */
  forgetHolds(thread: number): void {
    this.held[thread] = undefined;
    this.waited[thread] = undefined;
  }

  /** A window begins: what is held stays held. */
  restart(): void {
    this.known.clear();
    for (const lock of this.rows) {
      Object.assign(lock, NOTHING_YET);
      lock.byThread.clear();
      lock.byPath.clear();
      lock.data.clear();
    }
  }

  /** There was nobody to wait for. */
  forget(): void {
    this.rows.length = 0;
    this.held.length = 0;
    this.waited.length = 0;
  }

  /** `pathOf`: number of a call path. */
  freeze(pathOf: (path: readonly number[]) => number): LockTables {
    const { rows } = this;
    const unreleased = new Map<Lock, number>();
    for (const { lock } of this.held.flatMap((holds) => holds ?? []))
      unreleased.set(lock, (unreleased.get(lock) ?? 0) + 1);
    const byThread = rows.flatMap(({ byThread: counts }, lock) =>
      [...counts].map(([thread, acquisitions]) => ({ lock, thread, acquisitions })),
    );
    const byPath = rows.flatMap(({ byPath: counts }, lock) =>
      [...counts].map(([path, acquisitions]) => {
        return { lock, path: pathOf(path.split(' ').map(Number)), acquisitions };
      }),
    );
    const data = rows.flatMap(({ data: all }, lock) => [...all.values()].map((of) => ({ lock, ...of })));
    return {
      locks: tableOf(
        rows.map((row) => ({ ...row, unreleased: unreleased.get(row) ?? 0 })),
        LOCK_COLUMNS,
      ),
      lockThreads: tableOf(byThread, LOCK_THREAD_COLUMNS),
      lockCallers: tableOf(byPath, LOCK_CALLER_COLUMNS),
      lockData: tableOf(data, LOCK_DATA_COLUMNS),
    };
  }

  private hold(thread: number, object: string, lock: Lock, clock: number): void {
    const holds = (this.held[thread] ??= []);
    const known = holds.find((hold) => hold.object === object);
    if (known) known.depth++;
    else holds.push({ object, lock, depth: 1, since: clock });
  }

  private release(thread: number, object: string, clock: number): void {
    const waited = this.waited[thread]?.get(object);
    if (waited !== undefined) {
      this.waited[thread]?.delete(object);
      return endHold(waited, clock);
    }
    const holds = this.held[thread] ?? [];
    const at = holds.findIndex((hold) => hold.object === object);
    if (at === -1 || --holds[at].depth > 0) return;
    endHold(holds.splice(at, 1)[0], clock);
  }

  /** The row of the lock, which it gets when it is acquired first in the life of the object that it lies in. */
  private lockAt(kind: number, address: bigint, object: string): Lock {
    const at = address > BigInt(Number.MAX_SAFE_INTEGER) ? null : this.objects.find(Number(address));
    const life = at?.lifeNumber ?? 0;
    let known = this.known.get(life);
    if (!known) this.known.set(life, (known = new Map()));
    let lock = known.get(object);
    if (!lock) {
      known.set(object, (lock = this.lockNamed(kind, at, Number(address))));
      lock.locks++;
    }
    return lock;
  }

  private lockNamed(kind: number, object: SimObject | null, address: number): Lock {
    const label = this.labels.ofByte(object);
    const variable = object?.variable ?? 0;
    const leaf = leafOfByte(this.catalog, object, address);
    const key = `${kind} ${label} ${leaf} ${variable}`;
    let lock = this.byName.get(key);
    if (!lock) {
      const named = { kind, label, leaf, variable };
      lock = { ...named, ...NOTHING_YET, byThread: new Map(), byPath: new Map(), data: new Map() };
      this.byName.set(key, lock);
      this.rows.push(lock);
    }
    return lock;
  }
}

function endHold({ lock, since }: SemaphoreWait, clock: number): void {
  lock.holds++;
  lock.hold += clock - since;
  lock.longestHold = Math.max(lock.longestHold, clock - since);
}
