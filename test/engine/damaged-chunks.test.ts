// Traces with chunks of a wrong checksum: what can be decoded of each thread is replayed, and both engines give the
// numbers of a trace in which only that was recorded.

import { expect, test } from 'vitest';
import { ChunkBegin } from '../../src/contract/input.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { EventCode, LAYOUT, Lost } from '../../src/trace/layout.js';
import { atLength } from '../at-length.js';
import type { MadeUpRun } from '../random/made-up-run.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomMachine, randomRun } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { describeResult } from './compare-results.js';
import { openWithFlow } from './open-with-flow.js';
import { replayNatively } from './replay-natively.js';

const SEEDS = atLength(6, 200);
const GAP: EncodedStep = { code: EventCode.lost, detail: Lost.chunks, number: 0n };

interface DrawnChunk {
  readonly thread: number;
  readonly steps: readonly EncodedStep[];
  readonly isRestart: boolean;
  readonly isDamaged: boolean;
}

/** Chunks of a few steps each. */
function drawChunks({ steps }: MadeUpRun, random: RandomNumbers, damage: number): DrawnChunk[] {
  const chunks: DrawnChunk[] = [];
  const held: EncodedStep[][] = [];
  const flush = (thread: number): void => {
    if (held[thread].length > 0)
      chunks.push({
        thread,
        steps: held[thread],
        isRestart: random.chance(30),
        isDamaged: random.chance(damage),
      });
    held[thread] = [];
  };
  for (const { thread, step } of steps) {
    const own = (held[thread] ??= []);
    if (step !== null) own.push(step);
    if (step === null || random.chance(10)) flush(thread);
  }
  held.forEach((_, thread) => flush(thread));
  return chunks;
}

function begin({ unit, globals }: MadeUpRun): TraceWriter {
  const writer = new TraceWriter();
  writer.module('drawn', [writeUnit(unit)], globals);
  return writer;
}

function writeDamaged(run: MadeUpRun, chunks: readonly DrawnChunk[]): Uint8Array {
  const writer = begin(run);
  const flips: number[] = [];
  for (const { thread, steps, isRestart, isDamaged } of chunks) {
    const at = writer.unfinished().length + LAYOUT.dprof_chunk_header.size;
    if (isRestart) writer.restart(thread, steps);
    else writer.events(thread, steps);
    if (isDamaged) flips.push(at + (steps.length % (writer.unfinished().length - at)));
  }
  const bytes = writer.finish();
  for (const at of flips) bytes[at] ^= 1;
  return bytes;
}

/** Only what can be decoded, as if nothing else had been recorded. */
function writeKept(run: MadeUpRun, chunks: readonly DrawnChunk[]): Uint8Array {
  const writer = begin(run);
  const broken = new Set<number>();
  for (const { thread, steps, isRestart, isDamaged } of chunks) {
    if (isDamaged) broken.add(thread);
    else if (!broken.has(thread)) writer.events(thread, steps);
    else if (isRestart) {
      broken.delete(thread);
      writer.events(thread, [GAP, ...steps]);
    }
  }
  return writer.finish();
}

test(`${SEEDS} random runs with damaged chunks are replayed as what is left of them`, () => {
  let gaps = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new RandomNumbers(seed);
    const run = randomRun(seed, { actions: 150 });
    const chunks = drawChunks(run, random, random.pick([0, 5, 20]));
    const schedule = random.pick([{ kind: 'logical' }, { kind: 'recorded' }, { kind: 'random', seed: seed }] as const);
    const [damaged, kept] = [writeDamaged(run, chunks), writeKept(run, chunks)].map((bytes) =>
      replayInput(openWithFlow(traceFile(bytes)), randomMachine(seed), schedule),
    );
    gaps += damaged.threads.filter(({ begins }) => begins.includes(ChunkBegin.gap)).length;
    const expected = describeResult(simulate(kept));
    expect(describeResult(simulate(damaged)), `seed ${seed}, ts`).toEqual(expected);
    expect(describeResult(replayNatively(damaged, 1)), `seed ${seed}, native`).toEqual(expected);
    expect(describeResult(replayNatively(damaged, 3)), `seed ${seed}, native, 3 workers`).toEqual(expected);
  }
  expect(gaps).toBeGreaterThan(SEEDS / 5);
});

test('the reader says what is left out: from the damaged chunk to the next that can be decoded', () => {
  const writer = begin(randomRun(1, { actions: 1 }));
  const at: number[] = [];
  const put = (kind: 'events' | 'restart', thread: number, stamp: bigint): void => {
    at.push(writer.unfinished().length + LAYOUT.dprof_chunk_header.size);
    writer[kind](thread, [{ code: EventCode.blocked, stamp }]);
  };
  put('events', 0, 1n);
  put('events', 0, 2n); // damaged
  put('events', 1, 3n);
  put('events', 0, 4n); // left out with it
  put('restart', 0, 5n);
  put('events', 0, 6n);
  put('restart', 1, 7n);
  put('events', 2, 8n); // damaged
  const bytes = writer.finish();
  for (const chunk of [1, 7]) bytes[at[chunk]] ^= 1;
  const { threads, damaged, truncated } = openTrace(traceFile(bytes));
  expect(threads.map(({ offset }) => Array.from(offset))).toEqual([[at[0], at[4], at[5]], [at[2], at[6]], []]);
  const { goesOn, restart, gap } = ChunkBegin;
  expect(threads.map(({ begins }) => Array.from(begins))).toEqual([[goesOn, gap, goesOn], [goesOn, restart], []]);
  const each = at[1] - at[0] - LAYOUT.dprof_chunk_header.size;
  expect(damaged).toEqual({ threads: 2, chunks: 2, chunksLeftOut: 1, bytes: 3 * each, ofBytes: 8 * each });
  expect(truncated).toBe(false);
});
