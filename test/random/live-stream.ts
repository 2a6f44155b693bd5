// A made-up run to the stream that a recorder would have passed on while it ran: threads' chunks as they came, and in
// between what was seen of threads that slept. What they are said to log next is not always so: a replay has to find
// that out.

import { EventCode, Sync } from '../../src/trace/layout.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import type { MadeUpRun } from './made-up-run.js';
import type { RandomNumbers } from './random-numbers.js';

const LIVE_QUIET = 64;
const QUIET_BYTES = 24;
const [ANYTHING, ACQUIRE, BLOCKED, NO_MORE] = [0, 1, 2, 3];

export interface StreamOptions {
  readonly pid: number;
  /** In percent: how often what is said of a sleeping thread is not so. */
  readonly liesPercent: number;
}

/** The whole stream, and the trace that has no more than threads logged. */
export function writeStream(
  { unit, globals, steps }: MadeUpRun,
  random: RandomNumbers,
  { pid, liesPercent }: StreamOptions,
): { stream: Buffer; trace: Buffer } {
  const writers = [new TraceWriter({ pid }), new TraceWriter({ pid })];
  const [stream] = writers;
  for (const writer of writers) writer.module('drawn', [writeUnit(unit)], globals);
  const threads = steps.reduce((most, { thread }) => Math.max(most, thread + 1), 0);
  const toCome = Array.from({ length: threads }, (_, number) =>
    steps.flatMap(({ thread, step }) => (thread === number && step !== null ? [step] : [])),
  );
  const held: EncodedStep[][] = Array.from({ length: threads }, () => []);
  const hasBegun = new Set<number>();
  let stamp = 0n;
  const flush = (thread: number): void => {
    if (held[thread].length === 0) return;
    for (const writer of writers) writer.events(thread, held[thread]);
    hasBegun.add(thread);
    held[thread] = [];
  };
  const tell = (): void => {
    const asleep = held.flatMap((own, thread) =>
      hasBegun.has(thread) && own.length === 0 && random.chance(70) ? [thread] : [],
    );
    stream.chunk(
      LIVE_QUIET,
      Buffer.concat(asleep.map((thread) => outlookOf(thread, stamp, toCome[thread], random, liesPercent))),
    );
  };
  const often = random.pick([1, 5, 20, 60]);
  for (const { thread, step } of steps) {
    if (step === null) continue;
    held[thread].push(step);
    toCome[thread].shift();
    stamp = stampOf(step) ?? stamp;
    if (!random.chance(often)) continue;
    for (let own = 0; own < threads; own++) if (random.chance(60)) flush(own);
    if (random.chance(80)) tell();
  }
  for (const thread of random.chance(50) ? held.keys() : [...held.keys()].reverse()) flush(thread);
  const [whole, trace] = writers.map((writer) => writer.finish({ exit: { code: 0 } }));
  return { stream: whole, trace };
}

function stampOf(step: EncodedStep): bigint | undefined {
  return 'path' in step ? step.stamped?.stamp : step.stamp;
}

function outlookOf(
  thread: number,
  stamp: bigint,
  toCome: readonly EncodedStep[],
  random: RandomNumbers,
  liesPercent: number,
): Buffer {
  const next = toCome.find((step) => 'path' in step || (step.code !== EventCode.time && step.code !== EventCode.lost));
  const said = random.chance(liesPercent) ? made(random) : truth(next, toCome.length);
  const bytes = Buffer.alloc(QUIET_BYTES);
  bytes.writeBigUInt64LE(stamp, 0);
  bytes.writeBigUInt64LE(said.object, 8);
  bytes.writeUInt32LE(thread, 16);
  bytes.writeUInt8(said.next, 20);
  bytes.writeUInt8(said.detail, 21);
  return bytes;
}

interface Said {
  readonly next: number;
  readonly detail: number;
  readonly object: bigint;
}

function truth(step: EncodedStep | undefined, left: number): Said {
  if (left === 0) return { next: NO_MORE, detail: 0, object: 0n };
  if (step === undefined || 'path' in step) return { next: ANYTHING, detail: 0, object: 0n };
  if (step.code === EventCode.blocked) return { next: BLOCKED, detail: 0, object: 0n };
  if (step.code === EventCode.acquire) return { next: ACQUIRE, detail: step.detail ?? 0, object: step.address ?? 0n };
  return { next: ANYTHING, detail: 0, object: 0n };
}

function made(random: RandomNumbers): Said {
  const kind = random.pick([Sync.mutex, Sync.mutex, Sync.condition, Sync.threadJoin]);
  const object = kind === Sync.threadJoin ? BigInt(random.below(5)) : BigInt(random.below(3)) * 64n + 0x5000n;
  return random.chance(40) ? { next: BLOCKED, detail: 0, object: 0n } : { next: ACQUIRE, detail: kind, object };
}
