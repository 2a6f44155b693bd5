// Stage: trace -> what-if. The objects of a run, and its blocks in the order of their allocations and frees. The
// specification of engine/placing/survey.h.

import { NO_INDEX } from '../base/ids.js';
import type { ReplayInput } from '../contract/input.js';
import { orderSteps } from '../order/order-steps.js';
import { rangeOf } from '../order/releases.js';
import { Accesses } from '../sim/references.js';
import type { SimObject } from '../sim/sim-object.js';
import { Allocator, EventCode } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-file.js';
import { isKept, STRIDE_EXCERPTS } from './excerpts.js';
import { ObjectStrides } from './object-strides.js';
import { SaidTypes } from './said-types.js';
import { ObjectFlag, OperationKind, type Survey } from './survey-columns.js';
import { TrackedObjects } from './tracked-objects.js';

/** Blocks are not cut: only where they begin matters. */
const LONG_LINE_BYTES = 2 ** 40;

interface Operation {
  kind: number;
  readonly thread: number;
  readonly block: number;
  readonly size: number;
  readonly other: number;
}

export function survey(input: ReplayInput, excerpts = STRIDE_EXCERPTS): Survey {
  const { catalog } = input;
  const file = TraceFile.open(input.path);
  try {
    const tracked = new TrackedObjects(catalog);
    const { objects } = tracked;
    let [thread, isRealloc] = [0, false];
    let [passed, isIn] = [0, true];
    const said = new SaidTypes(catalog);
    const strides = new ObjectStrides();
    const accesses = new Accesses(catalog, LONG_LINE_BYTES, {
      access: (_kind, address, _sizeBytes, slot) => {
        const object = objects.find(address);
        if (object === null) return;
        if (isIn) strides.access(object, thread, address);
        said.access(object, address, slot);
      },
    });
    const operations: Operation[] = [];
    const isBlock: boolean[] = [];
    const wholes: number[] = [];
    /** By thread: a block that realloc is about to move. */
    const moved = new Map<number, Operation>();
    objects.onEnd = ({ number }) => {
      if (isBlock[number] !== true) return;
      const free = { kind: OperationKind.free as number, thread, block: number, size: 0, other: 0 };
      operations.push(free);
      if (isRealloc) moved.set(thread, free);
    };
    const schedule = { kind: input.threads.length > 1 ? 'recorded' : 'logical' } as const;
    const order = orderSteps(file, { ...input, schedule }, objects);
    while (order.next()) {
      const { step } = order;
      const { code, detail } = step.events;
      thread = order.thread;
      const isAllocation = !step.isRecord && code === EventCode.allocate;
      isRealloc = !step.isRecord && code === EventCode.free && detail === Allocator.realloc;
      const whole = isAllocation && detail === Allocator.part ? objects.find(rangeOf(step.events)[0]) : null;
      isIn = isKept(excerpts, passed);
      if (step.isRecord) passed += catalog.records.slotCount[step.record];
      const before = objects.all.length;
      tracked.step(order, () => {
        if (order.isSegment) accesses.expand(step);
      });
      if (!step.isRecord && code === EventCode.threadEnd)
        operations.push({ kind: OperationKind.threadEnd, thread, block: 0, size: 0, other: 0 });
      if (!isAllocation || objects.all.length === before) continue;
      const object = objects.all[objects.all.length - 1];
      if (whole !== null) wholes[object.number] = whole.number;
      const kind = kindOf(detail);
      if (kind === OperationKind.none) continue;
      isBlock[object.number] = true;
      operations.push(blockOf(object, kind, thread, moved.get(thread)));
      moved.delete(thread);
    }
    return {
      objects: columnsOf(objects.all, said, wholes),
      operations: operationColumns(operations.filter(({ kind }) => kind !== OperationKind.none)),
      strides: strides.table,
      slots: passed,
    };
  } finally {
    file.close();
  }
}

/** How the program asked for a block that an ALLOCATE event tells of; none: not one that can be asked for again. */
function kindOf(allocator: number): number {
  switch (allocator) {
    case Allocator.malloc:
    case Allocator.new:
      return OperationKind.malloc;
    case Allocator.calloc:
      return OperationKind.calloc;
    case Allocator.realloc:
      return OperationKind.realloc;
    case Allocator.aligned:
      return OperationKind.aligned;
    default:
      return OperationKind.none;
  }
}

function blockOf(object: SimObject, kind: number, thread: number, moved: Operation | undefined): Operation {
  const made = { kind, thread, block: object.number, size: object.sizeBytes, other: 0 };
  if (kind === OperationKind.aligned) return { ...made, other: alignmentOf(object.address) };
  if (kind !== OperationKind.realloc) return made;
  if (moved === undefined) return { ...made, kind: OperationKind.malloc };
  moved.kind = OperationKind.none; // realloc frees it
  return { ...made, other: moved.block };
}

/** The trace does not say which alignment was asked for: that of the address, up to a page. */
function alignmentOf(address: number): number {
  let bytes = 16;
  while (bytes < 4096 && address % (bytes * 2) === 0) bytes *= 2;
  return bytes;
}

function columnsOf(all: readonly SimObject[], said: SaidTypes, wholes: readonly number[]): Survey['objects'] {
  return {
    count: all.length,
    address: Float64Array.from(all, ({ address }) => address),
    sizeBytes: Float64Array.from(all, ({ sizeBytes }) => sizeBytes),
    declared: Uint32Array.from(all, ({ declared }) => declared),
    allocationSlot: Uint32Array.from(all, ({ allocationSlot }) => allocationSlot),
    variable: Uint32Array.from(all, ({ variable }) => variable),
    said: Int32Array.from(all, ({ number }) => said.of(number)),
    whole: Uint32Array.from(all, ({ number }) => wholes[number] ?? NO_INDEX),
    kind: Uint8Array.from(all, ({ kind }) => kind),
    flags: Uint8Array.from(all, flagsOf),
  };
}

function flagsOf({ isPart, isMapping, isFromRecord }: SimObject): number {
  const bits = [isPart && ObjectFlag.part, isMapping && ObjectFlag.mapping, isFromRecord && ObjectFlag.fromRecord];
  return bits.reduce<number>((flags, bit) => flags | (bit === false ? 0 : bit), 0);
}

function operationColumns(operations: readonly Operation[]): Survey['operations'] {
  return {
    count: operations.length,
    kind: Uint8Array.from(operations, ({ kind }) => kind),
    thread: Uint32Array.from(operations, ({ thread }) => thread),
    block: Uint32Array.from(operations, ({ block }) => block),
    size: Float64Array.from(operations, ({ size }) => size),
    other: Float64Array.from(operations, ({ other }) => other),
  };
}
