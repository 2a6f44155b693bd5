// Stage: trace -> text. Accesses to lines that end in what was loaded or stored, and arguments to lines of their own.

import type { Catalog } from '../contract/catalog.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { SlotKind } from '../trace/layout.js';
import { ReferenceLines } from './reference-lines.js';

export function hasValues({ slots }: Catalog): boolean {
  return slots.kind.includes(SlotKind.value) || slots.kind.includes(SlotKind.argument);
}

export class ValueLines extends ReferenceLines {
  /** A line is there whose value may follow. */
  #isOpen = false;
  /** The value of the access that follows. */
  #next: { readonly hi: number; readonly lo: number } | null = null;

  constructor(
    write: (bytes: Uint8Array) => void,
    private readonly catalog: Catalog,
  ) {
    super(write);
  }

  override access(kind: number, address: number, sizeBytes: number): void {
    this.#close();
    this.line(kind, address, sizeBytes);
    if (this.#next !== null) this.#endWithValue(this.#next.hi, this.#next.lo);
    else this.#isOpen = true;
    this.#next = null;
  }

  value(step: EventDecoder, word: number, isOfNext: boolean): void {
    const [hi, lo] = [step.hi[word], step.lo[word]];
    if (isOfNext) this.#next = { hi, lo };
    else if (this.#isOpen) {
      this.#isOpen = false;
      this.#endWithValue(hi, lo);
    }
  }

  argument(step: EventDecoder, word: number, slot: number): void {
    this.#close();
    const { slots, variables, functions, records } = this.catalog;
    const value = (BigInt(step.hi[word]) << 32n) | BigInt(step.lo[word]);
    const name = variables.name[slots.variable[slot]] || '-';
    this.text(
      `${this.core} p ${value.toString(16)} ${slots.sizeBytes[slot]} ${name} ` +
        `${functions.name[records.function[step.record]] || '-'}\n`,
    );
  }

  override flush(): void {
    this.#close();
    super.flush();
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.text(' -\n');
  }

  #endWithValue(hi: number, lo: number): void {
    this.space();
    this.hexadecimal(hi, lo);
    this.end();
  }
}
