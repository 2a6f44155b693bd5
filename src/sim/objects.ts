// Stage: replay. Objects by address over time: heap, globals, thread-locals, and stack variables in their frames.
// docs/replay/objects.md.

import { NO_INDEX } from '../base/ids.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_RANGE, RangeMap } from '../base/range-map.js';
import type { LiveHeap } from '../order/order.js';
import type { Catalog } from '../contract/catalog.js';
import { Allocator, VariableKind } from '../trace/layout.js';
import { TraceError } from '../trace/trace-error.js';
import { globalAddress } from './checked-addresses.js';
import { Life } from './life.js';
import { ObjectKind, type SimObject } from './sim-object.js';
import { dropGoneFrames, noThreadObjects, type ThreadObjects } from './thread-objects.js';

/** The limit that fits into Node's default memory. */
const MAX_OBJECTS = 1 << 23;

export class Objects implements LiveHeap {
  readonly all: SimObject[] = [];
  /** Called when a heap or thread-local object ends: nobody will refer to it any more. */
  onEnd: (object: SimObject) => void = () => {};
  /** Called when a life of any object has begun. */
  onLifeBegin: (object: SimObject) => void = () => {};
  /** Called when a life of any object ends. */
  onLifeEnd: (object: SimObject, time: number) => void = () => {};

  /** Lives of objects that have begun so far. */
  lifeCount = 0;

  private readonly byKind = [new RangeMap(), new RangeMap(), new RangeMap(), new RangeMap()];
  /** Live parts; never two over one another. */
  private readonly parts = new RangeMap();
  private readonly pools = new Map<number, Set<SimObject>>();
  /** Memory that was heap last and is free. */
  private readonly freed = new RangeMap();
  private readonly threads: ThreadObjects[] = [];
  /** The first of these maps that has an object at an address decides which object contains it. */
  private readonly layers = [
    this.parts,
    this.byKind[ObjectKind.stack],
    this.byKind[ObjectKind.threadLocal],
    this.byKind[ObjectKind.global],
    this.byKind[ObjectKind.heap],
  ];
  /** By whole line: number of the last life that covers it. */
  private readonly covered = new RangeMap();

  constructor(
    private readonly catalog: Catalog,
    private readonly lineBytes: number,
    /** The core of the thread whose step comes; at first, of the code that makes globals. */
    public core = 0,
  ) {
    const { globals, variables } = catalog;
    for (let index = 0; index < globals.count; index++) {
      const variable = globals.variable[index];
      this.create(
        ObjectKind.global,
        globalAddress(globals.address[index], variables.sizeBytes[variable]),
        variables.sizeBytes[variable],
        0,
        0,
        { variable },
      );
    }
  }

  /**
   * The live object that contains `address`, or null: a part before a stack variable before a thread-local before a
   * global before a heap object, and among the same kind the one created last.
   */
  find(address: number): SimObject | null {
    for (const layer of this.layers) {
      const number = layer.find(address);
      if (number !== NO_RANGE) return this.all[number];
    }
    return null;
  }

  /**
   * The end, at most `end`, of the addresses from `address` on for which `find` gives the same object. Further
   * addresses behind it may give it too.
   */
  sameUntil(address: number, end: number): number {
    let until = end;
    for (const layer of this.layers) {
      const number = layer.find(address);
      until = Math.min(until, layer.until);
      if (number !== NO_RANGE) break;
    }
    return until;
  }

  /** Whether memory without a live object was a heap object last. */
  wasFreed(address: number): boolean {
    return this.find(address) === null && this.freed.find(address) !== NO_RANGE;
  }

  /** The last life that began over the whole of the line at `lineAddress`; NO_RANGE if none ever did. */
  coveringLife(lineAddress: number): number {
    return this.covered.find(lineAddress);
  }

  /** Size of the live heap object, or of the live part, that starts at the address; 0 if there is none. */
  sizeAt(address: number, allocator: number): number {
    return (allocator === Allocator.part ? this.partAt(address) : this.heapAt(address))?.sizeBytes ?? 0;
  }

  /**
   * An ALLOCATE event creates a heap object; whatever live heap object it overlaps ends first. A part ends live parts
   * that it overlaps, but no block.
   */
  allocate(thread: number, address: number, sizeBytes: number, allocator: number, time: number, pool = 0): void {
    if (allocator === Allocator.part) {
      this.endParts(address, sizeBytes, time);
      this.create(ObjectKind.heap, address, sizeBytes, thread, time, { isPart: true, pool });
      return;
    }
    this.endOverlapped(ObjectKind.heap, address, sizeBytes, time);
    this.create(ObjectKind.heap, address, sizeBytes, thread, time, { isMapping: allocator === Allocator.mmap });
  }

  /**
   * An ALLOCATION record gives site and declared type to the live part, else the heap object, that starts at the
   * address, if its own thread allocated that. An address inside another one is ignored; where there is none, the
   * record creates one.
   */
  allocationRecord(thread: number, slot: number, address: number, sizeBytes: number, time: number, callPath = 0): void {
    if (address === 0) return;
    const declared = slot === NO_INDEX ? 0 : this.catalog.declared[this.catalog.slots.type[slot]];
    const part = this.parts.find(address);
    const number = part !== NO_RANGE ? part : this.byKind[ObjectKind.heap].find(address);
    if (number !== NO_RANGE) {
      const object = this.all[number];
      if (object.address !== address || object.thread !== thread) return;
      object.allocationSlot = slot;
      object.callPath = callPath;
      // A part keeps the type that its allocator knew, where the caller's record has none.
      if (declared !== 0 || !object.isPart) object.declared = declared;
      return;
    }
    this.endOverlapped(ObjectKind.heap, address, sizeBytes, time);
    this.create(ObjectKind.heap, address, sizeBytes, thread, time, {
      isFromRecord: true,
      allocationSlot: slot,
      callPath,
      declared,
    });
  }

  /**
   * A FREE record ends an object that an ALLOCATION record created; else it is the site of its thread's next FREE event
   * of that address.
   */
  freeRecord(thread: number, slot: number, address: number, time: number): void {
    const object = this.partAt(address) ?? this.heapAt(address);
    if (object?.isFromRecord) {
      object.freeSlot = slot;
      this.markFreed(object);
      this.end(object, time);
      return;
    }
    this.thread(thread).freeSite = { address, slot };
  }

  /** A FREE event ends what it frees, by ascending address. */
  free(thread: number, address: number, sizeBytes: number, allocator: number, time: number): void {
    if (allocator === Allocator.module) return this.endOverlapped(ObjectKind.global, address, sizeBytes, time);
    const own = this.thread(thread);
    const site = own.freeSite?.address === address ? own.freeSite.slot : NO_INDEX;
    if (site !== NO_INDEX) own.freeSite = null;
    for (const object of this.freedBy(address, sizeBytes, allocator)) {
      object.freeSlot = site;
      this.markFreed(object);
      this.end(object, time);
    }
  }

  /** Freed on another core: the core of who frees it is not the core of who allocated it. */
  private markFreed(object: SimObject): void {
    object.isFreed = true;
    object.isFreedElsewhere = this.core !== object.core;
  }

  /**
   * A frame opens with these stack variables: first every stack object of this thread at a lower address than the
   * lowest new one ends, and every one that overlaps a new one; then the new ones live.
   */
  openFrame(
    thread: number,
    functionId: number,
    slots: readonly number[],
    addresses: readonly number[],
    time: number,
  ): void {
    const own = this.thread(thread);
    const { slots: slotTable } = this.catalog;
    let lowest = Infinity;
    for (const address of addresses) lowest = Math.min(lowest, address);
    const standing = own.stack.overlapping(0, lowest).map((range) => this.all[range.value]);
    for (const object of [...standing, ...own.hidden]) if (object.address < lowest) this.end(object, time);
    for (let index = 0; index < slots.length; index++)
      this.endOverlapped(ObjectKind.stack, addresses[index], slotSize(slotTable.sizeBytes[slots[index]]), time);
    dropGoneFrames(own);
    const objects: SimObject[] = [];
    for (let index = 0; index < slots.length; index++) {
      const object = this.bringToLife(own, thread, slots[index], addresses[index], time);
      if (object) objects.push(object);
    }
    if (objects.length > 0) own.frames.push({ function: functionId, objects });
  }

  /** The thread's innermost frame of the function ends, and frames inside it. */
  closeFrame(thread: number, functionId: number, time: number): void {
    const own = this.thread(thread);
    dropGoneFrames(own);
    for (let index = own.frames.length - 1; index >= 0; index--) {
      if (own.frames[index].function !== functionId) continue;
      for (const frame of own.frames.splice(index)) this.endAll(frame.objects, time);
      own.mayHaveGoneFrames = false;
      return;
    }
  }

  /**
   * A THREAD_LOCAL event creates an object for the variable; it ends with its thread. For a global it says that its
   * module was loaded; it ends with that.
   */
  threadLocal(thread: number, unit: number, index: number, address: number, time: number): void {
    const { unitFirstVariable, variables } = this.catalog;
    const variable = (unitFirstVariable[unit] ?? NO_INDEX) + index;
    const kind = variable < variables.count && index > 0 ? variables.kind[variable] : VariableKind.unknown;
    if (kind !== VariableKind.threadLocal && kind !== VariableKind.global) {
      throw new TraceError(
        'THREAD_LOCAL event',
        0,
        'a thread-local or global variable of a unit',
        `variable ${index} of unit ${unit}`,
      );
    }
    if (kind === VariableKind.global) {
      this.endOverlapped(ObjectKind.global, address, variables.sizeBytes[variable], time);
      this.create(ObjectKind.global, address, variables.sizeBytes[variable], 0, time, { variable });
      return;
    }
    this.endOverlapped(ObjectKind.threadLocal, address, variables.sizeBytes[variable], time);
    const object = this.create(ObjectKind.threadLocal, address, variables.sizeBytes[variable], thread, time, {
      variable,
    });
    if (object) this.thread(thread).threadLocals.push(object);
  }

  /** A stack's memory was given to a thread: what the heap had there before is forgotten. */
  beginThread(stackBegin: number, stackEnd: number): void {
    if (stackBegin < stackEnd) this.freed.clear(stackBegin, stackEnd);
  }

  /** The end of a thread ends its stack objects and its thread-locals. */
  endThread(thread: number, time: number): void {
    const own = this.thread(thread);
    for (const frame of own.frames.splice(0)) this.endAll(frame.objects, time);
    this.endAll(own.threadLocals.splice(0), time);
  }

  /** A window begins: what lives, lives from now on as far as it is counted; votes stay. */
  restartCounts(time: number): void {
    for (const object of this.all) {
      object.lives = object.isLive ? 1 : 0;
      object.lifetime = object.references = object.unreadMisses = 0;
      object.countedFrom = time;
      object.isBounced = object.isWriteShared = object.isFreed = object.isFreedElsewhere = false;
      object.pending = null;
    }
  }

  /** The run is over: what lives, lived to the end. */
  finish(time: number): void {
    for (const object of this.all) {
      if (object.isLive) {
        object.lifetime += time - object.countedFrom;
        this.onLifeEnd(object, time);
      }
      if (object.isLive || object.kind === ObjectKind.stack) this.onEnd(object);
    }
  }

  /** A stack variable that lives again at the same address in the same thread is the same object. */
  private bringToLife(
    own: ThreadObjects,
    thread: number,
    slot: number,
    address: number,
    time: number,
  ): SimObject | null {
    const { slots } = this.catalog;
    const variable = slots.variable[slot];
    const sizeBytes = slotSize(slots.sizeBytes[slot]);
    // A slot without a variable stands for one of its own.
    const key = variable === 0 ? `slot ${slot} ${address}` : `${variable} ${sizeBytes} ${address}`;
    const before = own.stackVariables.get(key);
    if (before?.isLive) return null; // a second slot of this record for the same variable at the same place
    if (!before) {
      const more = variable === 0 ? { declared: this.catalog.declared[slots.type[slot]] } : { variable };
      const object = this.create(ObjectKind.stack, address, sizeBytes, thread, time, more);
      if (object) own.stackVariables.set(key, object);
      return object;
    }
    before.isLive = true;
    before.diedAt = -1;
    before.lives++;
    before.life = new Life(before.number, time, this.core);
    this.beginLife(before, time);
    return before;
  }

  /** An object's first life begins; `more`: what it is not by default. Zero-sized objects do not exist. */
  private create(
    kind: number,
    address: number,
    sizeBytes: number,
    thread: number,
    time: number,
    more: Partial<SimObject>,
  ): SimObject | null {
    if (sizeBytes === 0) return null;
    const number = this.all.length;
    if (number === MAX_OBJECTS) {
      throw new DprofError(
        `the trace has more than ${MAX_OBJECTS} objects, too many for the TypeScript engine`,
        'replay it with --engine native',
      );
    }
    const { variable = 0 } = more;
    const declared = variable === 0 ? 0 : this.catalog.declared[this.catalog.variables.type[variable]];
    const life = new Life(number, time, this.core);
    const object = { ...NEW, number, kind, address, sizeBytes, thread, core: this.core, bornAt: time, life, declared };
    this.all.push(Object.assign(object, more));
    this.beginLife(object, time);
    return object;
  }

  /** A life begins: parts that it overlaps end first, and its memory is not freed. */
  private beginLife(object: SimObject, time: number): void {
    const { lineBytes } = this;
    const { address } = object;
    const end = address + object.sizeBytes;
    if (!object.isPart) this.endParts(address, object.sizeBytes, time);
    object.lifeBegan = object.countedFrom = time;
    object.lifeNumber = ++this.lifeCount;
    (object.isPart ? this.parts : this.byKind[object.kind]).put(address, end, object.number);
    if (object.pool !== 0) this.inPool(object.pool).add(object);
    if (object.kind === ObjectKind.stack) {
      const { stack, hidden } = this.thread(object.thread);
      for (const range of stack.overlapping(address, end)) hidden.add(this.all[range.value]);
      stack.put(address, end, object.number);
    }
    this.freed.clear(address, end);
    this.covered.put(
      Math.ceil(address / lineBytes) * lineBytes,
      Math.floor(end / lineBytes) * lineBytes,
      object.lifeNumber,
    );
    this.onLifeBegin(object);
  }

  private partAt(address: number): SimObject | null {
    const number = this.parts.find(address);
    return number !== NO_RANGE && this.all[number].address === address ? this.all[number] : null;
  }

  private heapAt(address: number): SimObject | null {
    const number = this.byKind[ObjectKind.heap].find(address);
    return number !== NO_RANGE && this.all[number].address === address ? this.all[number] : null;
  }

  /**
   * The objects that a FREE event frees. A pool: all its parts. An address: the part, or the heap object, that starts
   * there. An munmap of some bytes: all mappings that lie wholly inside.
   */
  private freedBy(address: number, sizeBytes: number, allocator: number): SimObject[] {
    if (allocator === Allocator.pool) return [...(this.pools.get(address) ?? [])].sort((a, b) => a.address - b.address);
    if (allocator === Allocator.part) {
      const part = this.partAt(address);
      return part ? [part] : [];
    }
    if (allocator !== Allocator.mmap || sizeBytes === 0) {
      const object = this.heapAt(address);
      return object ? [object] : [];
    }
    const end = address + sizeBytes;
    return this.byKind[ObjectKind.heap]
      .overlapping(address, end)
      .map((range) => this.all[range.value])
      .filter((object) => object.isMapping && object.address >= address && object.address + object.sizeBytes <= end);
  }

  /** Live objects of the kind end that overlap these bytes. */
  private endOverlapped(kind: number, address: number, sizeBytes: number, time: number): void {
    const end = address + sizeBytes;
    for (const range of this.byKind[kind].overlapping(address, end)) this.end(this.all[range.value], time);
    if (kind !== ObjectKind.stack) return;
    for (const own of this.threads) {
      for (const object of own?.hidden ?? [])
        if (object.address < end && address < object.address + object.sizeBytes) this.end(object, time);
    }
  }

  private endParts(address: number, sizeBytes: number, time: number): void {
    for (const range of this.parts.overlapping(address, address + sizeBytes)) this.end(this.all[range.value], time);
  }

  private endAll(objects: readonly SimObject[], time: number): void {
    for (const object of objects) this.end(object, time);
  }

  /** A life ends: parts that it overlaps end first. Memory is freed if it was heap last. */
  private end(object: SimObject, time: number): void {
    if (!object.isLive) return;
    const end = object.address + object.sizeBytes;
    if (!object.isPart) this.endParts(object.address, object.sizeBytes, time);
    object.isLive = false;
    object.diedAt = time;
    object.lifetime += time - object.countedFrom;
    object.life.endedAt = time;
    this.onLifeEnd(object, time);
    (object.isPart ? this.parts : this.byKind[object.kind]).clear(object.address, end);
    if (object.pool !== 0) this.leavePool(object);
    if (object.kind === ObjectKind.heap) this.freed.put(object.address, end, 0);
    else this.freed.clear(object.address, end);
    if (object.kind !== ObjectKind.stack) return this.onEnd(object);
    const own = this.thread(object.thread);
    own.stack.clear(object.address, end);
    own.hidden.delete(object);
    own.mayHaveGoneFrames = true;
  }

  private inPool(pool: number): Set<SimObject> {
    let parts = this.pools.get(pool);
    if (!parts) this.pools.set(pool, (parts = new Set()));
    return parts;
  }

  private leavePool(object: SimObject): void {
    const parts = this.pools.get(object.pool);
    parts?.delete(object);
    if (parts?.size === 0) this.pools.delete(object.pool);
  }

  private thread(thread: number): ThreadObjects {
    return (this.threads[thread] ??= noThreadObjects());
  }
}

const NEW = {
  ...{ variable: 0, allocationSlot: NO_INDEX, freeSlot: NO_INDEX, callPath: 0, pool: 0 },
  ...{ isFromRecord: false, isMapping: false, isPart: false },
  ...{ isLive: true, lives: 1, lifeBegan: 0, countedFrom: 0, lifeNumber: 0, diedAt: -1, lifetime: 0 },
  ...{ references: 0, lastCore: -1, isRead: false, unreadMisses: 0 },
  ...{ isBounced: false, isWriteShared: false, isFreed: false, isFreedElsewhere: false },
  ...{ votes: null, voted: 0, isPool: false, pending: null },
};

/** A stack object has size 0 here, and so does not exist, if the compiler does not know its size. */
function slotSize(sizeBytes: number): number {
  return sizeBytes === NO_INDEX ? 0 : sizeBytes;
}
