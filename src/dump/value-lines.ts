// Stage: trace -> text. Accesses to lines that end in what was loaded or stored, and arguments to lines of their own.

import type { Catalog } from '../contract/catalog.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { SlotKind } from '../trace/layout.js';
import { ReferenceLines } from './reference-lines.js';

export function hasValues({ slots }: Catalog): boolean {
  return slots.kind.includes(SlotKind.value) || slots.kind.includes(SlotKind.argument);
}

export class ValueLines extends ReferenceLines {
  /** Of the access that follows. */
  #value: { readonly hi: number; readonly lo: number } | null = null;

  constructor(
    write: (bytes: Uint8Array) => void,
    private readonly catalog: Catalog,
  ) {
    super(write);
  }

  override access(kind: number, address: number, sizeBytes: number): void {
    this.line(kind, address, sizeBytes);
    if (this.#value === null) return this.text(' -\n');
    this.space();
    this.hexadecimal(this.#value.hi, this.#value.lo);
    this.end();
    this.#value = null;
  }

  value(step: EventDecoder, word: number): void {
    this.#value = { hi: step.hi[word], lo: step.lo[word] };
  }

  argument(step: EventDecoder, word: number, slot: number): void {
    const { slots, variables, functions, records } = this.catalog;
    const value = (BigInt(step.hi[word]) << 32n) | BigInt(step.lo[word]);
    const name = variables.name[slots.variable[slot]] || '-';
    this.text(
      `${this.core} p ${value.toString(16)} ${slots.sizeBytes[slot]} ${name} ` +
        `${functions.name[records.function[step.record]] || '-'}\n`,
    );
  }
}
