// Stage: trace -> replay. The events column of a chunk, entry by entry: runtime events and the stamps of atomics. It
// stands alone, so the order can scout ahead of the references without decoding them.

import { Allocator, EventCode, MARK_TEXT_BYTES, Unseen } from './layout.js';
import { TraceError } from './trace-error.js';
import { VarintReader } from './varint.js';

const MASK = 0xffff_ffff_ffff_ffffn;
const CODES = 16;
const MOST_IN_ONE_CALL = 1n << 40n;
const ADDRESS_END = BigInt(Number.MAX_SAFE_INTEGER);

export class EventColumn {
  code = 0;
  detail = 0;
  /** Of TIME, ALLOCATE to THREAD_END, BLOCKED, MARK; else the stamp before it. */
  stamp = 0n;
  /**
   * ALLOCATE, FREE: address; RELEASE, ACQUIRE, BOTH: the object; THREAD_START, THREAD_END: stack begin; THREAD_LOCAL:
   * the variable's; UNSEEN: where, of a range.
   */
  address = 0n;
  /**
   * ALLOCATE, FREE: bytes; THREAD_START, THREAD_END: bytes of the stack; UNSEEN: bytes; LOST: paths; SIGNAL: its
   * number; MARK: its value.
   */
  value = 0n;
  /** TIME: cpu, or NO_INDEX. ALLOCATE: the pool of a part. THREAD_START: creator. THREAD_LOCAL: unit number. */
  first = 0;
  /** THREAD_LOCAL: variable index in the unit. */
  second = 0;
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
    this.hasStamp = this.code <= EventCode.blocked || this.code === EventCode.mark;
    switch (this.code) {
      case EventCode.time:
        this.readStamp();
        this.first = column.readNumber();
        break;
      case EventCode.allocate:
      case EventCode.free:
      case EventCode.threadEnd:
        this.readStamp();
        this.readAddress();
        this.value = column.readBigint();
        this.first = this.code === EventCode.allocate && this.detail === Allocator.part ? column.readNumber() : 0;
        break;
      case EventCode.release:
      case EventCode.acquire:
      case EventCode.both:
        this.readStamp();
        this.readAddress();
        break;
      case EventCode.threadStart:
        this.readStamp();
        this.first = column.readNumber();
        this.readAddress();
        this.value = column.readBigint();
        break;
      case EventCode.blocked:
        this.readStamp();
        break;
      case EventCode.unseen:
        this.value = column.readBigint();
        if (this.detail === Unseen.kernelRange) this.readRange();
        break;
      case EventCode.lost:
      case EventCode.signal:
        this.value = column.readBigint();
        break;
      case EventCode.threadLocal:
        this.first = column.readNumber();
        this.second = column.readNumber();
        this.readAddress();
        break;
      case EventCode.mark:
        this.readStamp();
        this.value = column.readBigint();
        this.readText();
        break;
      default:
        throw new TraceError(`event code in the ${column.name} column`, column.position - 1, '1 to 14', `${this.code}`);
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

  private readRange(): void {
    this.readAddress();
    if (this.value > MOST_IN_ONE_CALL || this.address + this.value > ADDRESS_END) {
      throw new TraceError(
        `range written by the kernel in the ${this.column.name} column`,
        this.column.position,
        'at most 2^40 bytes that end below 2^53',
        `${this.value} bytes at ${this.address}`,
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
