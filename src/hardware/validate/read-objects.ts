// Stage: validation. A trace -> what it has of the objects that histories watched. An object is the one with the last
// ALLOCATE at the history's address before the history's stamp: the runtime logs it inside the call, the stamp is taken
// behind it.

import { RecordedOrder } from '../../order/recorded-order.js';
import { rangeOf } from '../../order/releases.js';
import { Scout } from '../../order/scout.js';
import { RangeMap, NO_RANGE } from '../../base/range-map.js';
import type { Histories } from '../histories/histories.js';
import type { ReplayInput, ThreadChunks } from '../../contract/input.js';
import { Accesses, AccessKind } from '../../sim/references.js';
import type { Catalog } from '../../contract/catalog.js';
import type { EventColumn } from '../../trace/event-column.js';
import { EventCode, MarkKind, RecordFlag, SlotKind, Unseen } from '../../trace/layout.js';
import { TraceFile } from '../../trace/trace-file.js';
import type { OpenedTrace } from '../../replay/open-trace.js';
import { instrumentedFunctions } from './code-of-samples.js';
import {
  KERNEL_SITE,
  LAST_STAMP,
  NO_STAMP,
  type TracedObject,
  type TracedObjects,
  type TracedSite,
} from './traced-objects.js';

type Building = {
  -readonly [Name in keyof TracedObject]: TracedObject[Name] extends readonly (infer Value)[]
    ? Value[]
    : TracedObject[Name];
};

/** The state of one thread while its steps go by. */
interface ThreadState {
  stamp: bigint;
  gaps: number;
  /** Accesses whose next stamp is still to come: object and index. */
  waiting: { readonly object: Building; readonly index: number }[];
}

const BLOCKS = new Set<number>([SlotKind.copyLoad, SlotKind.copyStore, SlotKind.fill, SlotKind.scan]);
const LOADS = new Set<number>([SlotKind.load, SlotKind.atomicLoad, SlotKind.maskedLoad, SlotKind.gather]);
const UPDATES = new Set<number>([SlotKind.atomicUpdate, SlotKind.atomicResult]);

/** `progress`: accesses gone by so far, in its first number. */
export async function readObjects(
  trace: OpenedTrace,
  input: ReplayInput,
  histories: Pick<Histories, 'rows'>,
  progress: Float64Array,
  breathe: () => Promise<void>,
): Promise<TracedObjects> {
  const reader = new ObjectReader(trace, input, histories);
  const file = TraceFile.open(input.path);
  try {
    await reader.read(file, progress, breathe);
  } finally {
    file.close();
  }
  return reader.finish();
}

/** The first stamp of the process's first thread; null: it left none. */
export function firstStamp(path: string, threads: readonly ThreadChunks[]): bigint | null {
  const file = TraceFile.open(path);
  try {
    const scout = threads.length === 0 ? null : new Scout(file, threads[0]);
    return scout?.next() === true ? scout.entry.stamp : null;
  } finally {
    file.close();
  }
}

const STEPS_BETWEEN_BREATHS = 1 << 17;

class ObjectReader {
  private readonly catalog: Catalog;
  private readonly objects: (Building | null)[];
  /** Histories by the address of their object, by stamp. */
  private readonly awaited = new Map<number, number[]>();
  /** History of the bytes that are watched now, + 1. */
  private readonly watched = new RangeMap();
  private readonly states: ThreadState[];
  private readonly sites: TracedSite[] = [{ function: '', within: '', file: '', line: 0, column: 0, kind: 'kernel' }];
  private readonly siteOf = new Map<number, number>();
  private thread = 0;
  private step = 0;
  private record = 0;
  private count = 0;

  constructor(
    private readonly trace: OpenedTrace,
    private readonly input: ReplayInput,
    private readonly histories: Pick<Histories, 'rows'>,
  ) {
    const { catalog, threads } = input;
    const { rows } = histories;
    this.catalog = catalog;
    this.objects = Array.from(rows.type, () => null);
    this.states = threads.map(() => ({ stamp: NO_STAMP, gaps: 0, waiting: [] }));
    rows.address.forEach((address, row) => void this.awaited.set(address, [...(this.awaited.get(address) ?? []), row]));
    for (const waiting of this.awaited.values())
      waiting.sort((a, b) => (rows.allocatedStamp[a] < rows.allocatedStamp[b] ? -1 : 1));
  }

  async read(file: TraceFile, progress: Float64Array, breathe: () => Promise<void>): Promise<void> {
    const { catalog, input } = this;
    const accesses = new Accesses(catalog, input.machine.lineBytes, {
      access: (kind, address, bytes, slot) => this.access(kind, address, bytes, slot),
    });
    const order = new RecordedOrder(file, input);
    while (order.next()) {
      this.thread = order.thread;
      const { step } = order;
      if (++this.step % STEPS_BETWEEN_BREATHS === 0) {
        progress[0] = this.count;
        await breathe();
      }
      if (!step.isRecord) this.event(order.thread, step.events);
      else {
        const isStamped = (catalog.records.flags[step.record] & RecordFlag.stamped) !== 0;
        this.record = step.record;
        // The stamp of an atomic is beside it: on which side, the record does not say.
        if (isStamped) this.pass(order.thread, step.events.stamp, () => accesses.expand(step));
        else if (order.isSegment) accesses.expand(step);
      }
    }
  }

  finish(): TracedObjects {
    const { catalog, trace, sites, objects } = this;
    return {
      sites,
      objects,
      functions: instrumentedFunctions(catalog),
      modules: new Set(trace.modules.map(({ path }) => path)),
      truncated: trace.truncated,
      pid: trace.header.pid,
    };
  }

  private event(thread: number, events: EventColumn): void {
    if (events.hasStamp) this.pass(thread, events.stamp);
    const state = this.states[thread];
    switch (events.code) {
      case EventCode.allocate:
      case EventCode.free: {
        const [begin] = rangeOf(events);
        if (events.code === EventCode.allocate) this.begin(thread, begin, events.stamp);
        else this.end(begin);
        break;
      }
      case EventCode.lost:
        state.gaps++;
        break;
      case EventCode.mark:
        if (events.detail === MarkKind.closed || events.detail === MarkKind.dropped)
          for (const each of this.states) each.gaps++;
        break;
      case EventCode.unseen:
        if (events.detail === Unseen.kernelRange) this.add(Number(events.address), Number(events.size), KERNEL_SITE);
    }
  }

  /** Everything that the thread did since its last stamp was before this one. */
  private pass(thread: number, stamp: bigint, beside: () => void = () => {}): void {
    const state = this.states[thread];
    for (const { object, index } of state.waiting) object.before[index] = stamp;
    state.waiting = [];
    beside();
    state.stamp = stamp;
  }

  private begin(thread: number, address: number, stamp: bigint): void {
    const { rows } = this.histories;
    const row = this.awaited.get(address)?.find((each) => rows.allocatedStamp[each] >= stamp);
    if (row === undefined) return;
    this.end(address);
    // Again, if another object was there first.
    this.objects[row] = {
      allocated: stamp,
      thread,
      offset: [],
      bytes: [],
      site: [],
      by: [],
      step: [],
      gaps: [],
      after: [],
      before: [],
    };
    const begin = address + rows.element[row];
    this.watched.put(begin, begin + rows.bytes[row] - rows.element[row], row + 1);
  }

  private end(address: number): void {
    const rows = this.awaited.get(address);
    if (rows === undefined) return;
    const { element, bytes } = this.histories.rows;
    for (const row of rows) {
      const begin = address + element[row];
      if (this.watched.find(begin) === row + 1) this.watched.clear(begin, begin + bytes[row] - element[row]);
    }
  }

  private access(kind: number, address: number, bytes: number, slot: number): void {
    this.count++;
    const last = address + bytes - 1;
    if (this.watched.find(address) === NO_RANGE && this.watched.find(last) === NO_RANGE) return;
    const key = this.record * this.catalog.slots.count + slot;
    let site = this.siteOf.get(key);
    if (site === undefined) {
      site = this.sites.length;
      this.siteOf.set(key, site);
      this.sites.push(this.describe(slot, kind));
    }
    this.add(address, bytes, site);
  }

  private add(address: number, bytes: number, site: number): void {
    for (const range of this.watched.overlapping(address, address + bytes)) {
      const object = this.objects[range.value - 1]!;
      const { rows } = this.histories;
      const state = this.states[this.thread];
      state.waiting.push({ object, index: object.offset.length });
      object.offset.push(address - rows.address[range.value - 1] - rows.element[range.value - 1]);
      object.bytes.push(bytes);
      object.site.push(site);
      object.by.push(this.thread);
      object.step.push(this.step);
      object.gaps.push(state.gaps);
      object.after.push(state.stamp);
      object.before.push(LAST_STAMP);
    }
  }

  private describe(slot: number, kind: number): TracedSite {
    const { slots, records, functions } = this.catalog;
    const slotKind = slots.kind[slot];
    const said = BLOCKS.has(slotKind)
      ? 'block'
      : UPDATES.has(slotKind) || kind === AccessKind.atomic
        ? 'update'
        : LOADS.has(slotKind)
          ? 'load'
          : 'store';
    return {
      function: functions.name[slots.function[slot]] ?? '',
      within: functions.name[records.function[this.record]] ?? '',
      file: slots.file[slot] ?? '',
      line: slots.line[slot],
      column: slots.column[slot],
      kind: said,
    };
  }
}
