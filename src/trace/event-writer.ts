// Stage: steps -> trace. The events column of one chunk: the mirror of event-column.ts, whose fields an entry has.

import { EVENT_FIELDS, hasField, type EventField } from './event-table.js';
import { VarintWriter } from './varint-writer.js';

/** A field that is left out is 0, or empty. */
export interface EventEntry {
  readonly code: number;
  readonly detail?: number;
  readonly stamp?: bigint;
  readonly address?: bigint;
  readonly size?: bigint;
  readonly number?: bigint;
  readonly cpu?: number;
  readonly pool?: number;
  readonly creator?: number;
  readonly unit?: number;
  readonly variable?: number;
  readonly text?: string;
}

export class EventWriter {
  entries = 0;
  private readonly column = new VarintWriter();
  private stamp = 0n;
  private readonly addresses = new Map<number, bigint>();

  write(entry: EventEntry): void {
    this.entries++;
    const { code, detail = 0 } = entry;
    this.column.byte(code | (detail << 4));
    for (const field of EVENT_FIELDS[code] ?? []) if (hasField(field, detail)) this.field(entry, field);
  }

  /** The next chunk begins. */
  clear(): void {
    this.entries = 0;
    this.column.clear();
    this.stamp = 0n;
    this.addresses.clear();
  }

  bytes(): Uint8Array {
    return this.column.bytes();
  }

  private field(entry: EventEntry, field: EventField): void {
    switch (field.encoding) {
      case 'stamp': {
        const { stamp = 0n } = entry;
        this.column.varint(stamp - this.stamp);
        this.stamp = stamp;
        return;
      }
      case 'address':
        return this.address(entry.code, entry.address ?? 0n);
      case 'number':
        return this.column.varint(entry[field.name] ?? 0n);
      case 'index':
      case 'pointer':
        return this.column.number(entry[field.name] ?? 0);
      case 'text': {
        const bytes = Buffer.from(entry.text ?? '', 'utf8');
        this.column.number(bytes.length);
        for (const byte of bytes) this.column.byte(byte);
      }
    }
  }

  private address(code: number, address: bigint): void {
    this.column.zigzag(address - (this.addresses.get(code) ?? 0n));
    this.addresses.set(code, address);
  }
}
