// Stage: steps -> trace. The mirror of event-decoder.ts: the steps of one thread to EVENTS payloads, for traces that
// are drawn or made up. The recorder's own encoder is native; both write the same bytes for the same steps.

import { packColumn } from '../../src/trace/column.js';
import { EVENT_FIELDS, hasField, type EventField } from '../../src/trace/event-table.js';
import { LAYOUT, Sync } from '../../src/trace/layout.js';
import { VarintWriter } from './varint-writer.js';

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

export interface PathStep {
  /** Over the whole trace. */
  readonly path: number;
  /** Coded words: those logged, without the stamp of a STAMPED record. */
  readonly words: readonly bigint[];
  /** If its last record is STAMPED. */
  readonly stamped?: { readonly code: number; readonly stamp: bigint; readonly object: bigint };
}

export type EncodedStep = EventEntry | PathStep;

const HEAD = LAYOUT.dprof_chunk_events;
const NONE = -1;

interface PathState {
  successor: number;
  link: bigint;
  last: bigint[];
  stride: bigint[];
}

export class EventEncoder {
  private previous = NONE;
  private base = 0n;
  private readonly states = new Map<number, PathState>();

  /** One chunk's payload; chunks of a thread must be encoded in order. */
  encodeChunk(steps: readonly EncodedStep[]): Buffer {
    const control = new VarintWriter();
    const words = new VarintWriter();
    const events = new EventWriter();
    let run = 0;
    for (const step of steps) {
      if (!('path' in step)) {
        control.varint(BigInt(run));
        run = 0;
        control.byte(2);
        events.write(step);
        continue;
      }
      const predicted = this.predictedPath();
      const state = this.stateOf(step);
      const codes = step.words.map((word, index) => this.wordCode(state, step.words, word, index));
      if (step.path === predicted && codes.every((code) => code === 0)) run++;
      else {
        control.varint(BigInt(run));
        run = 0;
        const isSmall = codes.length <= 3;
        const operation = step.path === predicted ? 0 : 1;
        control.byte(operation | (isSmall ? packCodes(codes) << 2 : 0));
        if (operation === 1) control.zigzag(BigInt(step.path - predicted));
        if (!isSmall) for (let at = 0; at < codes.length; at += 4) control.byte(packCodes(codes.slice(at, at + 4)));
        codes.forEach((code, index) => {
          if (code === 2) words.zigzag(step.words[index] - state.last[index]);
        });
      }
      this.finish(step, state);
      if (step.stamped) events.writeStamp(step.stamped);
    }
    if (run > 0) control.varint(BigInt(run));
    const head = Buffer.alloc(HEAD.size);
    head.writeUInt32LE(steps.length, HEAD.steps);
    head.writeUInt32LE(events.entries, HEAD.events);
    return Buffer.concat([head, packColumn(control.bytes()), packColumn(words.bytes()), packColumn(events.bytes())]);
  }

  private predictedPath(): number {
    return this.previous === NONE ? 0 : (this.states.get(this.previous)?.successor ?? this.previous);
  }

  private stateOf(step: PathStep): PathState {
    let state = this.states.get(step.path);
    if (!state) {
      const zeros = step.words.map(() => 0n);
      state = { successor: step.path, link: 0n, last: zeros, stride: [...zeros] };
      this.states.set(step.path, state);
    }
    return state;
  }

  private wordCode(state: PathState, words: readonly bigint[], word: bigint, index: number): number {
    const { last, stride } = state;
    if (word === wrap(last[index] + stride[index])) return 0;
    if (word === last[index]) return 3;
    const linked = index === 0 ? wrap(this.base + state.link) : wrap(words[index - 1] + last[index] - last[index - 1]);
    return word === linked ? 1 : 2;
  }

  private finish(step: PathStep, state: PathState): void {
    state.stride = step.words.map((word, index) => wrap(word - state.last[index]));
    state.last = [...step.words];
    if (step.words.length > 0) {
      state.link = wrap(step.words[0] - this.base);
      this.base = step.words[step.words.length - 1];
    }
    const previous = this.states.get(this.previous);
    if (previous) previous.successor = step.path;
    this.previous = step.path;
  }
}

/** The events column of one chunk. */
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
        return this.column.varint(BigInt(entry[field.name] ?? 0));
      case 'text': {
        const bytes = Buffer.from(entry.text ?? '', 'utf8');
        this.column.varint(BigInt(bytes.length));
        for (const byte of bytes) this.column.byte(byte);
      }
    }
  }

  /** Of a STAMPED record. */
  writeStamp({ code, stamp, object }: NonNullable<PathStep['stamped']>): void {
    this.write({ code, detail: Sync.atomic, stamp, address: object });
  }

  bytes(): Uint8Array {
    return this.column.bytes();
  }

  private address(code: number, address: bigint): void {
    this.column.zigzag(address - (this.addresses.get(code) ?? 0n));
    this.addresses.set(code, address);
  }
}

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function packCodes(codes: readonly number[]): number {
  return codes.reduce((packed, code, index) => packed | (code << (2 * index)), 0);
}
