// Stage: trace -> text. Every access in replay order, one line each: core, kind (r, w or a), address in hexadecimal, size.
//
//   3 w 7ffe01c0 8
//
// Accesses are those before splitting by line; block operations are expanded. This is what independent checkers read.

import { orderSteps } from '../order/order.js';
import { rangeOf } from '../order/releases.js';
import type { ReplayInput } from '../replay/input.js';
import { Objects } from '../sim/objects.js';
import { Accesses, allocatedAddress, wordAddress, type AccessSink } from '../sim/references.js';
import { NO_INDEX } from '../base/ids.js';
import { EventCode, RecordTag, Unseen } from '../trace/layout.js';
import { TraceFile } from '../trace/trace-reader.js';

const BUFFER_BYTES = 1 << 18;
const LONGEST_LINE = 48;
const KINDS = Buffer.from('rwa');
const DIGITS = Buffer.from('0123456789abcdef');
const SPACE = 0x20;
const NEWLINE = 0x0a;

export function dumpReferences(input: ReplayInput, write: (bytes: Uint8Array) => void): void {
  const { catalog, machine } = input;
  const { records } = catalog;
  const file = TraceFile.open(input.path);
  try {
    // A free does not always say how much it frees: the order asks the live objects.
    const heap = new Objects(catalog, machine.lineBytes);
    const lines = new LineWriter(write);
    const accesses = new Accesses(catalog, machine.lineBytes, lines);
    const order = orderSteps(file, input, heap);
    while (order.next()) {
      const { step, thread } = order;
      lines.core = thread % machine.cores;
      if (step.isRecord) {
        const slot = records.slotCount[step.record] > 0 ? records.firstSlot[step.record] : NO_INDEX;
        const tag = records.tag[step.record];
        if (tag === RecordTag.segment) accesses.expand(step);
        else if (tag === RecordTag.allocation) {
          const address = allocatedAddress(step);
          if (address !== null) heap.allocationRecord(thread, slot, address, wordAddress(step, 1), 0);
        }
        else if (tag === RecordTag.free) heap.freeRecord(thread, slot, wordAddress(step, 0), 0);
      } else if (step.events.code === EventCode.allocate || step.events.code === EventCode.free) {
        const [begin, end] = rangeOf(step.events);
        if (step.events.code === EventCode.allocate) heap.allocate(thread, begin, end - begin, step.events.detail, 0, step.events.first);
        else heap.free(thread, begin, end - begin, step.events.detail, 0);
      } else if (step.events.code === EventCode.unseen && step.events.detail === Unseen.kernelRange && input.kernelSlot !== undefined) {
        accesses.store(input.kernelSlot, Number(step.events.address), Number(step.events.value));
      }
    }
    lines.flush();
  } finally {
    file.close();
  }
}

class LineWriter implements AccessSink {
  core = 0;
  readonly #bytes = Buffer.alloc(BUFFER_BYTES);
  #at = 0;

  constructor(private readonly write: (bytes: Uint8Array) => void) {}

  access(kind: number, address: number, sizeBytes: number): void {
    if (this.#at + LONGEST_LINE > BUFFER_BYTES) this.flush();
    const bytes = this.#bytes;
    this.#decimal(this.core);
    bytes[this.#at++] = SPACE;
    bytes[this.#at++] = KINDS[kind];
    bytes[this.#at++] = SPACE;
    this.#hexadecimal(address);
    bytes[this.#at++] = SPACE;
    this.#decimal(sizeBytes);
    bytes[this.#at++] = NEWLINE;
  }

  flush(): void {
    this.write(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
  }

  #decimal(number: number): void {
    let digits = 1;
    for (let limit = 10; limit <= number; limit *= 10) digits++;
    let rest = number;
    for (let digit = digits - 1; digit >= 0; digit--) {
      this.#bytes[this.#at + digit] = DIGITS[rest % 10];
      rest = Math.floor(rest / 10);
    }
    this.#at += digits;
  }

  #hexadecimal(address: number): void {
    const high = Math.floor(address / 0x1_0000_0000);
    const low = address >>> 0;
    if (high > 0) {
      this.#halfWord(high, (35 - Math.clz32(high)) >> 2);
      this.#halfWord(low, 8);
    } else this.#halfWord(low, low === 0 ? 1 : (35 - Math.clz32(low)) >> 2);
  }

  #halfWord(half: number, digits: number): void {
    for (let digit = digits - 1; digit >= 0; digit--) this.#bytes[this.#at++] = DIGITS[(half >>> (digit * 4)) & 15];
  }
}
