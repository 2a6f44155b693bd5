// Stage: trace -> replay. Runs ahead of a thread over its events columns alone and tells which releases it will make,
// with their keys.

import type { ThreadChunks } from '../contract/input.js';
import { locateColumn, unpackColumn } from '../trace/column.js';
import { EventColumn } from '../trace/event-column.js';
import { LAYOUT } from '../trace/layout.js';
import { TraceError } from '../trace/trace-error.js';
import type { TraceFile } from '../trace/trace-file.js';
import { namedBy, type AddressSpace } from './address-space.js';

const HEAD = LAYOUT.dprof_chunk_events;

export class Scout {
  /** The entry that `next` moved to. */
  readonly entry = new EventColumn();
  private nextChunk = 0;

  constructor(
    private readonly file: TraceFile,
    private readonly chunks: ThreadChunks,
    private readonly space: AddressSpace | null = null,
  ) {}

  /** Moves to the next entry with a stamp. */
  next(): boolean {
    if (this.space === null) return this.read();
    if (!namedBy(this.space, () => this.read())) return false;
    this.space.event(this.entry);
    return true;
  }

  private read(): boolean {
    for (;;) {
      while (!this.entry.atEnd) {
        this.entry.next();
        if (this.entry.hasStamp) return true;
      }
      if (this.nextChunk === this.chunks.offset.length) return false;
      this.openChunk(this.chunks.offset[this.nextChunk], this.chunks.bytes[this.nextChunk]);
      this.nextChunk++;
    }
  }

  private openChunk(offset: number, bytes: number): void {
    const payload = this.file.read(offset, bytes);
    if (payload.length < HEAD.size)
      throw new TraceError('EVENTS chunk', offset, `at least ${HEAD.size} bytes`, `${payload.length}`);
    const control = locateColumn(payload, HEAD.size, offset);
    const words = locateColumn(payload, control.next, offset);
    const events = locateColumn(payload, words.next, offset);
    this.entry.load(unpackColumn(events.stored, offset + words.next + 4), payload.readUInt32LE(HEAD.events), offset);
  }
}
