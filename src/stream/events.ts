// Stage: replay -> stream. What happens beside references, in the order of the replay: allocations and frees, calls and
// returns, synchronisation, threads, and marks of the program. Read by the TypeScript decoder.

import type { ReplayInput } from '../contract/input.js';
import { orderSteps } from '../order/order-steps.js';
import { rangeOf } from '../order/releases.js';
import type { Order } from '../order/order.js';
import { toAddress } from '../sim/checked-addresses.js';
import { allocatedAddress, wordAddress } from '../sim/references.js';
import { Allocator, EventCode, MarkKind, RecordFlag, RecordTag, Sync } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-file.js';
import { TrackedObjects } from '../what-if/tracked-objects.js';

/** Fields that are not known, or do not belong to the event, are null. */
export interface RunEvent {
  /** Replay time before it. */
  readonly time: number;
  readonly thread: number;
  /**
   * allocate, free; allocation-site and free-site, where the program's source does it; call, return; acquire, release,
   * synchronise (both); thread-start, thread-end; mark.
   */
  readonly event: string;
  /** The allocator of an allocation; the kind of a synchronisation. */
  readonly detail: string | null;
  /** The memory's, or that of the object of synchronisation. */
  readonly address: number | null;
  readonly size: number | null;
  readonly function: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** A mark's. */
  readonly text: string | null;
}

export const EVENT_COLUMNS = {
  time: 'number',
  thread: 'number',
  event: 'text',
  detail: 'text',
  address: 'number',
  size: 'number',
  function: 'text',
  file: 'text',
  line: 'number',
  text: 'text',
} as const satisfies Record<keyof RunEvent, 'number' | 'text'>;

const nameIn = (names: Readonly<Record<string, number>>, value: number): string | null =>
  Object.keys(names).find((name) => names[name] === value) ?? null;

const SYNC_EVENTS: Readonly<Record<number, string>> = {
  [EventCode.release]: 'release',
  [EventCode.acquire]: 'acquire',
  [EventCode.both]: 'synchronise',
};

export function* readEvents(input: ReplayInput): Generator<RunEvent> {
  const file = TraceFile.open(input.path);
  try {
    const tracked = new TrackedObjects(input.catalog);
    const order = orderSteps(file, input, tracked.objects);
    const events: RunEvent[] = [];
    while (order.next()) {
      order.place();
      tracked.step(order, () => void events.push(...eventsOf(order, input)));
      yield* events.splice(0);
    }
  } finally {
    file.close();
  }
}

type Said = Partial<Omit<RunEvent, 'event'>>;

function* eventsOf(order: Order, { catalog }: ReplayInput): Generator<RunEvent> {
  const { step, thread } = order;
  const { records, functions, slots } = catalog;
  const say = (event: string, said: Said): RunEvent => ({
    time: step.isRecord ? order.timeBefore : order.time,
    thread,
    event,
    detail: null,
    address: null,
    size: null,
    function: null,
    file: null,
    line: null,
    text: null,
    ...said,
  });
  if (!step.isRecord) return yield* ofRuntime(order, say);
  const { record } = step;
  const own = functions.name[records.function[record]] || null;
  if ((records.flags[record] & RecordFlag.entry) !== 0) yield say('call', { function: own });
  if (records.tag[record] === RecordTag.allocation || records.tag[record] === RecordTag.free) {
    const slot = records.firstSlot[record];
    const at = { function: own, file: slots.file[slot] || null, line: slots.line[slot] || null };
    const isFree = records.tag[record] === RecordTag.free;
    const address = isFree ? wordAddress(step, 0) : allocatedAddress(step);
    if (address !== null)
      yield say(isFree ? 'free-site' : 'allocation-site', {
        address,
        size: isFree ? null : wordAddress(step, 1),
        ...at,
      });
  }
  if ((records.flags[record] & RecordFlag.exit) !== 0) yield say('return', { function: own, time: order.time });
}

function* ofRuntime({ step: { events } }: Order, say: (event: string, said: Said) => RunEvent): Generator<RunEvent> {
  const { code, detail } = events;
  switch (code) {
    case EventCode.allocate:
    case EventCode.free: {
      const [begin, end] = rangeOf(events);
      return yield say(code === EventCode.free ? 'free' : 'allocate', {
        address: begin,
        size: code === EventCode.free ? null : end - begin,
        detail: nameIn(Allocator, detail),
      });
    }
    case EventCode.release:
    case EventCode.acquire:
    case EventCode.both:
      return yield say(SYNC_EVENTS[code], { address: toAddress(events.address), detail: nameIn(Sync, detail) });
    case EventCode.threadStart:
      return yield say('thread-start', {});
    case EventCode.threadEnd:
      return yield say('thread-end', {});
    case EventCode.mark:
      if (detail === MarkKind.phase) yield say('mark', { text: events.text });
  }
}
