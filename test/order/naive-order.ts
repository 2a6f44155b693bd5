// The logical and the random schedules again, naively: all steps in memory, every choice and every wait found by
// looking at everything. From docs/replay/order.md alone.

import type { OpenedTrace } from '../../src/replay/open-trace.js';
import { Objects } from '../../src/sim/objects.js';
import { Allocator, EventCode, RecordFlag, RecordTag, Sync } from '../../src/trace/layout.js';
import { EventDecoder } from '../../src/trace/event-decoder.js';
import { PathTable } from '../../src/trace/path-table.js';
import { TraceFile } from '../../src/trace/trace-file.js';
import { NaiveMemory } from './naive-memory.js';

const ACQUIRES = new Set<number>([
  EventCode.acquire,
  EventCode.both,
  EventCode.allocate,
  EventCode.threadStart,
  EventCode.blocked,
]);

/** Events whose place is in the log. */
const PLACED = new Set<number>([EventCode.allocate, EventCode.free, EventCode.threadStart, EventCode.threadEnd]);
/** Synchronisation whose objects are no addresses. */
const NUMBERED = new Set<number>([Sync.threadCreate, Sync.threadJoin, Sync.file, Sync.process]);

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
  readonly size: bigint;
  clock: number | null;
  /** The range of a FREE: until it is issued, the one of recorded time, then the one that is there. */
  range: [number, number] | null;
}

interface NaiveThread {
  readonly steps: NaiveStep[];
  /** Those with a key. */
  readonly stamped: NaiveStep[];
  position: number;
  clock: number;
  waited: boolean;
  /** Of its last issued stamp. */
  key: bigint;
  isFinished: boolean;
}

/** What a run changes as it goes. `memory` is null where memory waits. */
interface NaiveRun {
  readonly trace: OpenedTrace;
  readonly threads: readonly NaiveThread[];
  readonly heap: Objects;
  readonly memory: NaiveMemory | null;
  readonly log: string[];
}

export interface NaiveIssue {
  readonly log: readonly string[];
  readonly renamed: number;
}

/**
 * "thread: record words" or "thread: event code stamp at place" per issued step, with "*" behind a segment that had
 * to wait. `seed`: of a random schedule.
 */
export function naiveOrder(trace: OpenedTrace, seed?: number): NaiveIssue {
  const threads: NaiveThread[] = trace.threads.map((chunks, number) => {
    const steps = readSteps(trace, number);
    return {
      steps,
      stamped: steps.filter(({ key }) => key !== null),
      position: 0,
      clock: 0,
      waited: false,
      key: -1n,
      isFinished: chunks.offset.length === 0,
    };
  });
  guessFrees(threads);
  const heap = new Objects(trace.catalog, 64);
  const memory = seed === undefined ? new NaiveMemory() : null;
  const run = { trace, threads, heap, memory, log: [] };
  if (seed === undefined) runLogical(run);
  else runRandom(run, seed);
  return { log: run.log, renamed: memory?.renamed ?? 0 };
}

function runLogical(run: NaiveRun): void {
  const { threads } = run;
  const waiting = new Map<number, NaiveStep[]>();
  for (;;) {
    let chosen = -1;
    threads.forEach((thread, number) => {
      if (
        thread.position < thread.steps.length &&
        !waiting.has(number) &&
        (chosen < 0 || thread.clock < threads[chosen].clock)
      )
        chosen = number;
    });
    if (chosen < 0) {
      if (waiting.size > 0) throw new Error('all threads wait');
      return;
    }
    const thread = threads[chosen];
    const step = thread.steps[thread.position];
    const awaited = unissued(run, chosen);
    if (awaited.length > 0) {
      thread.waited = true;
      waiting.set(chosen, awaited);
      continue;
    }
    if (raise(run, chosen) && step.record !== null) continue;
    issue(run, chosen, step);
    for (const [number, releases] of waiting) if (releases.every(({ clock }) => clock !== null)) waiting.delete(number);
  }
}

function runRandom(run: NaiveRun, seed: number): void {
  const { threads } = run;
  const draw = drawsOf(seed);
  const held = new Map<number, NaiveStep[]>();
  for (;;) {
    const able = threads.flatMap((thread, number) => (thread.isFinished || held.has(number) ? [] : [number]));
    if (able.length === 0) {
      if (held.size > 0) throw new Error('all threads wait');
      return;
    }
    const chosen = able[Number(draw() % BigInt(able.length))];
    const magnitude = draw() % 9n;
    const quantum = 1 + Number(draw() % (1n << magnitude));
    const thread = threads[chosen];
    for (let done = 0; done < quantum; ) {
      if (thread.position === thread.steps.length) {
        thread.isFinished = true;
        break;
      }
      const awaited = unissued(run, chosen);
      if (awaited.length > 0) {
        thread.waited = true;
        held.set(chosen, awaited);
        break;
      }
      raise(run, chosen);
      const step = thread.steps[thread.position];
      issue(run, chosen, step);
      done += step.instructions;
      for (const [number, releases] of held) if (releases.every(({ clock }) => clock !== null)) held.delete(number);
    }
  }
}

function drawsOf(seed: number): () => bigint {
  const low = (number: bigint): bigint => number & 0xffff_ffffn;
  let state = BigInt(seed);
  return () => {
    state = low(state + 0x9e37_79b9n);
    let mixed = low((state ^ (state >> 16n)) * 0x85eb_ca6bn);
    mixed = low((mixed ^ (mixed >> 13n)) * 0xc2b2_ae35n);
    return mixed ^ (mixed >> 16n);
  };
}

function before(threads: readonly NaiveThread[], number: number): NaiveStep[] {
  const step = threads[number].steps[threads[number].position];
  return step.key === null || !ACQUIRES.has(step.code)
    ? []
    : threads.flatMap((other, otherNumber) =>
        otherNumber === number ? [] : releasesBefore(step, number, other, otherNumber),
      );
}

/** The releases that it must wait for: of what the acquire means now, not of what was at that address before. */
function unissued({ threads, memory }: NaiveRun, number: number): NaiveStep[] {
  const step = threads[number].steps[threads[number].position];
  return before(threads, number).filter(
    (release) =>
      release.clock === null &&
      !(memory && ofMemory(step, release) && isRenamable(step)) &&
      isSince(memory, step, release),
  );
}

/** Whether that raised the clock. */
function raise({ threads, memory }: NaiveRun, number: number): boolean {
  const thread = threads[number];
  const step = thread.steps[thread.position];
  const binding = before(threads, number).filter((release) =>
    ofMemory(step, release) ? !(memory && isRenamable(step)) : isSince(memory, step, release),
  );
  const clock = Math.max(thread.clock, ...binding.map((release) => release.clock ?? 0));
  if (clock === thread.clock) return false;
  thread.clock = clock;
  thread.waited = true;
  return true;
}

/** Whether memory is what the release gives back to the step. */
function ofMemory(step: NaiveStep, release: NaiveStep): boolean {
  const takes = step.code === EventCode.allocate || step.code === EventCode.threadStart;
  return takes && (release.code === EventCode.free || release.code === EventCode.threadEnd);
}

function isRenamable({ code, detail }: NaiveStep): boolean {
  return code === EventCode.threadStart || (detail !== Allocator.part && detail !== Allocator.mmap);
}

function isSince(memory: NaiveMemory | null, step: NaiveStep, release: NaiveStep): boolean {
  const isNumber =
    step.code === EventCode.blocked ||
    NUMBERED.has(step.detail) ||
    (step.code === EventCode.threadStart && !ofMemory(step, release));
  if (memory === null || (isNumber && !ofMemory(step, release))) return true;
  return (release.key ?? 0n) > (memory.at(Number(step.address), step.key ?? 0n)?.key ?? -1n);
}

/** Memory that was not given back yet lives elsewhere. */
function takeMemory({ threads, memory }: NaiveRun, number: number, step: NaiveStep): void {
  const takes =
    step.code === EventCode.threadStart || (step.code === EventCode.allocate && step.detail !== Allocator.part);
  if (!memory || step.record !== null || !takes) return;
  const [begin, key] = [Number(step.address), step.key ?? 0n];
  const end = begin + Number(step.size);
  const isTaken = threads.some(
    (other, otherNumber) =>
      otherNumber !== number &&
      other.stamped.some(
        (release) =>
          (release.key ?? 0n) < key &&
          overlaps(release, step) &&
          release.clock === null &&
          isSince(memory, step, release),
      ),
  );
  if (isTaken) memory.rename(begin, end, key);
  else memory.keep(begin, end, key);
}

function issue(run: NaiveRun, number: number, step: NaiveStep): void {
  const { trace, heap, memory, log } = run;
  const { records } = trace.catalog;
  const thread = run.threads[number];
  takeMemory(run, number, step);
  thread.position++;
  step.clock = thread.clock;
  thread.key = step.key ?? thread.key;
  const place = (address: number): number => memory?.place(address, thread.key) ?? address;
  const at = place(Number(step.address));
  const isPlaced = PLACED.has(step.code);
  const name =
    step.record === null
      ? `event ${step.code} ${step.key}${isPlaced ? ` at ${at}` : ''}`
      : `record ${step.record} ${step.words.join(' ')}`;
  log.push(`${number}: ${name}${step.isSegment && thread.waited ? ' *' : ''}`);
  if (step.isSegment) {
    thread.waited = false;
    thread.clock += step.instructions;
  } else if (step.record !== null && records.tag[step.record] === RecordTag.allocation) {
    heap.allocationRecord(number, records.firstSlot[step.record], place(step.words[0]), step.words[1], 0);
  } else if (step.record !== null && records.tag[step.record] === RecordTag.free) {
    heap.freeRecord(number, records.firstSlot[step.record], place(step.words[0]), 0);
  } else if (step.record === null && step.code === EventCode.allocate) {
    heap.allocate(number, at, Number(step.size), step.detail, 0, place(step.pool));
  } else if (step.record === null && step.code === EventCode.free) {
    const size = step.size === 0n ? heap.sizeAt(at, step.detail) : Number(step.size);
    step.range = [Number(step.address), Number(step.address) + size];
    heap.free(number, at, Number(step.size), step.detail, 0);
  }
  const endsBlock = step.code === EventCode.free && step.detail < Allocator.mmap;
  if (step.record === null && (endsBlock || step.code === EventCode.threadEnd))
    memory?.end(Number(step.address), thread.key);
}

/** Steps of another thread that must be issued before `step`, whose clocks it takes. */
function releasesBefore(step: NaiveStep, thread: number, other: NaiveThread, otherNumber: number): NaiveStep[] {
  const earlier = other.stamped.filter((candidate) => (candidate.key ?? 0n) < (step.key ?? 0n));
  switch (step.code) {
    case EventCode.blocked:
      return earlier.slice(-1);
    case EventCode.acquire:
    case EventCode.both:
      return earlier.filter((release) => releasesObject(release, otherNumber, step.detail, step.address));
    case EventCode.threadStart:
      return earlier.filter(
        (release) => releasesObject(release, otherNumber, Sync.threadCreate, BigInt(thread)) || overlaps(release, step),
      );
    case EventCode.allocate:
      return earlier.filter((release) => overlaps(release, step));
    default:
      return [];
  }
}

/** For each FREE the last ALLOCATE at its address before it, unless that was freed already. */
function guessFrees(threads: readonly NaiveThread[]): void {
  const layer = (step: NaiveStep): boolean => step.detail === Allocator.part;
  const heapSteps = threads.flatMap(({ stamped }) =>
    stamped.filter(
      ({ code, detail }) => code === EventCode.allocate || (code === EventCode.free && detail !== Allocator.pool),
    ),
  );
  heapSteps.sort((a, b) => Number((a.key ?? 0n) - (b.key ?? 0n)));
  heapSteps.forEach((free, index) => {
    if (free.code !== EventCode.free || free.size !== 0n) return;
    const before = heapSteps
      .slice(0, index)
      .findLast((step) => step.address === free.address && layer(step) === layer(free));
    const sizeBytes = before?.code === EventCode.allocate ? Number(before.size) : 0;
    free.range = [Number(free.address), Number(free.address) + (sizeBytes || 1)];
  });
}

function releasesObject(release: NaiveStep, thread: number, kind: number, object: bigint): boolean {
  if (release.code === EventCode.threadEnd) return kind === Sync.threadJoin && object === BigInt(thread);
  return (
    (release.code === EventCode.release || release.code === EventCode.both) &&
    release.detail === kind &&
    release.address === object
  );
}

function overlaps(release: NaiveStep, acquire: NaiveStep): boolean {
  if (release.code !== EventCode.free && release.code !== EventCode.threadEnd) return false;
  if (release.code === EventCode.free && release.detail === Allocator.pool) return false;
  const begin = Number(acquire.address);
  const end = begin + Number(acquire.size);
  const from = Number(release.address);
  const [first, last] = release.range ?? [from, from + Number(release.size)];
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
        words: isRecord
          ? Array.from({ length: decoder.words }, (_, word) => decoder.hi[word] * 2 ** 32 + decoder.lo[word])
          : [],
        instructions: isSegment ? records.instructions[record] : 0,
        isSegment,
        code: !isRecord || hasStamp ? events.code : 0,
        detail: events.detail,
        key: hasStamp ? events.stamp : null,
        address: events.address,
        pool: events.pool,
        size: events.size,
        clock: null,
        range: null,
      });
    }
  });
  file.close();
  return steps;
}
