// Stage: trace -> replay. The EVENTS chunks of one thread, in order, to its steps, one at a time: a path is handed out
// record by record, with the derived addresses filled in. The mirror of event-encoder.ts; docs/trace-format.md draws
// the columns.

import { ChunkBegin } from '../contract/input.js';
import { locateColumn, unpackColumn } from './column.js';
import { EventColumn } from './event-column.js';
import { EventCode, LAYOUT, Sync } from './layout.js';
import { LoopPath } from './loop-path.js';
import { PathPrediction, type OwnPaths } from './path-prediction.js';
import type { Path, PathTable } from './path-table.js';
import { TraceError } from './trace-error.js';
import { VarintReader } from './varint.js';

const HEAD = LAYOUT.dprof_chunk_events;
const TWO_32 = 0x1_0000_0000;
/** Upper half of the first length that is not believed: 2^40 bytes and one. */
const LENGTH_HI = 1 << 8;

export class EventDecoder {
  /**
   * What `next` moved to: a record (see `record`, `lo`, `hi`, and `events` for a stamp) or, if NO record, the event in
   * `events`.
   */
  isRecord = false;
  record = 0;
  /** Halves of the current record's words, without its stamp. */
  lo = new Uint32Array(16);
  hi = new Uint32Array(16);
  words = 0;
  readonly events = new EventColumn();

  private control = new VarintReader(new Uint8Array(0), 'control');
  private wordColumn = new VarintReader(new Uint8Array(0), 'words');
  private stepsLeft = 0;
  private runLeft = 0;
  private afterRun = false;
  private isGapAhead = false;
  private chunkOffset = 0;
  private readonly prediction: PathPrediction;
  private readonly loop = new LoopPath();
  /** The path whose records are handed out, if it is not `loop`. */
  private current: Path | null = null;
  /** In `current`. */
  private nextRecord = 0;

  constructor(paths: PathTable, own?: OwnPaths) {
    this.prediction = new PathPrediction(paths, this.refusePath, own);
  }

  private readonly refusePath = (expected: string, actual: string): never => {
    throw this.error('path', expected, actual);
  };

  /**
   * Takes the thread's next chunk; `offset` is the payload's in the file, `begin` a ChunkBegin. The chunk before must
   * be used up.
   */
  load(payload: Buffer, offset: number, begin: number = ChunkBegin.goesOn): void {
    if (begin !== ChunkBegin.goesOn) this.prediction.restart();
    this.isGapAhead = begin === ChunkBegin.gap;
    if (payload.length < HEAD.size)
      throw new TraceError('EVENTS chunk', offset, `at least ${HEAD.size} bytes`, `${payload.length}`);
    const control = locateColumn(payload, HEAD.size, offset);
    const words = locateColumn(payload, control.next, offset);
    const events = locateColumn(payload, words.next, offset);
    if (events.next !== payload.length)
      throw new TraceError(
        'EVENTS chunk',
        offset + events.next,
        'the end of the chunk',
        `${payload.length - events.next} more bytes`,
      );
    this.control = new VarintReader(
      unpackColumn(control.stored, offset + HEAD.size + 4),
      `control (chunk at ${offset})`,
    );
    this.wordColumn = new VarintReader(
      unpackColumn(words.stored, offset + control.next + 4),
      `words (chunk at ${offset})`,
    );
    this.events.load(unpackColumn(events.stored, offset + words.next + 4), payload.readUInt32LE(HEAD.events), offset);
    this.stepsLeft = payload.readUInt32LE(HEAD.steps);
    this.runLeft = 0;
    this.afterRun = false;
    this.chunkOffset = offset;
  }

  /** Moves to the next record or event of the chunk; false at its end. */
  next(): boolean {
    if (this.isGapAhead) {
      this.isGapAhead = this.isRecord = false;
      this.events.tellGap();
      return true;
    }
    while (!this.takeRecord()) {
      if (this.runLeft > 0) {
        this.runLeft--;
        this.stepsLeft--;
        this.beginPath(this.prediction.takePredicted());
        continue;
      }
      if (this.stepsLeft === 0) {
        this.checkEnd();
        return false;
      }
      if (!this.afterRun) {
        this.runLeft = this.control.readNumber();
        if (this.runLeft > this.stepsLeft)
          throw this.error('run', `at most ${this.stepsLeft} steps`, `${this.runLeft}`);
        this.afterRun = true;
        continue;
      }
      this.afterRun = false;
      this.stepsLeft--;
      if (this.explicitStep(this.control.byte())) return true;
    }
    return true;
  }

  /** Whether it was an event. */
  private explicitStep(head: number): boolean {
    const operation = head & 3;
    const codes = head >> 2;
    if (operation === 3) throw this.error('step', 'operation 0, 1 or 2', '3');
    if (operation !== 2) {
      this.beginPath(this.prediction.takeCoded(operation === 1, codes, this.control, this.wordColumn));
      return false;
    }
    if (codes !== 0) throw this.error('step', 'no word codes for an event', `${codes}`);
    this.isRecord = false;
    this.events.next();
    return true;
  }

  private beginPath(path: Path): void {
    const { lo, hi } = this.prediction;
    for (const word of path.lengths) {
      if (hi[word] > LENGTH_HI || (hi[word] === LENGTH_HI && lo[word] > 0)) {
        throw this.error(
          'length of a block operation',
          'at most 2^40 bytes',
          `${(BigInt(hi[word]) << 32n) | BigInt(lo[word])}`,
        );
      }
    }
    if (path.loop !== null) {
      this.current = null;
      this.loop.begin(path, lo, hi, this.refusePath);
    } else {
      this.current = path;
      this.nextRecord = 0;
    }
  }

  /** False if the path at hand has no more. */
  private takeRecord(): boolean {
    if (this.current === null) return this.takeLoopRecord();
    if (this.nextRecord === this.current.records.length) return false;
    this.takePathRecord(this.current);
    return true;
  }

  private takeLoopRecord(): boolean {
    const { loop } = this;
    if (!loop.next()) return false;
    this.reserve(loop.words);
    for (let word = 0; word < loop.words; word++) {
      this.lo[word] = loop.lo[loop.first + word];
      this.hi[word] = loop.hi[loop.first + word];
    }
    this.words = loop.words;
    this.isRecord = true;
    this.record = loop.record;
    return true;
  }

  private reserve(words: number): void {
    if (words <= this.lo.length) return;
    this.lo = new Uint32Array(words * 2);
    this.hi = new Uint32Array(words * 2);
  }

  private takePathRecord(path: Path): void {
    const { source, delta } = path;
    const { lo: codedLo, hi: codedHi } = this.prediction;
    const first = path.firstWord[this.nextRecord];
    this.words = path.firstWord[this.nextRecord + 1] - first;
    this.reserve(this.words);
    for (let word = 0; word < this.words; word++) {
      const coded = source[first + word];
      const lo = codedLo[coded] + delta[first + word];
      this.lo[word] = lo;
      this.hi[word] = codedHi[coded] + (lo < 0 ? -1 : lo >= TWO_32 ? 1 : 0);
    }
    this.isRecord = true;
    this.record = path.records[this.nextRecord++];
    if (path.isStamped && this.nextRecord === path.records.length) this.takeStamp();
  }

  private takeStamp(): void {
    this.events.next();
    const { code, detail } = this.events;
    if (code < EventCode.release || code > EventCode.both || detail !== Sync.atomic) {
      throw this.error(
        'events entry of a STAMPED record',
        'RELEASE, ACQUIRE or BOTH of an atomic',
        `code ${code}, detail ${detail}`,
      );
    }
  }

  private checkEnd(): void {
    for (const column of [this.control, this.wordColumn]) {
      if (!column.atEnd)
        throw new TraceError(
          `${column.name} column`,
          column.position,
          'the end of the column',
          `${column.bytes.length - column.position} more bytes`,
        );
    }
    this.events.checkEnd();
  }

  private error(what: string, expected: string, actual: string): TraceError {
    return new TraceError(
      `${what} in the control column of the chunk at ${this.chunkOffset}`,
      this.control.position,
      expected,
      actual,
    );
  }
}
