// Seeded random traces of small multi-threaded programs, and small machines to run them on: few lines, much sharing,
// every kind of step. A trace is a made-up run in one global order, so its stamps are those that a recorder could have
// taken.

import {
  COLOURINGS,
  INCLUSIONS,
  POLICIES,
  PREFETCHERS,
  PROTOCOLS,
  type CacheLevel,
  type Machine,
  type TlbLevel,
} from '../../src/contract/machine.js';
import { Allocator, EventCode, PATHS_PER_ENTRY, RecordFlag, SlotKind, Sync, Unseen } from '../../src/trace/layout.js';
import type { EncodedStep, EventEntry, PathStep } from '../trace/event-encoder.js';
import { slotWords } from '../../src/trace/unit-rules.js';
import { writeRun, type MadeUpRun, type MadeUpStep } from './made-up-run.js';
import { RandomNumbers } from './random-numbers.js';
import { MARK_TEXTS } from './random-window.js';
import { fillLoop, fillRecords, randomPath, type FilledRecord } from './random-paths.js';
import {
  GLOBALS_AT,
  randomProgram,
  STACK_BYTES,
  STACKS_AT,
  THREAD_LOCALS_AT,
  type RandomProgram,
} from './random-program.js';

const HEAP_AT = 0x10_0000;
const HEAP_BYTES = 0x1000;
const MAPPINGS_AT = 0x20_0000;
const MAX_THREADS = 5;
/** Few cores all have their own number, of many only some do. */
const CPUS = [0, 1, 1, 2, 3, 6, 40];
const LONG_STRIDES = [0, 1, 4, 8, 16, -8, -24, 72, 136, 1032, 4096];

export interface RandomTraceOptions {
  /** Actions of the made-up run; 400 by default. */
  readonly actions?: number;
  /** Loops of hundreds of iterations, with strides of a byte to pages. */
  readonly longLoops?: boolean;
  /**
   * Threads say now and then on which CPU they are; drawn from these numbers, so that what else they do stays as it is.
   */
  readonly moves?: RandomNumbers;
}

export function randomTrace(seed: number, options: RandomTraceOptions = {}): Uint8Array {
  return writeRun(randomRun(seed, options));
}

/** `program`: what runs, if it is not made up anew, which takes longer than a short run. */
export function randomRun(
  seed: number,
  { actions = 400, longLoops = false, moves, program }: RandomTraceOptions & { readonly program?: RandomProgram } = {},
): MadeUpRun {
  return new RandomRun(new RandomNumbers(seed), program, longLoops, moves).run(actions);
}

/** The trace, and by thread the records that it says were passed, in order. */
export function randomTraceWithRecords(seed: number): {
  readonly trace: Uint8Array;
  readonly records: readonly (readonly FilledRecord[])[];
} {
  const run = randomRun(seed);
  const records: FilledRecord[][] = [];
  for (const { thread, records: own = [] } of run.steps) (records[thread] ??= []).push(...own);
  return { trace: writeRun(run), records };
}

export function randomMachine(seed: number): Machine {
  const random = new RandomNumbers(seed + 7_777_777);
  const lineBytes = random.pick([16, 32, 64, 64]);
  const level = (maxSets: number, maxWays: number, latencyCycles: number): Machine['l1'] => {
    const ways = random.between(1, maxWays);
    return { sizeBytes: lineBytes * ways * 2 ** random.below(maxSets), ways, latencyCycles };
  };
  const cores = random.between(1, MAX_THREADS);
  return {
    name: `random ${seed}`,
    cores,
    lineBytes,
    l1: level(3, 3, 4),
    l2: level(4, 4, 14),
    llc: level(5, 6, 50),
    coresPerLlc: random.chance(50) ? cores : random.between(1, cores),
    memoryLatencyCycles: 200,
    cacheToCacheLatencyCycles: 170,
  };
}

/**
 * Every option of a machine drawn: most of these are no plain machines. Caches are small, so that much is pushed out.
 */
export function randomWholeMachine(seed: number): Machine {
  const random = new RandomNumbers(seed + 77_777);
  const lineBytes = random.pick([16, 32, 64, 64]);
  const level = (maxSets: number, latencyCycles: number, { inclusion = true, prefetchers = true }): CacheLevel => {
    const policy = random.pick(POLICIES);
    const ways = policy === 'tree-plru' ? 2 ** random.below(4) : random.between(1, 6);
    return {
      sizeBytes: lineBytes * ways * random.between(1, maxSets),
      ways,
      latencyCycles,
      policy,
      ...(inclusion ? { inclusion: random.pick(INCLUSIONS) } : {}),
      ...(prefetchers ? { prefetchers: PREFETCHERS.filter(() => random.chance(30)) } : {}),
    };
  };
  const tlbLevel = (maxSets: number): TlbLevel => {
    const ways = random.between(1, 3);
    return { entries: ways * random.between(1, maxSets), ways };
  };
  const coresPerL1 = random.pick([1, 1, 1, 2]);
  const coresPerL2 = coresPerL1 * random.pick([1, 1, 2]);
  const coresPerLlc = coresPerL2 * random.pick([1, 2, 8]);
  const isSocketed = random.chance(50);
  return {
    name: `random whole ${seed}`,
    cores: random.between(1, 8),
    lineBytes,
    l1: level(5, 4, { inclusion: false }),
    l2: level(9, 14, {}),
    llc: level(17, 50, { prefetchers: false }),
    coresPerL1,
    coresPerL2,
    coresPerLlc,
    memoryLatencyCycles: 200,
    cacheToCacheLatencyCycles: 170,
    ...(isSocketed
      ? {
          coresPerSocket: coresPerLlc * random.pick([1, 2]),
          remoteCacheLatencyCycles: 300,
          remoteMemoryLatencyCycles: 350,
        }
      : {}),
    protocol: random.pick(PROTOCOLS),
    colouring: random.pick(COLOURINGS),
    pageBytes: random.pick([4096, 4096, 2 << 20]),
    seed: random.below(2 ** 32),
    ...(random.chance(50)
      ? {
          tlb: {
            l1: tlbLevel(2),
            ...(random.chance(60) ? { l2: tlbLevel(4) } : {}),
            l2LatencyCycles: 9,
            walkLatencyCycles: 40,
          },
        }
      : {}),
  };
}

interface HeapBlock {
  readonly address: number;
  readonly sizeBytes: number;
  readonly isMapping: boolean;
}

interface RandomThread {
  readonly number: number;
  readonly stack: number;
  readonly held: bigint[];
  stackPointer: number;
  readonly frames: { readonly function: number; readonly stackPointer: number }[];
  isRunning: boolean;
}

class RandomRun {
  private readonly program: RandomProgram;
  private readonly steps: MadeUpStep[] = [];
  private readonly threads: RandomThread[] = [];
  private readonly blocks: HeapBlock[] = [];
  /** Addresses that were given back lately, most of which are soon handed out again. */
  private freedBlocks: number[] = [];
  private readonly parts: number[] = [];
  private readonly owners = new Map<bigint, number>();
  private readonly ended: number[] = [];
  /** Stacks that the next thread gets, as the C library reuses them. */
  private readonly freeStacks: number[] = [];
  private stamp = 1000n;
  private lastBlocks: number[] = [];

  constructor(
    private readonly random: RandomNumbers,
    program: RandomProgram | undefined,
    private readonly longLoops: boolean,
    private readonly moves?: RandomNumbers,
  ) {
    this.program = program ?? randomProgram(random);
  }

  run(actions: number): MadeUpRun {
    this.startThread(null);
    for (let action = 0; action < actions; action++) {
      const running = this.threads.filter((thread) => thread.isRunning);
      if (running.length === 0) break;
      const thread = this.random.pick(running);
      for (let burst = this.random.between(1, 6); burst > 0 && thread.isRunning; burst--) this.act(thread);
      if (this.random.chance(4)) this.flush(this.random.pick(this.threads));
    }
    for (const thread of this.threads) {
      if (thread.isRunning && this.random.chance(60)) this.endThread(thread);
      this.flush(thread);
    }
    return { unit: this.program.unit, globals: this.program.globals, steps: this.steps };
  }

  private act(thread: RandomThread): void {
    this.move(thread);
    const { random } = this;
    const choice = random.below(100);
    if (choice < 62) this.takePath(thread);
    else if (choice < 68) this.allocate(thread);
    else if (choice < 73) this.free(thread);
    else if (choice < 83) this.synchronise(thread);
    else if (choice < 88) this.enter(thread);
    else if (choice < 92) this.leave(thread);
    else if (choice < 95) this.oddity(thread);
    else if (choice < 97) this.startThread(thread);
    else if (choice < 98 && thread.number !== 0) this.endThread(thread);
    else this.join(thread);
  }

  private takePath(thread: RandomThread): void {
    const { random } = this;
    const region = random.pick(this.program.regions);
    if (this.program.unit.regions[region / PATHS_PER_ENTRY].isLoop) return this.takeLoop(thread, region);
    const { path, records } = randomPath(this.program.unit, region, random);
    const repeats = random.chance(15) ? random.between(2, 12) : 1;
    const stride = BigInt(random.pick([0, 4, 8, 24]));
    const { slots } = this.program.unit;
    const canStride = records.every(({ firstSlot, slotCount }) =>
      slots.slice(firstSlot, firstSlot + slotCount).every((slot) => slotWords(slot) === 1),
    );
    let words: bigint[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      const logged = repeat > 0 && canStride ? words.map((word) => BigInt.asUintN(64, word + stride)) : undefined;
      const filled = fillRecords(this.program.unit, records, (slot) => this.words(slot, thread), logged);
      words = filled.logged;
      const last = records[records.length - 1];
      const isStamped = (last.flags & RecordFlag.stamped) !== 0;
      const { kind } = slots[last.firstSlot + last.slotCount - 1];
      const code =
        kind === SlotKind.atomicLoad
          ? EventCode.acquire
          : kind === SlotKind.atomicResult
            ? EventCode.both
            : EventCode.release;
      const object = filled.records[filled.records.length - 1].words.at(-1) ?? 0n;
      this.push(
        thread,
        { path, words, ...(isStamped ? { stamped: { code, stamp: this.nextStamp(), object } } : {}) },
        filled.records,
      );
    }
  }

  private takeLoop(thread: RandomThread, region: number): void {
    const { random } = this;
    const tail = random.below(this.program.unit.regions[region / PATHS_PER_ENTRY].pathCount);
    const iterations = random.chance(20) ? 0 : random.between(1, this.longLoops ? 400 : 9);
    const stride = (): bigint =>
      BigInt.asUintN(64, BigInt(random.pick(this.longLoops ? LONG_STRIDES : [0, 4, 16, -24, 72])));
    const filled = fillLoop(this.program.unit, region, tail, iterations, () => BigInt(this.address(thread)), stride);
    this.push(thread, { path: region + tail, words: filled.logged }, filled.records);
  }

  /** A path of one record, all of whose words are logged. */
  private single(thread: RandomThread, step: PathStep): void {
    const { nodes, regions } = this.program.unit;
    this.push(thread, step, [
      { record: nodes[regions[step.path / PATHS_PER_ENTRY].firstNode].firstRecord, words: step.words },
    ]);
  }

  /** Logged words of a slot, as if its address were one of them; without a stamp. */
  private words(slot: { kind: number; sizeBytes: number; lanes: number }, thread: RandomThread): bigint[] {
    const { random } = this;
    const address = (): bigint => BigInt(this.address(thread));
    switch (slot.kind) {
      case SlotKind.copyStore:
      case SlotKind.fill:
      case SlotKind.scan:
        return slotWords(slot) === 2 ? [address(), BigInt(random.pick([0, 1, 5, 40, 64, 130, 300]))] : [address()];
      case SlotKind.maskedLoad:
      case SlotKind.maskedStore:
        return [address(), BigInt(random.below(2 ** slot.lanes))];
      case SlotKind.gather:
      case SlotKind.scatter:
        return Array.from({ length: slot.lanes }, () => (random.chance(30) ? 0n : address()));
      case SlotKind.value:
        return [random.pick([0n, 1n, 0xffff_ffff_ffff_ffffn, 0x8000_0000_0000_0000n, address()])];
      default:
        return [address()];
    }
  }

  private address(thread: RandomThread): number {
    const { random } = this;
    const choice = random.below(10);
    if (choice < 4) return GLOBALS_AT + random.below(0x180);
    if (choice < 7 && this.lastBlocks.length > 0) return random.pick(this.lastBlocks) + random.below(80);
    if (choice < 8) return THREAD_LOCALS_AT + random.below(MAX_THREADS) * 0x80 + random.below(0x40);
    if (choice < 9) return thread.stackPointer + random.below(0x60);
    return HEAP_AT + random.below(HEAP_BYTES);
  }

  /** Parts of blocks, of globals and of stacks; one over another now and then. */
  private allocatePart(thread: RandomThread): void {
    const { random } = this;
    const block = this.blocks.length > 0 && random.chance(80) ? random.pick(this.blocks) : null;
    const start = block?.address ?? random.pick([GLOBALS_AT, thread.stackPointer, HEAP_AT]);
    const address = start + random.pick([0, 0, 4, 8, 16, 24, 40]);
    const [sizeBytes, pool] = [random.pick([0, 3, 8, 16, 24, 64]), random.below(4) * 0x30];
    this.event(thread, {
      code: EventCode.allocate,
      detail: Allocator.part,
      stamp: this.nextStamp(),
      address: BigInt(address),
      size: BigInt(sizeBytes),
      pool,
    });
    this.parts.push(address);
    if (random.chance(60))
      this.single(thread, { path: random.pick(this.program.allocations), words: [BigInt(address), BigInt(sizeBytes)] });
  }

  private freePart(thread: RandomThread): void {
    const { random } = this;
    if (random.chance(15)) {
      this.event(thread, {
        code: EventCode.free,
        detail: Allocator.pool,
        stamp: this.nextStamp(),
        address: BigInt(random.below(4) * 0x30),
      });
      return;
    }
    if (this.parts.length === 0) return;
    const [part] = this.parts.splice(random.below(this.parts.length), 1);
    if (random.chance(60)) this.single(thread, { path: random.pick(this.program.frees), words: [BigInt(part)] });
    this.event(thread, {
      code: EventCode.free,
      detail: Allocator.part,
      stamp: this.nextStamp(),
      address: BigInt(part),
    });
  }

  private allocate(thread: RandomThread): void {
    const { random } = this;
    if (random.chance(35)) return this.allocatePart(thread);
    const isMapping = random.chance(10);
    const sizeBytes = isMapping ? 4096 * random.between(1, 3) : random.pick([0, 1, 24, 48, 64, 100, 200]);
    const reused = isMapping || random.chance(30) ? undefined : this.freedBlocks.pop();
    const address = isMapping
      ? MAPPINGS_AT + 4096 * random.below(8)
      : (reused ?? HEAP_AT + 16 * random.below(HEAP_BYTES / 16));
    const isOverlapped = this.blocks.some(
      (block) => address < block.address + block.sizeBytes && block.address < address + sizeBytes,
    );
    if (isOverlapped && random.chance(85)) return;
    const isByRecordOnly = !isMapping && random.chance(15);
    if (!isByRecordOnly) {
      const detail = isMapping ? Allocator.mmap : random.pick([Allocator.malloc, Allocator.calloc, Allocator.new]);
      this.event(thread, {
        code: EventCode.allocate,
        detail,
        stamp: this.nextStamp(),
        address: BigInt(address),
        size: BigInt(sizeBytes),
      });
    }
    this.blocks.push({ address, sizeBytes, isMapping });
    this.lastBlocks = [address, ...this.lastBlocks].slice(0, 5);
    if (isByRecordOnly || random.chance(60)) {
      const inside = random.chance(10) ? 8 : 0;
      this.single(thread, {
        path: random.pick(this.program.allocations),
        words: [BigInt(address + inside), BigInt(sizeBytes)],
      });
    }
  }

  private free(thread: RandomThread): void {
    const { random } = this;
    if (random.chance(35)) return this.freePart(thread);
    if (this.blocks.length === 0) return;
    const [block] = this.blocks.splice(random.below(this.blocks.length), 1);
    if (!block.isMapping) this.freedBlocks = [...this.freedBlocks, block.address].slice(-8);
    const address = BigInt(block.address + (random.chance(3) ? 16 : 0));
    if (random.chance(60)) this.single(thread, { path: random.pick(this.program.frees), words: [address] });
    if (random.chance(90)) {
      this.event(thread, {
        code: EventCode.free,
        detail: block.isMapping ? Allocator.mmap : Allocator.malloc,
        stamp: this.nextStamp(),
        address,
        size: block.isMapping || random.chance(10) ? BigInt(block.sizeBytes) : 0n,
      });
      if (!block.isMapping && random.chance(70)) this.handOn();
    }
  }

  /** What was freed just now goes to some thread, which uses it. */
  private handOn(): void {
    const thread = this.random.pick(this.threads.filter(({ isRunning }) => isRunning));
    this.allocate(thread);
    this.takePath(thread);
  }

  /** Onto a CPU, or to say that it is there yet. */
  private move(thread: RandomThread): void {
    if (this.moves?.chance(30) !== true) return;
    this.stamp++;
    this.event(thread, { code: EventCode.time, stamp: this.stamp, cpu: this.moves.pick(CPUS) });
  }

  private synchronise(thread: RandomThread): void {
    const { random } = this;
    const kind = random.pick([
      Sync.mutex,
      Sync.mutex,
      Sync.rwlock,
      Sync.spinlock,
      Sync.semaphore,
      Sync.condition,
      Sync.barrier,
      Sync.file,
      Sync.once,
    ]);
    // in nothing, in a global, in what the heap has there
    const object = BigInt([0x5000, GLOBALS_AT + 8, HEAP_AT + 0x40][random.below(3)]);
    if (kind !== Sync.mutex) {
      this.event(thread, {
        code: random.pick([EventCode.release, EventCode.acquire]),
        detail: kind,
        stamp: this.nextStamp(),
        address: object,
      });
      return;
    }
    if (thread.held.includes(object)) {
      thread.held.splice(thread.held.indexOf(object), 1);
      this.owners.delete(object);
      this.event(thread, { code: EventCode.release, detail: kind, stamp: this.nextStamp(), address: object });
    } else if (!this.owners.has(object)) {
      thread.held.push(object);
      this.owners.set(object, thread.number);
      this.event(thread, { code: EventCode.acquire, detail: kind, stamp: this.nextStamp(), address: object });
    }
  }

  private enter(thread: RandomThread): void {
    if (thread.frames.length >= 4) return;
    const { path, function: functionId, offsets } = this.random.pick(this.program.entries);
    thread.frames.push({ function: functionId, stackPointer: thread.stackPointer });
    thread.stackPointer -= 0x80;
    this.single(thread, { path, words: offsets.map((offset) => BigInt(thread.stackPointer + offset)) });
  }

  private leave(thread: RandomThread): void {
    const frame = thread.frames.pop();
    if (!frame) return;
    thread.stackPointer = frame.stackPointer;
    if (this.random.chance(85)) this.single(thread, { path: this.program.exitOf[frame.function], words: [] });
  }

  private oddity(thread: RandomThread): void {
    const { random } = this;
    switch (random.below(7)) {
      case 5:
        return this.event(thread, {
          code: EventCode.mark,
          detail: random.between(1, 4),
          stamp: this.nextStamp(),
          number: BigInt(random.below(300)),
          text: random.pick(MARK_TEXTS),
        });
      case 0:
        return this.event(thread, { code: EventCode.blocked, stamp: this.nextStamp() });
      case 1:
        if (random.chance(50))
          return this.event(thread, { code: EventCode.unseen, detail: 1, size: BigInt(random.below(100)) });
        return this.event(thread, {
          code: EventCode.unseen,
          detail: Unseen.kernelRange,
          size: BigInt(random.below(300)),
          address: BigInt((random.chance(50) ? HEAP_AT : MAPPINGS_AT) + random.below(0x1000)),
        });
      case 2:
        return this.event(thread, { code: EventCode.lost, number: BigInt(random.below(3)) });
      case 3:
        return this.event(thread, { code: EventCode.signal, detail: random.below(2), number: 10n });
      case 4:
        return this.event(thread, {
          code: EventCode.threadLocal,
          unit: 0,
          variable: random.pick(this.program.threadLocals),
          address: BigInt(THREAD_LOCALS_AT + thread.number * 0x80 + 32 * random.below(2)),
        });
      default:
        return this.event(thread, { code: EventCode.time, stamp: this.nextStamp(), cpu: random.below(4) });
    }
  }

  private startThread(creator: RandomThread | null): void {
    const number = this.threads.length;
    if (number >= MAX_THREADS) return;
    if (creator)
      this.event(creator, {
        code: EventCode.release,
        detail: Sync.threadCreate,
        stamp: this.nextStamp(),
        address: BigInt(number),
      });
    const begin = this.freeStacks.pop() ?? STACKS_AT + number * STACK_BYTES;
    const thread: RandomThread = {
      number,
      stack: begin,
      held: [],
      stackPointer: begin + STACK_BYTES - 0x80,
      frames: [],
      isRunning: true,
    };
    this.threads.push(thread);
    if (creator && this.random.chance(40)) this.freeWhere(creator, begin + STACK_BYTES - 0x100);
    if (number > 0 || this.random.chance(50)) {
      this.event(thread, {
        code: EventCode.threadStart,
        stamp: this.nextStamp(),
        creator: creator?.number ?? 0,
        address: BigInt(begin),
        size: BigInt(STACK_BYTES),
      });
    }
  }

  /** The heap had memory that becomes a stack. */
  private freeWhere(thread: RandomThread, begin: number): void {
    const address = BigInt(begin);
    const detail = Allocator.malloc;
    this.event(thread, { code: EventCode.allocate, detail, stamp: this.nextStamp(), address, size: 0x100n });
    this.event(thread, { code: EventCode.free, detail, stamp: this.nextStamp(), address, size: 0n });
  }

  private endThread(thread: RandomThread): void {
    thread.isRunning = false;
    const begin = BigInt(thread.stack);
    this.freeStacks.push(thread.stack);
    this.event(thread, {
      code: EventCode.threadEnd,
      stamp: this.nextStamp(),
      address: begin,
      size: BigInt(STACK_BYTES),
    });
    this.ended.push(thread.number);
  }

  private join(thread: RandomThread): void {
    const joined = this.ended.pop();
    if (joined !== undefined)
      this.event(thread, {
        code: EventCode.acquire,
        detail: Sync.threadJoin,
        stamp: this.nextStamp(),
        address: BigInt(joined),
      });
  }

  private event(thread: RandomThread, entry: EventEntry): void {
    this.push(thread, entry);
  }

  private push({ number }: RandomThread, step: EncodedStep, records?: readonly FilledRecord[]): void {
    this.steps.push({ thread: number, step, records });
  }

  private flush({ number }: RandomThread): void {
    this.steps.push({ thread: number, step: null });
  }

  private nextStamp(): bigint {
    this.stamp += BigInt(this.random.between(1, 40));
    return this.stamp;
  }
}
