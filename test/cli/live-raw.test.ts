// Stage: test. RAW chunks of a live trace (dprof/live_trace.h), with a recorder that is played here: who asks for them,
// what they say, and what no recorder writes.

import { spawn, type ChildProcess } from 'node:child_process';
import { readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveProgress } from '../../src/cli/live-progress.js';
import { LiveReplay } from '../../src/cli/live-replay.js';
import { replayTrace } from '../../src/cli/replay-trace.js';
import type { Profile } from '../../src/profile/profile.js';
import { LiveTrace } from '../../src/replay/live-trace.js';
import { EventWriter } from '../../src/trace/event-writer.js';
import { EventCode } from '../../src/trace/layout.js';
import { VIEWS, viewsOf as namesOf } from '../../src/views/views.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { randomRun } from '../random/random-trace.js';
import { stampEntry, type EncodedStep } from '../trace/event-encoder.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { makeFolder, saveTrace } from './command-line.js';
import { request } from './live-request.js';
import { atLength } from '../at-length.js';

const folder = makeFolder();
/** In struct dprof_live_control, and behind it. */
const AT = { written: 16, raw: 68, steps: 80, slots: 4096 };
const SLOTS = 16;
const SLOT_BYTES = 65 * 1024 * 8;
const RAW = 65;
const EVENT = 2n ** 64n - 1n;
/** A process that this test may not look into: whatever comes is kept. */
const NOBODY = 0x7fffffff;
/** A program in which nothing can start a thread, so that nothing is kept. */
let lone: ChildProcess;

beforeAll(() => void (lone = spawn('/bin/sleep', ['1000'])));
afterAll(() => void lone.kill());

/**
 * A trace of one thread with one chunk of events: path 0 is a store, path 32 two stores. `early`: there is one more
 * chunk, without paths, in front of the module.
 */
function begun(pid: number, early: readonly EncodedStep[] = []): TraceWriter {
  const unit = new UnitBuilder();
  const long = unit.type('scalar', 'long', 8);
  const variable = unit.variable('global', 'cells', long, 65536);
  const count = unit.function('count');
  const store = (line: number) =>
    unit.slot('store', { type: long, path: '', offset: 0, variable, function: count, line });
  unit.alone('segment', [store(11)], { instructions: 4, function: count });
  unit.alone('segment', [store(12), store(13)], { instructions: 6, function: count });
  const writer = new TraceWriter({
    pid,
    process: { command: ['./drawn'], executable: '/tmp/drawn', cpus: 2, randomised: false },
  });
  if (early.length > 0) writer.events(0, early);
  writer.module('/tmp/drawn', [writeUnit(unit.unit)], [{ address: 0x4000n, unit: 0, variable }]);
  writer.events(0, [{ path: 0, words: [0x4000n] }]);
  return writer;
}

interface RawChunk {
  readonly steps: number;
  readonly events?: number;
  readonly words: readonly bigint[];
  readonly column?: readonly number[];
  /** Instead of how many words there are. */
  readonly count?: number;
}

function bytesOf(kind: number, payload: Buffer, sequence: number): Buffer {
  const writer = new TraceWriter();
  const before = writer.unfinished().length;
  writer.chunk(kind, payload, 0, sequence);
  return Buffer.from(writer.unfinished().subarray(before));
}

function payloadOf({ steps, events = 0, words, column = [], count = words.length }: RawChunk): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(steps, 0);
  head.writeUInt32LE(events, 4);
  head.writeBigUInt64LE(BigInt(count), 8);
  return Buffer.concat([head, Buffer.from(column)]);
}

/** The first chunk of events, then RAW chunks as soon as the reader asks for them, then `rest`. */
async function play(
  chunks: readonly RawChunk[],
  rest: Buffer,
  {
    pid = lone.pid!,
    progress = new LiveProgress('drawn'),
    steps = 0,
    told = undefined as Profile[] | undefined,
    head = begun(pid).unfinished(),
    /** Bytes of the head that come before the rest of it. */
    early = 0,
    sequence = 1,
  } = {},
): Promise<Profile> {
  const live = new LiveTrace(1 << 20);
  let at = 0;
  const put = (bytes: Buffer): void => {
    writeSync(live.data, bytes, 0, bytes.length, at);
    at += bytes.length;
    const written = Buffer.alloc(8);
    written.writeBigUInt64LE(BigInt(at));
    writeSync(live.control, written, 0, 8, AT.written);
  };
  const isAskedFor = (): boolean => {
    const word = Buffer.alloc(4);
    readSync(live.control, word, 0, 4, AT.raw);
    return word.readUInt32LE() === 1;
  };
  try {
    const running = new LiveReplay(live, request, 2, progress, ([soFar]) => told?.push(soFar)).run();
    running.catch(() => {});
    const recorded = Buffer.alloc(8);
    recorded.writeBigUInt64LE(BigInt(steps));
    writeSync(live.control, recorded, 0, 8, AT.steps);
    if (early > 0) {
      put(head.subarray(0, early));
      live.pause(); // wakes the reader
      await sleep(200);
    }
    put(head.subarray(early));
    live.pause();
    for (let tries = 0; pid !== NOBODY && tries < 100 && !isAskedFor(); tries++) await sleep(50);
    expect(isAskedFor()).toBe(pid !== NOBODY);
    for (const [index, chunk] of chunks.entries()) {
      const words = Buffer.alloc(chunk.words.length * 8);
      chunk.words.forEach((word, i) => words.writeBigUInt64LE(word, i * 8));
      writeSync(live.control, words, 0, words.length, AT.slots + (index % SLOTS) * SLOT_BYTES);
      put(bytesOf(RAW, payloadOf(chunk), sequence + index));
    }
    if (told) await untilTold(live, told);
    put(rest);
    live.end();
    return (await running)[0];
  } finally {
    await live.destroy();
  }
}

/** Asks for what came so far until that is the same twice. */
async function untilTold(live: LiveTrace, told: readonly Profile[]): Promise<void> {
  const done = (back: number): number => told.at(-back)?.totals.references ?? 0;
  for (let tries = 0; tries < 40 && !(done(1) > 1 && done(1) === done(2)); tries++) {
    live.pause();
    await sleep(50);
  }
}

const viewsOf = (profile: Profile): unknown[] => namesOf(profile).map((name) => VIEWS[name].build(profile));

/** A cut trace says otherwise how it ended. */
const withoutEnd = (view: unknown): unknown => ({ ...(view as object), ended: '' });

const endOf = (writer: TraceWriter): Buffer => {
  const before = writer.unfinished().length;
  return Buffer.from(writer.finish({ exit: { code: 0 } }).subarray(before));
};

/** A trace behind `begun`, with the same steps once as its chunks are in a file, and once as RAW chunks. */
function twofold(): { writer: TraceWriter; chunks: RawChunk[] } {
  const writer = begun(lone.pid!);
  const chunks: RawChunk[] = [];
  // 10 chunks: fewer than there are slots, as nobody here waits for one
  for (let chunk = 0; chunk < 10; chunk++) {
    const at = 0x4000n + BigInt(chunk * 640);
    const time = 1000n + BigInt(chunk);
    const paths = Array.from({ length: 50 }, (_, i) => [at + BigInt(i * 8), at + 4096n - BigInt(i * 24)]);
    const steps: EncodedStep[] = paths.flatMap(([one, other]) => [
      { path: 0, words: [one] },
      { path: 32, words: [other, one] },
    ]);
    writer.events(0, [...steps, { code: EventCode.time, stamp: time, cpu: 1 }]);
    chunks.push({
      steps: 2 * paths.length + 1,
      events: 1,
      words: [...paths.flatMap(([one, other]) => [0n, one, 32n, other, one]), EVENT],
      column: [1, Number(time & 127n) | 128, Number(time >> 7n), 1],
    });
  }
  return { writer, chunks };
}

async function fileViews(name: string, bytes: Uint8Array): Promise<unknown[]> {
  const path = saveTrace(folder, name, bytes);
  return viewsOf((await replayTrace([path], request, path))[0]);
}

test('the report is that of the trace with the same steps', async () => {
  const { writer, chunks } = twofold();
  const profile = await play(chunks, endOf(begun(lone.pid!)));
  expect(profile.totals.references).toBe(1 + 10 * 50 * 3);
  expect(viewsOf(profile)).toEqual(await fileViews('same.dptrace', writer.finish({ exit: { code: 0 } })));
});

test('a report so far is that of the trace so far, and the last one is not changed by it', async () => {
  const { writer, chunks } = twofold();
  const told: Profile[] = [];
  const profile = await play(chunks, endOf(begun(lone.pid!)), { told });
  const soFar = await fileViews('cut.dptrace', writer.unfinished());
  expect(told.at(-1)!.totals.references).toBe(1 + 10 * 50 * 3);
  expect(viewsOf(told.at(-1)!).map(withoutEnd)).toEqual(soFar.map(withoutEnd));
  expect(viewsOf(profile)).toEqual(await fileViews('whole.dptrace', writer.finish({ exit: { code: 0 } })));
});

test('events come before the module: nothing is given up until it is there', async () => {
  const early: EncodedStep[] = [{ code: EventCode.time, stamp: 5n, cpu: 1 }];
  const { chunks } = twofold();
  const late = begun(lone.pid!, early);
  const first = new TraceWriter({
    pid: lone.pid,
    process: { command: ['./drawn'], executable: '/tmp/drawn', cpus: 2, randomised: false },
  });
  first.events(0, early);
  const head = Buffer.from(late.unfinished());
  const profile = await play(chunks, endOf(late), { head, early: first.unfinished().length, sequence: 2 });
  expect(profile.totals.references).toBe(1 + 10 * 50 * 3);
});

function rawChunk(steps: readonly EncodedStep[]): RawChunk {
  const events = new EventWriter();
  const words = steps.flatMap((step) => {
    if ('path' in step) {
      if (step.stamped) events.write(stampEntry(step.stamped));
      return [BigInt(step.path), ...step.words];
    }
    events.write(step);
    return [EVENT];
  });
  return { steps: steps.length, events: events.entries, words, column: [...events.bytes()] };
}

const LONE_RUNS = Array.from({ length: 400 }, (_, seed) => ({ seed, run: randomRun(seed, { actions: 40 }) }))
  .filter(({ run }) => run.steps.length > 12 && run.steps.every(({ thread }) => thread === 0))
  .slice(0, atLength(6, 20));

test.each(LONE_RUNS)('random run $seed: the report is that of its trace', async ({ seed, run }) => {
  const steps = run.steps.flatMap(({ step }) => (step === null ? [] : [step]));
  const [writer, whole] = [new TraceWriter({ pid: lone.pid }), new TraceWriter({ pid: lone.pid })];
  for (const one of [writer, whole]) one.module('drawn', [writeUnit(run.unit)], run.globals);
  const parts = Array.from({ length: 12 }, (_, part) =>
    steps.slice(Math.ceil((steps.length * part) / 12), Math.ceil((steps.length * (part + 1)) / 12)),
  );
  writer.events(0, parts[0]);
  for (const part of parts) whole.events(0, part);
  const head = Buffer.from(writer.unfinished());
  const profile = await play(parts.slice(1).map(rawChunk), endOf(writer), { head });
  expect(viewsOf(profile)).toEqual(await fileViews(`random-${seed}.dptrace`, whole.finish({ exit: { code: 0 } })));
});

test('how much is left is told by steps: raw words have many times the bytes of others', async () => {
  const progress = new LiveProgress('drawn');
  const words = Array.from({ length: 99 }, (_, i) => [0n, 0x4000n + BigInt(8 * i)]).flat();
  await play([{ steps: 99, words }], endOf(begun(lone.pid!)), { progress, steps: 400 });
  expect(progress.describeRest()).toBe('about 300 references behind 100');
});

test.each<[string, RawChunk, string]>([
  ['fewer words than steps', { steps: 2, words: [0n, 0x4000n] }, 'word 2 of a RAW chunk at offset'],
  ['a path that is cut', { steps: 1, words: [32n, 0x4000n] }, 'expected 2 words of path 32, found 1'],
  ['words left over', { steps: 1, words: [0n, 0x4000n, 7n] }, 'expected the end of the words, found 1 more'],
  [
    'more words than a slot has',
    { steps: 1, words: [], count: 65 * 1024 },
    'expected at most 66552 words, found 66560',
  ],
  ['a path that there is not', { steps: 1, words: [33n, 0n] }, 'a path'],
  ['a path beyond all', { steps: 1, words: [1n << 40n, 0n] }, 'expected below 64, as the MODULE chunks have'],
  ['an event without an entry', { steps: 1, words: [EVENT] }, 'expected one more entry, found none'],
  ['an entry without an event', { steps: 0, events: 1, words: [], column: [9, 1] }, 'all its entries to be used'],
  ['a column that goes on', { steps: 0, words: [], column: [9, 1] }, 'all its entries to be used'],
])('%s: a typed error', async (_, chunk, message) => {
  await expect(play([chunk], endOf(begun(lone.pid!)))).rejects.toThrow(message);
});

test('a payload that is too short: a typed error', async () => {
  await expect(play([], bytesOf(RAW, Buffer.alloc(8), 1))).rejects.toThrow('at least 16 bytes of payload, found 8');
});

test('a predicted chunk behind a RAW one: a typed error', async () => {
  const rest = bytesOf(3, Buffer.alloc(32), 2);
  await expect(play([{ steps: 1, words: [0n, 0x4000n] }], rest)).rejects.toThrow('a RAW chunk behind a RAW chunk');
});

test('a reader that keeps all has not asked: a typed error', async () => {
  await expect(play([{ steps: 1, words: [0n, 0x4000n] }], Buffer.alloc(0), { pid: NOBODY })).rejects.toThrow(
    'expected 1 to 7, found 65',
  );
});
