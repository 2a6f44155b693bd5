// The logical schedule again, naively: all steps in memory, every choice and every wait found by looking at everything. From docs/replay.md alone.

import type { OpenedTrace } from '../../src/replay/open-trace.js';
import { Objects } from '../../src/sim/objects.js';
import { Allocator, EventCode, RecordFlag, RecordTag, Sync } from '../../src/trace/layout.js';
import { EventDecoder } from '../../src/trace/event-decoder.js';
import { PathTable } from '../../src/trace/path-table.js';
import { TraceFile } from '../../src/trace/trace-reader.js';

interface NaiveStep {
  readonly record: number | null;
  readonly words: readonly number[];
  readonly instructions: number;
  readonly isSegment: boolean;
  readonly code: number;
  readonly detail: number;
  readonly key: bigint | null;
  readonly address: bigint;
  readonly pool: number;
  readonly value: bigint;
  clock: number | null;
  /** Of an issued FREE. */
  range: [number, number] | null;
}

interface NaiveThread {
  readonly steps: NaiveStep[];
  position: number;
  clock: number;
  waited: boolean;
}

/** "thread: record words" or "thread: event code stamp" per issued step, with "*" behind a segment that had to wait. */
export function naiveOrder(trace: OpenedTrace): string[] {
  const threads: NaiveThread[] = trace.threads.map((_, number) => ({ steps: readSteps(trace, number), position: 0, clock: 0, waited: false }));
  const heap = new Objects(trace.catalog, 64);
  const log: string[] = [];
  const waiting = new Set<number>();
  for (;;) {
    let chosen = -1;
    threads.forEach((thread, number) => {
      if (thread.position < thread.steps.length && !waiting.has(number) && (chosen < 0 || thread.clock < threads[chosen].clock)) chosen = number;
    });
    if (chosen < 0) {
      if (waiting.size > 0) throw new Error('all threads wait');
      return log;
    }
    const thread = threads[chosen];
    const step = thread.steps[thread.position];
    const before = step.key === null ? [] : threads.flatMap((other, number) => (number === chosen ? [] : releasesBefore(step, chosen, other, number)));
    if (before.some((release) => release.clock === null)) {
      thread.waited = true;
      waiting.add(chosen);
      continue;
    }
    const clock = Math.max(thread.clock, ...before.map((release) => release.clock ?? 0));
    if (clock > thread.clock) {
      thread.clock = clock;
      thread.waited = true;
      if (step.record !== null) continue;
    }
    issue(trace, heap, thread, chosen, step, log);
    waiting.clear();
  }
}

function issue(trace: OpenedTrace, heap: Objects, thread: NaiveThread, number: number, step: NaiveStep, log: string[]): void {
  const { records } = trace.catalog;
  thread.position++;
  step.clock = thread.clock;
  const name = step.record === null ? `event ${step.code} ${step.key}` : `record ${step.record} ${step.words.join(' ')}`;
  log.push(`${number}: ${name}${step.isSegment && thread.waited ? ' *' : ''}`);
  if (step.isSegment) {
    thread.waited = false;
    thread.clock += step.instructions;
  } else if (step.record !== null && records.tag[step.record] === RecordTag.allocation) {
    heap.allocationRecord(number, records.firstSlot[step.record], step.words[0], step.words[1], 0);
  } else if (step.record !== null && records.tag[step.record] === RecordTag.free) {
    heap.freeRecord(number, records.firstSlot[step.record], step.words[0], 0);
  } else if (step.record === null && step.code === EventCode.allocate) {
    heap.allocate(number, Number(step.address), Number(step.value), step.detail, 0, step.pool);
  } else if (step.record === null && step.code === EventCode.free) {
    const size = step.value === 0n ? heap.sizeAt(Number(step.address), step.detail) : Number(step.value);
    step.range = [Number(step.address), Number(step.address) + size];
    heap.free(number, Number(step.address), Number(step.value), step.detail, 0);
  }
}

/** Steps of another thread that must be issued before `step`, whose clocks it takes. */
function releasesBefore(step: NaiveStep, thread: number, other: NaiveThread, otherNumber: number): NaiveStep[] {
  const earlier = other.steps.filter((candidate) => candidate.key !== null && candidate.key < (step.key ?? 0n));
  switch (step.code) {
    case EventCode.blocked:
      return earlier.slice(-1);
    case EventCode.acquire:
    case EventCode.both:
      return earlier.filter((release) => releasesObject(release, otherNumber, step.detail, step.address));
    case EventCode.threadStart:
      return earlier.filter((release) => releasesObject(release, otherNumber, Sync.threadCreate, BigInt(thread)) || overlaps(release, step));
    case EventCode.allocate:
      return earlier.filter((release) => overlaps(release, step));
    default:
      return [];
  }
}

function releasesObject(release: NaiveStep, thread: number, kind: number, object: bigint): boolean {
  if (release.code === EventCode.threadEnd) return kind === Sync.threadJoin && object === BigInt(thread);
  return (release.code === EventCode.release || release.code === EventCode.both) && release.detail === kind && release.address === object;
}

function overlaps(release: NaiveStep, acquire: NaiveStep): boolean {
  if (release.code !== EventCode.free && release.code !== EventCode.threadEnd) return false;
  if (release.code === EventCode.free && release.detail === Allocator.pool) return false;
  const begin = Number(acquire.address);
  const end = begin + Number(acquire.value);
  const isPoint = release.code === EventCode.free && release.value === 0n;
  const from = Number(release.address);
  const [first, last] = release.range ?? [from, from + (isPoint ? 1 : Number(release.value))];
  return first < last && begin < end && begin < last && first < end;
}

function readSteps(trace: OpenedTrace, thread: number): NaiveStep[] {
  const { records } = trace.catalog;
  const decoder = new EventDecoder(new PathTable(trace.catalog));
  const file = TraceFile.open(trace.path);
  const steps: NaiveStep[] = [];
  trace.threads[thread].offset.forEach((offset, index) => {
    decoder.load(file.read(offset, trace.threads[thread].bytes[index]), offset);
    while (decoder.next()) {
      const { isRecord, record, events } = decoder;
      const hasStamp = isRecord ? (records.flags[record] & RecordFlag.stamped) !== 0 : events.hasStamp;
      const isSegment = isRecord && records.tag[record] === RecordTag.segment;
      steps.push({
        record: isRecord ? record : null,
        words: isRecord ? Array.from({ length: decoder.words }, (_, word) => decoder.hi[word] * 2 ** 32 + decoder.lo[word]) : [],
        instructions: isSegment ? records.instructions[record] : 0, isSegment,
        code: !isRecord || hasStamp ? events.code : 0, detail: events.detail, key: hasStamp ? events.stamp : null,
        address: events.address, pool: events.first, value: events.value, clock: null, range: null,
      });
    }
  });
  file.close();
  return steps;
}
