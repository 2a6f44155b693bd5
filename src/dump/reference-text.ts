// Stage: trace -> text. Every access in replay order, one line each: core, kind (r, w or a), address in hexadecimal,
// size.
//
//   3 w 7ffe01c0 8
//
// Accesses are those before splitting by line; block operations are expanded. This is what independent checkers read.
// With values, each line ends in what was loaded or stored ("-" where the trace does not say), and a function's entry
// has a line for each argument: core, p, value, size, parameter ("-" if nobody knows), function.
//
//   3 w 7ffe01c0 8 2a
//   3 p 7ffe01c0 8 queue pop
//
// Simulators of one core read other lines (simulator-lines.ts): those of all cores in replay order, or of one.

import { orderSteps } from '../order/order-steps.js';
import { rangeOf } from '../order/releases.js';
import type { ReplayInput } from '../contract/input.js';
import { Objects } from '../sim/objects.js';
import { Accesses, allocatedAddress, wordAddress } from '../sim/references.js';
import { ThreadCores } from '../sim/thread-cores.js';
import { NO_INDEX } from '../base/ids.js';
import { EventCode, RecordTag, Unseen } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-file.js';
import { ReferenceLines, type AccessLines } from './reference-lines.js';
import { DinLines, LackeyLines } from './simulator-lines.js';
import { ValueLines } from './value-lines.js';

/** `values`: as `references`, with what was loaded and stored. */
const REFERENCE_FORMATS = ['references', 'values', 'din', 'lackey'] as const;
export type ReferenceFormat = (typeof REFERENCE_FORMATS)[number];

export interface ReferenceOptions {
  readonly format?: ReferenceFormat;
  /** Only this core's. */
  readonly core?: number;
}

export function dumpReferences(
  input: ReplayInput,
  write: (bytes: Uint8Array) => void,
  { format = 'references', core }: ReferenceOptions = {},
): void {
  const { catalog, machine } = input;
  const { records } = catalog;
  const file = TraceFile.open(input.path);
  try {
    // A free does not always say how much it frees: the order asks the live objects.
    const heap = new Objects(catalog, machine.lineBytes);
    const lines = linesOf(format, input, write);
    const hasValues = format === 'values';
    const accesses = new Accesses(catalog, machine.lineBytes, lines);
    const cores = new ThreadCores(input);
    const order = orderSteps(file, input, heap);
    while (order.next()) {
      order.place();
      const { step, thread } = order;
      lines.core = cores.of(thread);
      cores.pass(thread, step);
      const isWanted = core === undefined || lines.core === core;
      if (step.isRecord) {
        const slot = records.slotCount[step.record] > 0 ? records.firstSlot[step.record] : NO_INDEX;
        const tag = records.tag[step.record];
        if (tag === RecordTag.segment || (hasValues && tag === RecordTag.marker)) {
          if (isWanted) accesses.expand(step);
        } else if (tag === RecordTag.allocation) {
          const address = allocatedAddress(step);
          if (address !== null) heap.allocationRecord(thread, slot, address, wordAddress(step, 1), 0);
        } else if (tag === RecordTag.free) heap.freeRecord(thread, slot, wordAddress(step, 0), 0);
      } else if (step.events.code === EventCode.allocate || step.events.code === EventCode.free) {
        const [begin, end] = rangeOf(step.events);
        if (step.events.code === EventCode.allocate)
          heap.allocate(thread, begin, end - begin, step.events.detail, 0, step.events.pool);
        else heap.free(thread, begin, end - begin, step.events.detail, 0);
      } else if (
        step.events.code === EventCode.unseen &&
        step.events.detail === Unseen.kernelRange &&
        input.kernelSlot !== undefined
      ) {
        if (isWanted) accesses.store(input.kernelSlot, Number(step.events.address), Number(step.events.size));
      }
    }
    lines.flush();
  } finally {
    file.close();
  }
}

function linesOf(
  format: ReferenceFormat,
  { catalog, machine }: ReplayInput,
  write: (bytes: Uint8Array) => void,
): AccessLines {
  switch (format) {
    case 'references':
      return new ReferenceLines(write);
    case 'values':
      return new ValueLines(write, catalog);
    case 'din':
      return new DinLines(write, machine.lineBytes);
    case 'lackey':
      return new LackeyLines(write);
  }
}
