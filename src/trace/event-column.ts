// Stage: trace -> replay. The events column of a chunk, entry by entry: runtime events and the stamps of atomics. It
// stands alone, so the order can scout ahead of the references without decoding them.

import {
  EVENTS,
  EVENT_FIELDS,
  EventCode,
  hasField,
  Lost,
  MARK_TEXT_BYTES,
  Unseen,
  type EventField,
} from './event-table.js';
import { TraceError } from './trace-error.js';
import { VarintReader } from './varint.js';

const MASK = 0xffff_ffff_ffff_ffffn;
const CODES = 16;
const MOST_IN_ONE_CALL = 1n << 40n;
const ADDRESS_END = BigInt(Number.MAX_SAFE_INTEGER);

export class EventColumn {
  code = 0;
  detail = 0;
  /** An event without a stamp has the stamp of the event before. */
  stamp = 0n;
  // A field that an event lacks is 0, or empty.
  /** The address; RELEASE, ACQUIRE, BOTH: the object; THREAD_START, THREAD_END: the begin of the stack. */
  address = 0n;
  /** Bytes from the address on; UNSEEN: bytes. */
  size = 0n;
  /** LOST: paths; SIGNAL: its number; MARK: its value. */
  number = 0n;
  /** TIME: NO_INDEX for none. */
  cpu = 0;
  /** ALLOCATE: of a part. */
  pool = 0;
  /** THREAD_START: the thread that created it. */
  creator = 0;
  /** THREAD_LOCAL. */
  unit = 0;
  /** THREAD_LOCAL: in the unit. */
  variable = 0;
  /** MARK. */
  text = '';
  hasStamp = false;

  private column = new VarintReader(new Uint8Array(0), 'events');
  private left = 0;
  private chunkStamp = 0n;
  private readonly addresses: bigint[] = new Array<bigint>(CODES).fill(0n);
  /** The thread's last stamp over all chunks: stamps rise strictly. */
  private lastStamp = -1n;

  load(raw: Uint8Array, entries: number, offset: number): void {
    this.column = new VarintReader(raw, `events (chunk at ${offset})`);
    this.left = entries;
    this.chunkStamp = 0n;
    this.addresses.fill(0n);
  }

  get atEnd(): boolean {
    return this.left === 0;
  }

  next(): void {
    const column = this.column;
    if (this.left === 0)
      throw new TraceError(`${column.name} column`, column.position, 'another entry', 'the end of the column');
    this.left--;
    const head = column.byte();
    this.code = head & 15;
    this.detail = head >> 4;
    const fields = EVENT_FIELDS[this.code];
    if (fields === undefined)
      throw new TraceError(
        `event code in the ${column.name} column`,
        column.position - 1,
        `1 to ${Object.keys(EVENTS).length}`,
        `${this.code}`,
      );
    this.forget();
    for (const field of fields) if (hasField(field, this.detail)) this.read(field);
    if (this.code === EventCode.unseen && this.detail === Unseen.kernelRange) this.checkRange();
  }

  /** Becomes the event that stands for damaged chunks; it is in no file. */
  tellGap(): void {
    this.forget();
    this.code = EventCode.lost;
    this.detail = Lost.chunks;
  }

  private forget(): void {
    this.address = this.size = this.number = 0n;
    this.cpu = this.pool = this.creator = this.unit = this.variable = 0;
    this.text = '';
    this.hasStamp = false;
  }

  private read(field: EventField): void {
    switch (field.encoding) {
      case 'stamp':
        return this.readStamp();
      case 'address':
        return this.readAddress();
      case 'number':
        this[field.name] = this.column.readBigint();
        return;
      case 'index':
      case 'pointer':
        this[field.name] = this.column.readNumber();
        return;
      case 'text':
        return this.readText();
    }
  }

  checkEnd(): void {
    if (this.left !== 0 || !this.column.atEnd) {
      throw new TraceError(
        `${this.column.name} column`,
        this.column.position,
        'the end of the column',
        `${this.left} more entries, ${this.column.bytes.length - this.column.position} more bytes`,
      );
    }
  }

  private readStamp(): void {
    this.hasStamp = true;
    this.stamp = (this.chunkStamp + this.column.readBigint()) & MASK;
    this.chunkStamp = this.stamp;
    if (this.stamp <= this.lastStamp)
      throw new TraceError(
        `stamp in the ${this.column.name} column`,
        this.column.position,
        `above ${this.lastStamp}`,
        `${this.stamp}`,
      );
    this.lastStamp = this.stamp;
  }

  private checkRange(): void {
    if (this.size > MOST_IN_ONE_CALL || this.address + this.size > ADDRESS_END) {
      throw new TraceError(
        `range written by the kernel in the ${this.column.name} column`,
        this.column.position,
        'at most 2^40 bytes that end below 2^53',
        `${this.size} bytes at ${this.address}`,
      );
    }
  }

  private readText(): void {
    const { column } = this;
    const bytes = column.readNumber();
    if (bytes > MARK_TEXT_BYTES)
      throw new TraceError(
        `text of a mark in the ${column.name} column`,
        column.position,
        `at most ${MARK_TEXT_BYTES} bytes`,
        `${bytes}`,
      );
    this.text = Buffer.from(Array.from({ length: bytes }, () => column.byte())).toString('utf8');
  }

  private readAddress(): void {
    this.column.readZigzag();
    this.address = (this.addresses[this.code] + this.column.bigint()) & MASK;
    this.addresses[this.code] = this.address;
  }
}
