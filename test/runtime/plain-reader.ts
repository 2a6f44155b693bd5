// Stage: test. A second reader of *.dptrace, written from docs/trace-format.md alone: slow, plain, and sharing no code
// with src/trace, so that encoder and reader can not be wrong in the same way.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PlainPaths } from './plain-paths.js';

export interface PlainEvent {
  readonly name: string;
  readonly detail: number;
  readonly stamp?: bigint;
  readonly fields: readonly bigint[];
  readonly text?: string;
}
/** `region` is an entry over the whole trace, `words` are the coded ones. */
export type PlainStep =
  | { readonly region: number; readonly path: number; readonly words: readonly bigint[]; readonly stamp?: bigint }
  | { readonly event: PlainEvent };

export interface PlainThread {
  readonly thread: number;
  readonly steps: readonly PlainStep[];
}
export interface PlainModule {
  readonly path: string;
  readonly globals: readonly { address: bigint; unit: number; variable: number }[];
}
export interface PlainTrace {
  readonly flags: number;
  readonly pid: number;
  readonly process: { command: string[]; executable: string; cpus: number; randomised: boolean };
  readonly modules: readonly PlainModule[];
  readonly threads: ReadonlyMap<number, PlainThread>;
  readonly end: {
    exit: Record<string, unknown>;
    threads: number;
    segments: number;
    lostSegments: number;
    durationNs: number;
  } | null;
  readonly chunks: readonly PlainChunk[];
}

const EVENT_NAMES = [
  '',
  'TIME',
  'ALLOCATE',
  'FREE',
  'RELEASE',
  'ACQUIRE',
  'BOTH',
  'THREAD_START',
  'THREAD_END',
  'BLOCKED',
  'UNSEEN',
  'LOST',
  'THREAD_LOCAL',
  'SIGNAL',
  'MARK',
];
const PART = 7;
const MASK = (1n << 64n) - 1n;

function crc32(bytes: Buffer): number {
  let c = 0xffffffff;
  for (const byte of bytes) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  }
  return ~c >>> 0;
}

function unpackLz4(block: Buffer, size: number): Buffer {
  const out = Buffer.alloc(size);
  let from = 0;
  let to = 0;
  const length = (start: number): number => {
    let total = start;
    if (start === 15) for (let more = 255; more === 255; ) total += more = block[from++];
    return total;
  };
  while (from < block.length) {
    const token = block[from++];
    const literals = length(token >> 4);
    block.copy(out, to, from, from + literals);
    from += literals;
    to += literals;
    if (from >= block.length) break;
    const distance = block.readUInt16LE(from);
    from += 2;
    const match = length(token & 15) + 4;
    for (let i = 0; i < match; i++, to++) out[to] = out[to - distance];
  }
  if (to !== size) throw new Error(`LZ4 block holds ${to} bytes, not ${size}`);
  return out;
}

class Reader {
  at = 0;
  constructor(readonly bytes: Buffer) {}
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || shift > 63n) throw new Error(`varint runs over the end at ${this.at}`);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value & MASK;
    }
  }
  zigzag(): bigint {
    const n = this.varint();
    return (n & 1n ? -((n + 1n) >> 1n) : n >> 1n) & MASK;
  }
  column(): Buffer {
    const stored = this.bytes.readUInt32LE(this.at);
    const raw = this.bytes.readUInt32LE(this.at + 4);
    const block = this.bytes.subarray(this.at + 8, this.at + 4 + stored);
    this.at += 4 + stored;
    return raw ? unpackLz4(block, raw) : Buffer.alloc(0);
  }
}

class ThreadState {
  readonly steps: PlainStep[] = [];
  previous = -1;
  base = 0n;
  readonly successor = new Map<number, number>();
  readonly link = new Map<number, bigint>();
  readonly last = new Map<number, bigint[]>();
  readonly stride = new Map<number, bigint[]>();
  lastStamp = 0n;

  decode(chunk: Buffer, paths: PlainPaths): void {
    const reader = new Reader(chunk);
    const steps = chunk.readUInt32LE(0);
    const entries = chunk.readUInt32LE(4);
    reader.at = 8;
    const control = new Reader(reader.column());
    const words = new Reader(reader.column());
    const events = new EventColumn(reader.column(), this);
    for (let done = 0; done < steps; ) {
      for (let run = control.varint(); run > 0n; run--, done++) this.step(this.predicted(), null, words, paths, events);
      if (done === steps) break;
      const byte = control.bytes[control.at++];
      done++;
      if ((byte & 3) === 2) {
        this.steps.push({ event: events.next() });
        continue;
      }
      const path =
        (byte & 3) === 1 ? Number(BigInt.asIntN(64, BigInt(this.predicted()) + control.zigzag())) : this.predicted();
      const n = paths.at(path).codedWords;
      const codes: number[] = [];
      for (let i = 0; i < n; i++)
        codes.push(n <= 3 ? (byte >> (2 + 2 * i)) & 3 : (control.bytes[control.at + (i >> 2)] >> (2 * (i & 3))) & 3);
      if (n > 3) control.at += Math.ceil(n / 4);
      this.step(path, codes, words, paths, events);
    }
    if (
      control.at !== control.bytes.length ||
      words.at !== words.bytes.length ||
      events.at !== events.bytes.length ||
      events.entries !== entries
    )
      throw new Error('a column has bytes left over');
  }

  private predicted(): number {
    return this.previous < 0 ? 0 : (this.successor.get(this.previous) ?? this.previous);
  }

  private step(
    path: number,
    codes: readonly number[] | null,
    words: Reader,
    paths: PlainPaths,
    events: EventColumn,
  ): void {
    const { codedWords: n, stamped } = paths.at(path);
    const last = this.last.get(path) ?? new Array<bigint>(n).fill(0n);
    const stride = this.stride.get(path) ?? new Array<bigint>(n).fill(0n);
    const now: bigint[] = [];
    for (let i = 0; i < n; i++) {
      const code = codes ? codes[i] : 0;
      if (code === 0) now.push((last[i] + stride[i]) & MASK);
      else if (code === 3) now.push(last[i]);
      else if (code === 2) now.push((last[i] + words.zigzag()) & MASK);
      else now.push((i ? now[i - 1] + last[i] - last[i - 1] : this.base + (this.link.get(path) ?? 0n)) & MASK);
    }
    this.stride.set(
      path,
      now.map((value, i) => (value - last[i]) & MASK),
    );
    this.last.set(path, now);
    if (n) {
      this.link.set(path, (now[0] - this.base) & MASK);
      this.base = now[n - 1];
    }
    if (this.previous >= 0) this.successor.set(this.previous, path);
    this.previous = path;
    const place = paths.place(path);
    this.steps.push(stamped ? { ...place, words: now, stamp: events.next().stamp } : { ...place, words: now });
  }
}

class EventColumn extends Reader {
  entries = 0;
  private stamp = 0n;
  private readonly address = new Map<number, bigint>();
  constructor(
    bytes: Buffer,
    private readonly thread: ThreadState,
  ) {
    super(bytes);
  }
  next(): PlainEvent {
    this.entries++;
    const code = this.bytes[this.at] & 15;
    const detail = this.bytes[this.at++] >> 4;
    const takeStamp = (): bigint => {
      this.stamp = (this.stamp + this.varint()) & MASK;
      if (this.stamp <= this.thread.lastStamp) throw new Error(`stamp ${this.stamp} after ${this.thread.lastStamp}`);
      return (this.thread.lastStamp = this.stamp);
    };
    const takeAddress = (): bigint => {
      const value = ((this.address.get(code) ?? 0n) + this.zigzag()) & MASK;
      this.address.set(code, value);
      return value;
    };
    const name = EVENT_NAMES[code];
    switch (name) {
      case 'TIME':
        return { name, detail, stamp: takeStamp(), fields: [this.varint()] };
      case 'ALLOCATE':
      case 'FREE':
        if (name === 'ALLOCATE' && detail === PART)
          return { name, detail, stamp: takeStamp(), fields: [takeAddress(), this.varint(), this.varint()] };
        return { name, detail, stamp: takeStamp(), fields: [takeAddress(), this.varint()] };
      case 'RELEASE':
      case 'ACQUIRE':
      case 'BOTH':
        return { name, detail, stamp: takeStamp(), fields: [takeAddress()] };
      case 'THREAD_START':
        return { name, detail, stamp: takeStamp(), fields: [this.varint(), takeAddress(), this.varint()] };
      case 'THREAD_END':
        return { name, detail, stamp: takeStamp(), fields: [takeAddress(), this.varint()] };
      case 'BLOCKED':
        return { name, detail, stamp: takeStamp(), fields: [] };
      case 'THREAD_LOCAL':
        return { name, detail, fields: [this.varint(), this.varint(), takeAddress()] };
      case 'MARK': {
        const [stamp, value, bytes] = [takeStamp(), this.varint(), Number(this.varint())];
        this.at += bytes;
        return { name, detail, stamp, fields: [value], text: this.bytes.toString('utf8', this.at - bytes, this.at) };
      }
      case 'UNSEEN':
        return { name, detail, fields: detail === 4 ? [this.varint(), takeAddress()] : [this.varint()] };
      case 'LOST':
      case 'SIGNAL':
        return { name, detail, fields: [this.varint()] };
      default:
        throw new Error(`event code ${code}`);
    }
  }
}

/** `folder`: null for a module with units of its own; else where the trace is that has them. */
function readModule(payload: Buffer, paths: PlainPaths, folder: string | null): PlainModule {
  const pathBytes = payload.readUInt32LE(4);
  const count = payload.readUInt32LE(8);
  const globals = [];
  let at = 16 + pathBytes;
  for (let i = 0; i < count; i++, at += 16)
    globals.push({
      address: payload.readBigUInt64LE(at),
      unit: payload.readUInt32LE(at + 8),
      variable: payload.readUInt32LE(at + 12),
    });
  const reader = new Reader(payload);
  reader.at = at;
  paths.addUnits(folder === null ? reader.column() : unitsElsewhere(payload.subarray(at), folder));
  return { path: payload.toString('utf8', 16, 16 + pathBytes), globals };
}

function unitsElsewhere(home: Buffer, folder: string): Buffer {
  const path = join(folder, home.toString('utf8', 24, 24 + home.readUInt32LE(20)));
  const { header, chunks } = readChunks(path);
  if (header.readBigUInt64LE(32) !== home.readBigUInt64LE(0) || header.readUInt32LE(52) !== home.readUInt32LE(8))
    throw new Error(`${path}: another process`);
  const { payload } = chunks.filter(({ kind }) => kind === 2 || kind === 7)[home.readUInt32LE(12)];
  const reader = new Reader(payload);
  reader.at = 16 + payload.readUInt32LE(4) + 16 * payload.readUInt32LE(8);
  const units = reader.column();
  if (crc32(units) !== home.readUInt32LE(16)) throw new Error(`${path}: other units`);
  return units;
}

/** Steps of one thread from the payloads of its EVENTS chunks. */
export function decodeChunks(payloads: readonly Buffer[], paths: PlainPaths): readonly PlainStep[] {
  const state = new ThreadState();
  for (const payload of payloads) state.decode(payload, paths);
  return state.steps;
}

export interface PlainChunk {
  readonly kind: number;
  readonly thread: number;
  readonly sequence: number;
  readonly payload: Buffer;
}

/** The whole chunks, and how many bytes of a torn one follow them. */
export function readChunks(path: string): { header: Buffer; chunks: PlainChunk[]; tornBytes: number } {
  const bytes = readFileSync(path);
  if (bytes.toString('latin1', 0, 8) !== 'DPROFTRC' || bytes.readUInt32LE(60) !== crc32(bytes.subarray(0, 60)))
    throw new Error(`${path}: no trace header`);
  const chunks: PlainChunk[] = [];
  let at = 64;
  while (at + 32 <= bytes.length) {
    const header = bytes.subarray(at, at + 32);
    if (header.readUInt32LE(0) !== 0x4b435044 || header.readUInt32LE(28) !== crc32(header.subarray(0, 28)))
      throw new Error(`${path}: no chunk at ${at}`);
    const payload = bytes.subarray(at + 32, at + 32 + header.readUInt32LE(16));
    if (payload.length < header.readUInt32LE(16)) break;
    if (header.readUInt32LE(20) !== crc32(payload)) throw new Error(`${path}: damaged chunk at ${at}`);
    chunks.push({
      kind: header.readUInt16LE(4),
      thread: header.readUInt32LE(8),
      sequence: header.readUInt32LE(12),
      payload,
    });
    at += 32 + payload.length;
  }
  return { header: bytes.subarray(0, 64), chunks, tornBytes: bytes.length - at };
}

export function readPlain(path: string): PlainTrace {
  const { header, chunks, tornBytes } = readChunks(path);
  if (tornBytes) throw new Error(`${path}: ${tornBytes} bytes after the last whole chunk`);
  const modules: PlainModule[] = [];
  const paths = new PlainPaths();
  const threads = new Map<number, ThreadState>();
  const sequences = new Map<number, number>();
  let process: PlainTrace['process'] | null = null;
  let end: PlainTrace['end'] = null;
  for (const { kind, thread, sequence, payload } of chunks) {
    if (kind === 1) process = JSON.parse(payload.toString());
    if (kind === 2) modules.push(readModule(payload, paths, null));
    if (kind === 7) modules.push(readModule(payload, paths, dirname(path)));
    if (kind === 4) end = JSON.parse(payload.toString());
    if (kind !== 3) continue;
    if (sequence !== (sequences.get(thread) ?? 0))
      throw new Error(`${path}: thread ${thread} has no chunk ${sequences.get(thread) ?? 0}`);
    sequences.set(thread, sequence + 1);
    if (!threads.has(thread)) threads.set(thread, new ThreadState());
    threads.get(thread)!.decode(payload, paths);
  }
  if (!process) throw new Error(`${path}: no PROCESS chunk`);
  const plain = new Map([...threads].map(([thread, state]) => [thread, { thread, steps: state.steps }]));
  return {
    flags: header.readUInt32LE(44),
    pid: header.readUInt32LE(52),
    process,
    modules,
    threads: plain,
    end,
    chunks,
  };
}

/**
 * The steps of one thread as lines, addresses relative to `origin` if given: easy to compare and to read in a failure.
 */
export function stepLines(thread: PlainThread, origin = 0n): string[] {
  return thread.steps.map((step) =>
    'event' in step
      ? (
          `${step.event.name}:${step.event.detail} ` +
          `${step.event.fields.map((field) => field.toString(16)).join(' ')}`
        ).trim()
      : (
          `#${step.region}${step.path ? `.${step.path}` : ''} ` +
          `${step.words.map((word) => (word - origin).toString(16)).join(' ')}`
        ).trim(),
  );
}
