// Stage: trace -> what-if. A trace, and where its objects lie anew, to a trace in which they do: the steps of all
// threads, in the recorded order, so that each address is asked for while its object lives.

import type { Catalog } from '../contract/catalog.js';
import type { ReplayInput } from '../contract/input.js';
import { orderSteps } from '../order/order-steps.js';
import { hasAddress } from '../order/step-addresses.js';
import { toAddress } from '../sim/checked-addresses.js';
import type { SimObject } from '../sim/sim-object.js';
import type { EventColumn } from '../trace/event-column.js';
import { EventCode, RecordFlag, Unseen } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-file.js';
import { ObjectMap } from './object-map.js';
import { PlacedStep } from './placed-step.js';
import { Placement, type PlacedObject } from './placement.js';
import { pathOfRecord, withPlainPaths } from './plain-catalog.js';
import { StepsFile } from './steps-file.js';
import { TrackedObjects } from './tracked-objects.js';
import { VariantRecords } from './variant-records.js';

/** What a replay of the placed steps has in the place of the trace's own. */
export interface PlacedTrace extends Pick<ReplayInput, 'path' | 'catalog' | 'threads'> {
  /** Accesses that became several. */
  readonly split: number;
  /** The file at `path` has no name, and is gone. */
  close(): void;
}

/**
 * `placedOf`: where an object lies; undefined: where it was. `relay`: the catalog with the types as they are laid out
 * anew.
 */
export function placeTrace(
  input: ReplayInput,
  placedOf: (object: SimObject) => PlacedObject | undefined,
  relay: (catalog: Catalog) => Catalog,
): PlacedTrace {
  const file = TraceFile.open(input.path);
  const steps = new StepsFile();
  try {
    const { catalog, threads } = input;
    const { records } = catalog;
    const tracked = new TrackedObjects(catalog);
    const placement = new Placement(new ObjectMap(tracked.objects), placedOf);
    const variants = new VariantRecords(catalog);
    const placed = new PlacedStep(catalog, placement, variants);
    // The recorded order depends on no machine. One thread has no other.
    const schedule = { kind: threads.length > 1 ? 'recorded' : 'logical' } as const;
    const order = orderSteps(file, { ...input, schedule }, tracked.objects);
    while (order.next()) {
      const { step } = order;
      const { events } = step;
      tracked.step(order, () => (step.isRecord ? placed.take(step) : placeEvent(events, placement)));
      const encoder = steps.thread(order.thread);
      if (!step.isRecord) {
        encoder.event(events);
        continue;
      }
      const isStamped = (records.flags[step.record] & RecordFlag.stamped) !== 0;
      if (isStamped) placeEvent(events, placement);
      encoder.path(pathOfRecord(placed.record), placed.lo, placed.hi, placed.words, isStamped ? events : undefined);
    }
    return {
      path: steps.path,
      catalog: relay(withPlainPaths({ ...catalog, ...variants.tables() })),
      threads: steps.finish(threads.length),
      split: placed.split,
      close: () => steps.close(),
    };
  } catch (error) {
    steps.close();
    throw error;
  } finally {
    file.close();
  }
}

function placeEvent(events: EventColumn, placement: Placement): void {
  if (!hasAddress(events)) return;
  const address = toAddress(events.address);
  switch (events.code) {
    case EventCode.threadStart:
    case EventCode.threadEnd:
      return; // a stack
    case EventCode.allocate:
    case EventCode.free:
    case EventCode.threadLocal:
      events.size = BigInt(placement.sizeAt(address, Number(events.size)));
      events.address = BigInt(placement.begin(address));
      return;
  }
  const isRange = events.code === EventCode.unseen && events.detail === Unseen.kernelRange;
  const [piece] = isRange ? placement.pieces(address, Number(events.size), true) : [];
  const to = piece?.address ?? placement.place(address, 1);
  if (to >= 0) events.address = BigInt(to);
}
