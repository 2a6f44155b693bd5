// Stage: trace -> stream. All references of a run in the recorded order, one for each line that an access touches, as a
// replay has them. The specification of engine/stream/reference_walk.h.

import { NO_INDEX } from '../base/ids.js';
import type { ReplayInput } from '../contract/input.js';
import { orderSteps } from '../order/order-steps.js';
import { Accesses } from '../sim/references.js';
import { TraceFile } from '../trace/trace-file.js';
import { TrackedObjects } from '../what-if/tracked-objects.js';
import type { RawColumn, ReferenceRows } from './reference-rows.js';

/** Rows that are handed over at a time. */
const FULL = 1 << 16;

export function* walkReferences(input: ReplayInput, columns: ReadonlySet<RawColumn>): Generator<ReferenceRows> {
  const file = TraceFile.open(input.path);
  try {
    const { catalog, machine } = input;
    const { lineBytes } = machine;
    const tracked = new TrackedObjects(catalog);
    const times = new Float64Array(input.threads.length);
    let rows = new RowsUnderWay(columns);
    let thread = 0;
    const add = (slot: number, address: number, size: number): void => {
      const object = columns.has('object') ? (tracked.objects.find(address)?.number ?? NO_INDEX) : 0;
      rows.add(slot, { address, size, thread, time: times[thread], object });
    };
    const accesses = new Accesses(catalog, lineBytes, {
      access: (_kind, address, sizeBytes, slot) => {
        for (let done = 0; done < sizeBytes; ) {
          const piece = Math.min(sizeBytes - done, lineBytes - ((address + done) % lineBytes));
          add(slot, address + done, piece);
          done += piece;
        }
      },
    });
    const schedule = { kind: input.threads.length > 1 ? 'recorded' : 'logical' } as const;
    const order = orderSteps(file, { ...input, schedule }, tracked.objects);
    while (order.next()) {
      const { step } = order;
      thread = order.thread;
      tracked.step(order, () => {
        if (order.isSegment) accesses.expand(step);
      });
      if (order.isSegment) times[thread] += order.instructions;
      if (rows.count < FULL) continue;
      yield rows.made();
      rows = new RowsUnderWay(columns);
    }
    if (rows.count > 0) yield rows.made();
  } finally {
    file.close();
  }
}

class RowsUnderWay {
  private readonly slots: number[] = [];
  private readonly values: Map<RawColumn, number[]>;

  constructor(columns: ReadonlySet<RawColumn>) {
    this.values = new Map([...columns].map((name) => [name, []]));
  }

  get count(): number {
    return this.slots.length;
  }

  add(slot: number, row: Readonly<Record<RawColumn, number>>): void {
    this.slots.push(slot);
    for (const [name, values] of this.values) values.push(row[name]);
  }

  made(): ReferenceRows {
    const numbers = (name: RawColumn): Float64Array | undefined => {
      const values = this.values.get(name);
      return values && Float64Array.from(values);
    };
    const small = (name: RawColumn): Uint32Array | undefined => {
      const values = this.values.get(name);
      return values && Uint32Array.from(values);
    };
    return {
      count: this.count,
      slot: Uint32Array.from(this.slots),
      address: numbers('address'),
      size: small('size'),
      thread: small('thread'),
      time: numbers('time'),
      object: small('object'),
    };
  }
}
