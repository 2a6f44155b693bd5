// Stage: trace -> what-if. The blocks of a run in the order of their allocations and frees, with what is known of each
// at the end of the run: a block's type is said behind its allocation.

import type { ReplayInput } from '../contract/input.js';
import { orderSteps } from '../order/order-steps.js';
import { rangeOf } from '../order/releases.js';
import { Accesses } from '../sim/references.js';
import { ObjectKind, type SimObject } from '../sim/sim-object.js';
import { Allocator, EventCode, RecordTag } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-file.js';
import { kindOf, OperationKind, type Operation } from './allocations.js';
import { ObjectTypes } from './object-types.js';
import { TrackedObjects } from './tracked-objects.js';

/** Blocks are expanded line by line; where they lie does not depend on it. */
const ANY_LINE_BYTES = 64;

export interface HeapHistory {
  /** Of heap blocks, by object number; sizes are those of the run. */
  readonly operations: Operation[];
  readonly objects: readonly SimObject[];
  /** By object number, of parts: the object that they are cut out of. */
  readonly wholes: ReadonlyMap<number, number>;
  /** By object number, of blocks whose allocation says no type: what accesses say (object-types.ts). */
  readonly said: readonly number[];
}

export function readHeap(input: ReplayInput): HeapHistory {
  const file = TraceFile.open(input.path);
  try {
    const tracked = new TrackedObjects(input.catalog);
    const { objects } = tracked;
    const types = new ObjectTypes(input.catalog, objects);
    const accesses = new Accesses(input.catalog, ANY_LINE_BYTES, types);
    const operations: Operation[] = [];
    const isBlock: boolean[] = [];
    const wholes = new Map<number, number>();
    const { records } = input.catalog;
    /** The block handed out last: an ALLOCATION record may say its type. */
    let last: SimObject | undefined;
    /** By thread: a block that realloc is about to move. */
    const moved = new Map<number, Operation>();
    let [thread, isRealloc] = [0, false];
    objects.onEnd = (object) => {
      if (isBlock[object.number] !== true) return;
      types.forget(object);
      const free = { kind: OperationKind.free as number, thread, block: object.number, size: 0, other: 0 };
      operations.push(free);
      if (isRealloc) moved.set(thread, free);
    };
    const schedule = { kind: input.threads.length > 1 ? 'recorded' : 'logical' } as const;
    const order = orderSteps(file, { ...input, schedule }, objects);
    while (order.next()) {
      const { step } = order;
      const { code, detail } = step.events;
      thread = order.thread;
      isRealloc = !step.isRecord && code === EventCode.free && detail === Allocator.realloc;
      const isPart = !step.isRecord && code === EventCode.allocate && detail === Allocator.part;
      const whole = isPart ? objects.find(rangeOf(step.events)[0]) : null;
      const before = objects.all.length;
      tracked.step(order, () => {
        if (order.isSegment) accesses.expand(step);
      });
      if (step.isRecord && records.tag[step.record] === RecordTag.allocation && last?.declared) types.forget(last);
      if (whole !== null && objects.all.length > before) wholes.set(before, whole.number);
      const kind = step.isRecord || code !== EventCode.allocate ? undefined : kindOf(detail);
      if (kind === undefined || objects.all.length === before) continue;
      const object = objects.all[objects.all.length - 1];
      if (object.kind !== ObjectKind.heap || object.isPart || object.isMapping) continue;
      isBlock[object.number] = true;
      types.begin((last = object));
      operations.push(blockOf(object, kind, thread, moved.get(thread)));
      moved.delete(thread);
    }
    return { operations: operations.filter(({ kind }) => kind !== 0), objects: objects.all, wholes, said: types.said };
  } finally {
    file.close();
  }
}

function blockOf(object: SimObject, kind: number, thread: number, moved: Operation | undefined): Operation {
  const made = { kind, thread, block: object.number, size: object.sizeBytes, other: 0 };
  if (kind === OperationKind.aligned) made.other = alignmentOf(object.address);
  if (kind !== OperationKind.realloc) return made;
  if (moved === undefined) return { ...made, kind: OperationKind.malloc };
  moved.kind = 0; // realloc frees it
  return { ...made, other: moved.block };
}

/** The trace does not say which alignment was asked for: that of the address, up to a page. */
function alignmentOf(address: number): number {
  let bytes = 16;
  while (bytes < 4096 && address % (bytes * 2) === 0) bytes *= 2;
  return bytes;
}
