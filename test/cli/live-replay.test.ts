// Stage: test. The reader of a live trace, with a recorder that is played here: what comes late, what is cut, and what
// no recorder writes.

import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { crc32 } from 'node:zlib';
import { DprofError } from '../../src/base/dprof-error.js';
import { LiveProgress } from '../../src/cli/live-progress.js';
import { LiveReplay } from '../../src/cli/live-replay.js';
import type { ReplayRequest } from '../../src/cli/machine-options.js';
import { replayTrace as replayOnMachines } from '../../src/cli/replay-trace.js';
import type { Profile } from '../../src/profile/profile.js';
import { LiveTrace } from '../../src/replay/live-trace.js';
import { ChunkKind, EventCode, LAYOUT, Sync } from '../../src/trace/layout.js';
import { readTrace } from '../../src/trace/trace-reader.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { VIEWS, viewsOf as namesOf } from '../../src/views/views.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { randomTrace } from '../random/random-trace.js';
import { makeFolder, saveTrace } from './command-line.js';
import { request } from './live-request.js';

const folder = makeFolder();
const CHUNK = LAYOUT.dprof_chunk_header;
/** A process that this test may not look into: whatever comes is kept. */
const NOBODY = 0x7fffffff;
const WRITTEN = 16; // in struct dprof_live_control

const replayTrace = async (path: string, asked: ReplayRequest): Promise<Profile> =>
  (await replayOnMachines([path], asked, path))[0];

interface Drawn {
  readonly writer: TraceWriter;
  readonly unit: Uint8Array;
  readonly variable: number;
}

function draw(name = 'shared'): Drawn {
  const unit = new UnitBuilder();
  const long = unit.type('scalar', 'long', 8);
  const pair = unit.type('struct', `struct ${name}`, 16, {
    members: [
      { name: 'left', type: long, offset: 0 },
      { name: 'right', type: long, offset: 8 },
    ],
  });
  const variable = unit.variable('global', name, pair, 16);
  const count = unit.function(`count_${name}`);
  unit.alone(
    'segment',
    [unit.slot('store', { type: pair, path: 'left', offset: 0, variable, function: count, line: 11 })],
    { instructions: 4, function: count },
  );
  const writer = new TraceWriter({
    pid: NOBODY,
    process: { command: ['./drawn'], executable: '/tmp/drawn', cpus: 2, randomised: false },
  });
  return { writer, unit: writeUnit(unit.unit), variable };
}

const stores = (path: number, count: number): { path: number; words: bigint[] }[] =>
  Array.from({ length: count }, (_, at) => ({ path, words: [0x4000n + BigInt((at * 8) % 65536)] }));

/** A trace of one thread with one chunk of events: the replay has begun when the rest comes. */
function begun(): Drawn {
  const drawn = draw();
  drawn.writer.module('/tmp/drawn', [drawn.unit], [{ address: 0x4000n, unit: 0, variable: drawn.variable }]);
  drawn.writer.events(0, stores(0, 100));
  return drawn;
}

interface Played {
  readonly profile: Profile | undefined;
  readonly told: (Profile | undefined)[];
}

/**
 * Parts of a trace come one after the other; behind the last one the recorder is gone. `between`: after each part, when
 * it has been read.
 */
async function play(
  parts: readonly Buffer[],
  {
    capacity = 1 << 20,
    between = (_: LiveTrace, __: Played['told']): void | Promise<void> => {},
    claimed = 0,
    asked = request,
  } = {},
): Promise<Played> {
  const live = new LiveTrace(capacity);
  const told: (Profile | undefined)[] = [];
  try {
    const running = new LiveReplay(live, asked, 2, new LiveProgress('drawn'), ([soFar]) => told.push(soFar)).run();
    running.catch(() => {});
    let at = 0;
    for (const part of parts) {
      writeSync(live.data, part, 0, part.length, at);
      at += part.length;
      const written = Buffer.alloc(8);
      written.writeBigUInt64LE(BigInt(at + claimed));
      writeSync(live.control, written, 0, 8, WRITTEN);
      await sleep(20);
      await between(live, told);
      await sleep(20);
    }
    live.end();
    return { profile: (await running)[0], told };
  } finally {
    await live.destroy();
  }
}

/**
 * Asks once for what came so far, until that is something and the same twice: the head was read then, and all that
 * there is of it replayed.
 */
async function untilTold(live: LiveTrace, told: Played['told']): Promise<void> {
  const done = (back: number): number => told.at(-back)?.totals.references ?? 0;
  if (done(1) > 0) return;
  for (let tries = 0; tries < 100 && !(done(1) > 0 && done(1) === done(2)); tries++) {
    live.pause();
    await sleep(20);
  }
}

/** Asks for what came so far, until it is all of it. */
function untilAll(references: number): typeof untilTold {
  return async (live, told) => {
    const isAll = (): boolean => told.at(-1)?.totals.references === references;
    for (const late = performance.now() + 60_000; !isAll() && performance.now() < late; await sleep(20)) live.pause();
  };
}

async function failureOf(rest: Buffer, claimed = 0): Promise<string> {
  const { writer } = begun();
  const head = writer.unfinished();
  try {
    await play([head, rest], { between: untilTold, claimed });
  } catch (error) {
    if (error instanceof DprofError) return error.message.replace(`${head.length}`, 'HEAD');
    throw error;
  }
  return 'no failure';
}

const viewsOf = (profile: Profile | undefined): unknown[] =>
  profile ? namesOf(profile).map((name) => VIEWS[name].build(profile)) : [];

/** The trace in parts, cut behind the first chunk of events: the views are those of the file. */
async function expectSame(head: number, whole: Buffer, asked = request): Promise<void> {
  const { profile } = await play([whole.subarray(0, head), whole.subarray(head)], { between: untilTold, asked });
  const file = await replayTrace(saveTrace(folder, 'whole.dptrace', whole), asked);
  expect(viewsOf(profile)).toEqual(viewsOf(file));
}

test('more events: the replay goes on', async () => {
  const { writer } = begun();
  const head = writer.unfinished().length;
  writer.events(0, stores(0, 5000));
  await expectSame(head, writer.finish({ exit: { code: 0 } }));
});

test('a module that comes late, and events that need it: the replay begins anew', async () => {
  const { writer } = begun();
  const head = writer.unfinished().length;
  const late = draw('late');
  writer.module('/tmp/late', [late.unit], [{ address: 0x9000n, unit: 0, variable: late.variable }]);
  writer.events(0, [...stores(0, 10), ...stores(32, 50)]);
  await expectSame(head, writer.finish({ exit: { code: 0 } }));
});

test('a second thread: the replay begins anew with both', async () => {
  const { writer } = begun();
  const head = writer.unfinished().length;
  writer.events(1, [
    { code: EventCode.threadStart, stamp: 2n, creator: 0, address: 0x9000n, size: 0x1000n },
    ...stores(0, 100),
  ]);
  writer.events(0, [{ code: EventCode.release, detail: Sync.threadCreate, stamp: 1n, address: 1n }, ...stores(0, 100)]);
  await expectSame(head, writer.finish({ exit: { code: 0 } }));
});

test('a pause: what came so far is told, and the end is not changed by it', async () => {
  const { writer } = begun();
  const head = writer.unfinished();
  writer.events(0, stores(0, 300));
  const whole = writer.finish({ exit: { code: 0 } });
  const soFar: (Profile | undefined)[] = [];
  const { profile } = await play([head, whole.subarray(head.length)], {
    between: async (live, told) => {
      await untilTold(live, told);
      soFar.push(told.at(-1));
    },
  });
  expect(soFar[0]?.totals.references).toBe(100);
  expect(soFar[0]?.run).toMatchObject({ truncated: true, ended: 'still running: the report is of the run so far' });
  expect(profile?.totals.references).toBe(400);
  expect(viewsOf(profile)).toEqual(viewsOf(await replayTrace(saveTrace(folder, 'paused.dptrace', whole), request)));
});

const lone = (seed: number): Uint8Array | undefined => {
  const bytes = randomTrace(seed, { actions: 40 });
  const { threads, chunks } = readTrace(saveTrace(folder, 'seed.dptrace', bytes));
  return threads.length === 1 && chunks.some(({ kind }) => kind === ChunkKind.events) ? bytes : undefined;
};
const loneSeeds = Array.from({ length: 400 }, (_, seed) => seed)
  .filter((seed) => lone(seed) !== undefined)
  .slice(0, 8);

test('there are random traces of one thread', () => {
  expect(loneSeeds).toHaveLength(8);
});

const machines = [{}, { machine: 'zen3' }, { cores: '4', llc: '64K/4', inclusion: 'exclusive' }];

test.each(loneSeeds.map((seed, at) => [seed, machines[at % machines.length]] as const))(
  'random trace %i, machine %o: the report so far is that of the trace so far, and the last one that of all of it',
  async (seed, machine) => {
    const asked = { ...request, machines: [machine] };
    const whole = Buffer.from(lone(seed)!);
    const path = saveTrace(folder, `${seed}.dptrace`, whole);
    const end = readTrace(path).chunks.at(-1)!.offset - CHUNK.size;
    const cut = saveTrace(folder, `${seed}.cut.dptrace`, whole.subarray(0, end));
    const soFar = await replayTrace(cut, asked);
    const between = untilAll(soFar.totals.references);
    const { profile, told } = await play([whole.subarray(0, end), whole.subarray(end)], { between, asked });
    const named = (of: Profile): Profile => ({ ...of, run: { ...of.run, ended: '' } });
    expect(viewsOf(named(told.at(-1)!))).toEqual(viewsOf(named(soFar)));
    expect(viewsOf(profile)).toEqual(viewsOf(await replayTrace(path, asked)));
  },
);

test('nothing ever came: there is no profile', async () => {
  expect(await play([])).toEqual({ profile: undefined, told: [] });
});

test('a recorder that is gone in the middle of a chunk: up to the last whole one', async () => {
  const { writer } = begun();
  const head = writer.unfinished().length;
  writer.events(0, stores(0, 300));
  const whole = writer.unfinished();
  const { profile } = await play([whole.subarray(0, head), whole.subarray(head, whole.length - 5)]);
  expect(profile?.totals.references).toBe(100);
  expect(profile?.run).toMatchObject({
    truncated: true,
    ended: `how it ended was not recorded: its recorder was killed after ${head} bytes`,
  });
});

/** A chunk behind those of `begun`, changed at will; its header's checksum is right unless `spoil` is about that. */
function chunk(
  kind: number,
  { payload = Buffer.alloc(8), thread = 0, sequence = 1, spoil = (_: Buffer): void => {}, isSigned = true } = {},
): Buffer {
  const writer = new TraceWriter();
  const before = writer.unfinished().length;
  writer.chunk(kind, payload, thread, sequence);
  const bytes = Buffer.from(writer.unfinished().subarray(before));
  spoil(bytes);
  if (isSigned) bytes.writeUInt32LE(crc32(bytes.subarray(0, CHUNK.header_checksum)), CHUNK.header_checksum);
  return bytes;
}

test.each<[string, Buffer, string]>([
  [
    'another magic',
    chunk(3, { spoil: (bytes) => bytes.writeUInt32LE(0x11223344, CHUNK.magic) }),
    'the trace of this run: chunk magic at offset HEAD: expected 0x4b435044, found 0x11223344',
  ],
  [
    'a header that does not match its checksum',
    chunk(3, { spoil: (bytes) => bytes.writeUInt32LE(7, CHUNK.thread), isSigned: false }),
    'checksum of a chunk header',
  ],
  [
    'a payload that does not match',
    chunk(3, { spoil: (bytes) => (bytes[CHUNK.size] ^= 1) }),
    'checksum of the chunk at HEAD, stored',
  ],
  [
    'a payload that is too large',
    chunk(3, { spoil: (bytes) => bytes.writeUInt32LE(1 << 30, CHUNK.payload_bytes) }),
    'expected at most 67108864 bytes, found 1073741824',
  ],
  ['a kind that there is not', chunk(9), 'expected events, a module or the end, found 9'],
  [
    'a second PROCESS chunk',
    chunk(ChunkKind.process, { payload: Buffer.from('{}') }),
    'expected events, a module or the end, found 1',
  ],
  ['a sequence that is not the next', chunk(3, { sequence: 5 }), 'sequence of thread 0'],
  ['a thread number that is too high', chunk(3, { thread: 1 << 30 }), 'expected below 1048576, found 1073741824'],
  [
    'columns that are none',
    chunk(3, { payload: Buffer.alloc(20, 255) }),
    'the trace of this run: column length at offset',
  ],
  [
    'an end that says nothing',
    chunk(ChunkKind.end, { payload: Buffer.from('[1]'), sequence: 0 }),
    'the trace of this run: JSON chunk at offset',
  ],
  ['a module without units', chunk(ChunkKind.module, { payload: Buffer.alloc(3), sequence: 0 }), 'MODULE chunk'],
])('%s: a typed error', async (_, rest, message) => {
  expect(await failureOf(rest)).toContain(message);
});

/** A second thread, which the first one has made. */
function begunTogether(): Drawn {
  const drawn = begun();
  drawn.writer.events(0, [{ code: EventCode.release, detail: Sync.threadCreate, stamp: 1n, address: 1n }]);
  drawn.writer.events(1, [
    { code: EventCode.threadStart, stamp: 2n, creator: 0, address: 0x9000n, size: 0x1000n },
    ...stores(0, 10),
  ]);
  return drawn;
}

test.each<[string, Buffer<ArrayBuffer>, string]>([
  ['half an entry', Buffer.alloc(30), 'live chunk at offset'],
  ['a next event that there is not', Buffer.alloc(24, 9), 'expected what a thread logs next, found 9'],
])('%s is said of threads that sleep: a typed error', async (_, payload, message) => {
  const { writer } = begunTogether();
  await expect(play([writer.unfinished(), chunk(64, { payload, sequence: 0 })])).rejects.toThrow(message);
});

test('what is said of threads that never came is passed over', async () => {
  const { writer } = begunTogether();
  const head = writer.unfinished();
  const payload = Buffer.alloc(24);
  payload.writeUInt32LE(0x7fffffff, 16);
  const { profile } = await play([head, chunk(64, { payload, sequence: 0 })]);
  expect(profile?.totals.references).toBe(110);
});

test('more bytes are claimed than there are: a typed error', async () => {
  expect(await failureOf(Buffer.alloc(0), 4096)).toContain(
    'live trace at offset HEAD: expected 32 more bytes, found the end of what was written',
  );
});

test('a file that is no trace: a typed error', async () => {
  await expect(play([Buffer.alloc(200, 7)])).rejects.toThrow(/chunk magic|not a dprof trace/);
});
