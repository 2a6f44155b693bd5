// Stage: trace -> replay. The facts of a trace that need no decoding: when each thread's chunks were recorded, and
// which marks the program set. Only columns of events are read, a small part of the bytes. They do not say where
// references lie: predictions run on over a thread's chunks.

import type { ProcessInput, ThreadChunks } from '../contract/input.js';
import { unpackColumn } from './column.js';
import { EventColumn } from './event-column.js';
import { EventCode, LAYOUT, MarkKind } from './layout.js';
import { TraceError } from './trace-error.js';
import { TraceFile } from './trace-file.js';

const HEAD = LAYOUT.dprof_chunk_events;

/** Where chunks lie: those of several processes each in the file of its own. */
export interface ChunkPlaces {
  readonly path: string;
  readonly threads: readonly ThreadChunks[];
  readonly processes?: readonly Pick<ProcessInput, 'path'>[];
}

export interface TraceTimes {
  /** Stamps: of the first event that has one, and of the last; null: none has. */
  readonly first: bigint;
  readonly last: bigint;
}

/** When the run began and ended, as far as its events say. */
export function readTimes(places: ChunkPlaces): TraceTimes | null {
  return withFiles((fileOf) => {
    const firsts: bigint[] = [];
    const lasts: bigint[] = [];
    for (const thread of places.threads) {
      const file = fileOf(places, thread);
      const numbers = Array.from(thread.offset.keys());
      const first = firstOf(numbers, (chunk) => stampsOf(file, thread, chunk)?.first);
      if (first === undefined) continue;
      firsts.push(first);
      lasts.push(firstOf(numbers.reverse(), (chunk) => stampsOf(file, thread, chunk)?.last)!);
    }
    if (firsts.length === 0) return null;
    return { first: firsts.reduce((a, b) => (b < a ? b : a)), last: lasts.reduce((a, b) => (b > a ? b : a)) };
  });
}

/** How often the program set each of its marks. */
export function readMarks(places: ChunkPlaces): ReadonlyMap<string, number> {
  return withFiles((fileOf) => {
    const marks = new Map<string, number>();
    for (const thread of places.threads) {
      const file = fileOf(places, thread);
      for (const chunk of thread.offset.keys()) {
        eachEntry(file, thread, chunk, ({ code, detail, text }) => {
          if (code === EventCode.mark && detail === MarkKind.phase) marks.set(text, (marks.get(text) ?? 0) + 1);
        });
      }
    }
    return marks;
  });
}

function withFiles<Value>(use: (fileOf: (places: ChunkPlaces, thread: ThreadChunks) => TraceFile) => Value): Value {
  const opened = new Map<string, TraceFile>();
  try {
    return use(({ path, processes }, { process }) => {
      const own = process === undefined ? path : (processes?.[process]?.path ?? path);
      const file = opened.get(own) ?? TraceFile.open(own);
      opened.set(own, file);
      return file;
    });
  } finally {
    for (const file of opened.values()) file.close();
  }
}

function firstOf<Value>(numbers: readonly number[], find: (number: number) => Value | undefined): Value | undefined {
  for (const number of numbers) {
    const found = find(number);
    if (found !== undefined) return found;
  }
  return undefined;
}

function stampsOf(file: TraceFile, thread: ThreadChunks, chunk: number): TraceTimes | undefined {
  let times: TraceTimes | undefined;
  eachEntry(file, thread, chunk, ({ hasStamp, stamp }) => {
    if (hasStamp) times = { first: times?.first ?? stamp, last: stamp };
  });
  return times;
}

function eachEntry(
  file: TraceFile,
  { offset, bytes }: ThreadChunks,
  chunk: number,
  visit: (entry: EventColumn) => void,
): void {
  const { raw, entries } = readEventsColumn(file, offset[chunk], bytes[chunk]);
  const column = new EventColumn();
  column.load(raw, entries, offset[chunk]);
  while (!column.atEnd) {
    column.next();
    visit(column);
  }
}

/** The last of a chunk's three columns: the other two are passed over. */
function readEventsColumn(file: TraceFile, offset: number, bytes: number): { raw: Uint8Array; entries: number } {
  const head = file.read(offset, Math.min(bytes, HEAD.size));
  if (head.length < HEAD.size)
    throw new TraceError('EVENTS chunk', offset, `at least ${HEAD.size} bytes`, `${head.length}`);
  let at: number = HEAD.size;
  for (let passed = 0; passed < 2; passed++) at += 4 + lengthAt(file, offset, bytes, at);
  const length = lengthAt(file, offset, bytes, at);
  return {
    raw: unpackColumn(file.read(offset + at + 4, length), offset + at + 4),
    entries: head.readUInt32LE(HEAD.events),
  };
}

function lengthAt(file: TraceFile, offset: number, bytes: number, at: number): number {
  const length = bytes - at < 8 ? 0 : file.read(offset + at, 4).readUInt32LE();
  if (length < 4 || length > bytes - at - 4)
    throw new TraceError('column length', offset + at, `4 to ${bytes - at - 4} bytes`, `${length}`);
  return length;
}
