// Stage: trace -> replay. The EVENTS chunks of one thread, in order, to its steps, one at a time. Prediction state lives as long as the decoder;
// docs/trace-format.md draws it. 64-bit words are pairs of 32-bit halves, so arithmetic modulo 2^64 is exact and allocates nothing.

import type { RecordTable } from './catalog.js';
import { locateColumn, unpackColumn } from './column.js';
import { EventColumn } from './event-column.js';
import { EventCode, LAYOUT, RecordFlag, Sync } from './layout.js';
import { TraceError } from './trace-error.js';
import { VarintReader } from './varint.js';

const HEAD = LAYOUT.dprof_chunk_events;
const NONE = -1;
/** State of a record in the pool: link lo, link hi, then per coded word last lo, last hi, stride lo, stride hi. */
const WORD = 4;
const FIRST_WORD = 2;

export class EventDecoder {
  /** What `next` moved to: a record (see `record`, `lo`, `hi`, and `events` for a stamp) or, if NO record, the event in `events`. */
  isRecord = false;
  record = 0;
  /** Halves of the current record's coded words. */
  lo = new Uint32Array(16);
  hi = new Uint32Array(16);
  words = 0;
  readonly events: EventColumn;

  private control = new VarintReader(new Uint8Array(0), 'control');
  private wordColumn = new VarintReader(new Uint8Array(0), 'words');
  private stepsLeft = 0;
  private runLeft = 0;
  private afterRun = false;
  private chunkOffset = 0;

  private previous = NONE;
  private baseLo = 0;
  private baseHi = 0;
  private readonly successor: Int32Array;
  private readonly stateAt: Int32Array;
  private pool = new Uint32Array(256);
  private poolEnd = 0;

  constructor(private readonly records: RecordTable) {
    this.successor = Int32Array.from({ length: records.count }, (_, record) => record);
    this.stateAt = new Int32Array(records.count).fill(NONE);
    this.events = new EventColumn();
  }

  /** Takes the thread's next chunk; `offset` is the payload's in the file. The chunk before must be used up. */
  load(payload: Buffer, offset: number): void {
    if (payload.length < HEAD.size) throw new TraceError('EVENTS chunk', offset, `at least ${HEAD.size} bytes`, `${payload.length}`);
    const control = locateColumn(payload, HEAD.size, offset);
    const words = locateColumn(payload, control.next, offset);
    const events = locateColumn(payload, words.next, offset);
    if (events.next !== payload.length) throw new TraceError('EVENTS chunk', offset + events.next, 'the end of the chunk', `${payload.length - events.next} more bytes`);
    this.control = new VarintReader(unpackColumn(control.stored, offset + HEAD.size + 4), `control (chunk at ${offset})`);
    this.wordColumn = new VarintReader(unpackColumn(words.stored, offset + control.next + 4), `words (chunk at ${offset})`);
    this.events.load(unpackColumn(events.stored, offset + words.next + 4), payload.readUInt32LE(HEAD.events), offset);
    this.stepsLeft = payload.readUInt32LE(HEAD.steps);
    this.runLeft = 0;
    this.afterRun = false;
    this.chunkOffset = offset;
  }

  /** Moves to the next step of the chunk; false at its end. */
  next(): boolean {
    if (this.runLeft > 0) {
      this.runLeft--;
      this.stepsLeft--;
      this.takeRecord(this.predictedRecord());
      this.predictWords();
      this.finishRecord();
      return true;
    }
    if (this.stepsLeft === 0) {
      this.checkEnd();
      return false;
    }
    if (!this.afterRun) {
      this.runLeft = this.control.readNumber();
      if (this.runLeft > this.stepsLeft) throw this.error('run', `at most ${this.stepsLeft} steps`, `${this.runLeft}`);
      this.afterRun = true;
      return this.next();
    }
    this.afterRun = false;
    this.stepsLeft--;
    this.explicitStep(this.control.byte());
    return true;
  }

  private explicitStep(operation: number): void {
    const codes = operation >> 2;
    switch (operation & 3) {
      case 0:
        this.takeRecord(this.predictedRecord());
        break;
      case 1: {
        this.control.readZigzag();
        const record = (this.control.lo + this.predictedRecord()) | 0;
        const isSmall = this.control.hi === 0 || this.control.hi === 0xffffffff;
        if (!isSmall || record < 0 || record >= this.records.count) throw this.error('record', `below ${this.records.count}`, isSmall ? `${record}` : 'a 64-bit number');
        this.takeRecord(record);
        break;
      }
      case 2:
        if (codes !== 0) throw this.error('step', 'no word codes for an event', `${codes}`);
        this.isRecord = false;
        this.events.next();
        return;
      default:
        throw this.error('step', 'operation 0, 1 or 2', '3');
    }
    this.codedWords(codes);
    this.finishRecord();
  }

  private predictedRecord(): number {
    const predicted = this.previous === NONE ? 0 : this.successor[this.previous];
    if (predicted >= this.records.count) throw this.error('record', 'a record in a MODULE chunk', 'none');
    return predicted;
  }

  private takeRecord(record: number): void {
    this.isRecord = true;
    this.record = record;
    const isStamped = (this.records.flags[record] & RecordFlag.stamped) !== 0;
    this.words = this.records.words[record] - (isStamped ? 1 : 0);
    if (this.words > this.lo.length) {
      this.lo = new Uint32Array(this.words * 2);
      this.hi = new Uint32Array(this.words * 2);
    }
    if (this.stateAt[record] === NONE) {
      const end = this.poolEnd + FIRST_WORD + WORD * this.words;
      if (end > this.pool.length) {
        const grown = new Uint32Array(Math.max(end, this.pool.length * 2));
        grown.set(this.pool);
        this.pool = grown;
      }
      this.stateAt[record] = this.poolEnd;
      this.poolEnd = end;
    }
  }

  private predictWords(): void {
    const pool = this.pool;
    let at = this.stateAt[this.record] + FIRST_WORD;
    for (let word = 0; word < this.words; word++, at += WORD) {
      const lo = pool[at] + pool[at + 2];
      this.lo[word] = lo;
      this.hi[word] = pool[at + 1] + pool[at + 3] + (lo > 0xffffffff ? 1 : 0);
    }
  }

  private codedWords(packed: number): void {
    const pool = this.pool;
    const state = this.stateAt[this.record];
    const isWide = this.words > 3;
    if (isWide && packed !== 0) throw this.error('step', 'word codes behind the operation byte', `codes ${packed} in it`);
    let codes = packed;
    for (let word = 0, at = state + FIRST_WORD; word < this.words; word++, at += WORD) {
      if (isWide && (word & 3) === 0) codes = this.control.byte();
      let lo = pool[at];
      let hi = pool[at + 1];
      switch (codes & 3) {
        case 0:
          lo += pool[at + 2];
          hi += pool[at + 3] + (lo > 0xffffffff ? 1 : 0);
          break;
        case 1:
          if (word === 0) {
            lo = this.baseLo + pool[state];
            hi = this.baseHi + pool[state + 1] + (lo > 0xffffffff ? 1 : 0);
          } else {
            lo -= pool[at - WORD];
            hi -= pool[at - WORD + 1] + (lo < 0 ? 1 : 0);
            lo = (lo >>> 0) + this.lo[word - 1];
            hi += this.hi[word - 1] + (lo > 0xffffffff ? 1 : 0);
          }
          break;
        case 2:
          this.wordColumn.readZigzag();
          lo += this.wordColumn.lo;
          hi += this.wordColumn.hi + (lo > 0xffffffff ? 1 : 0);
          break;
      }
      codes >>= 2;
      this.lo[word] = lo;
      this.hi[word] = hi;
    }
    if (codes !== 0 && this.words % 4 !== 0) throw this.error('step', `codes of ${this.words} words`, 'more');
  }

  private finishRecord(): void {
    const { record, words, lo, hi, pool } = this;
    const state = this.stateAt[record];
    for (let word = 0, at = state + FIRST_WORD; word < words; word++, at += WORD) {
      const strideLo = lo[word] - pool[at];
      pool[at + 3] = hi[word] - pool[at + 1] - (strideLo < 0 ? 1 : 0);
      pool[at + 2] = strideLo;
      pool[at] = lo[word];
      pool[at + 1] = hi[word];
    }
    if (words > 0) {
      const linkLo = lo[0] - this.baseLo;
      pool[state + 1] = hi[0] - this.baseHi - (linkLo < 0 ? 1 : 0);
      pool[state] = linkLo;
      this.baseLo = lo[words - 1];
      this.baseHi = hi[words - 1];
    }
    if (this.previous !== NONE) this.successor[this.previous] = record;
    this.previous = record;
    if ((this.records.flags[record] & RecordFlag.stamped) !== 0) this.takeStamp();
  }

  private takeStamp(): void {
    this.events.next();
    const { code, detail } = this.events;
    if (code < EventCode.release || code > EventCode.both || detail !== Sync.atomic) {
      throw this.error('events entry of a STAMPED record', 'RELEASE, ACQUIRE or BOTH of an atomic', `code ${code}, detail ${detail}`);
    }
  }

  private checkEnd(): void {
    for (const column of [this.control, this.wordColumn]) {
      if (!column.atEnd) throw new TraceError(`${column.name} column`, column.position, 'the end of the column', `${column.bytes.length - column.position} more bytes`);
    }
    this.events.checkEnd();
  }

  private error(what: string, expected: string, actual: string): TraceError {
    return new TraceError(`${what} in the control column of the chunk at ${this.chunkOffset}`, this.control.position, expected, actual);
  }
}
