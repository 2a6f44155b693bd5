// One thread on one plain core, whose references are looked up while they are laid out: on caches of every shape, in
// windows, with several machines at once, and up to an address that no program has.

import { expect, test } from 'vitest';
import type { ReplayInput } from '../../src/contract/input.js';
import type { Machine } from '../../src/contract/machine.js';
import { replayNativelyOn } from '../../src/replay/native-engine.js';
import { openTrace, replayInput, type OpenedTrace } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { Allocator, EventCode, RecordFlag, STRIDE_LOGGED } from '../../src/trace/layout.js';
import type { EncodedStep } from '../trace/event-encoder.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { addLoop } from '../drawn/region-builder.js';
import { DYNAMIC, UnitBuilder } from '../drawn/unit-builder.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { traceFile } from '../random/trace-file.js';
import { differences } from './equal-results.js';
import { atLength } from '../at-length.js';

const LOGICAL = { kind: 'logical' } as const;
const HEAP = 0x10_0000n;
const STACK = 0x7000_0000n;

/** Levels: lines and ways. */
function machineOf(lineBytes: number, ...levels: readonly (readonly [lines: number, ways: number])[]): Machine {
  const [l1, l2, llc] = levels.map(([lines, ways], at) => ({
    sizeBytes: lines * lineBytes,
    ways,
    latencyCycles: [4, 14, 50][at],
  }));
  return {
    name: `${lineBytes}: ${levels.join(' ')}`,
    cores: 1,
    coresPerLlc: 1,
    lineBytes,
    l1,
    l2,
    llc,
    memoryLatencyCycles: 200,
    cacheToCacheLatencyCycles: 170,
  };
}

const MACHINES: readonly Machine[] = [
  machineOf(64, [1, 1], [1, 1], [1, 1]), // an epoch of one line
  machineOf(64, [2, 2], [1, 1], [8, 2]), // an L2 and an LLC that are smaller than what is above
  machineOf(64, [64, 8], [8, 1], [3, 3]),
  machineOf(64, [16, 1], [64, 4], [512, 16]), // sets of one way
  machineOf(64, [24, 12], [100, 100], [700, 7 * 25]),
  machineOf(64, [512, 8], [1024, 16], [2048, 16]), // a window may hold more lines than an epoch
  machineOf(64, [1 << 18, 2], [1 << 18, 2], [1 << 19, 4]), // more ways than the table of known lines names
  machineOf(8, [16, 2], [64, 4], [128, 4]),
  machineOf(16, [8, 8], [32, 4], [128, 4]),
  machineOf(32, [8, 2], [32, 4], [128, 4]),
  machineOf(128, [8, 2], [32, 4], [128, 4]),
  machineOf(4096, [2, 1], [4, 2], [6, 3]),
];

/** The paths that threads of these tests take. */
class Program {
  private readonly builder = new UnitBuilder();
  private readonly code = this.builder.function('code');
  private readonly local = this.builder.variable('stack', 'local', 0, 16);
  /** Accesses that follow from one address: in a line, across lines, as long as a line, of odd sizes. */
  readonly near = this.derived([0, 8, 16, -8, 40, 0], [8, 8, 4, 8, 2, 8]);
  readonly far = this.derived([0, 56, 64, 120, -72, 8], [8, 16, 64, 12, 1, 100]);
  readonly load = this.segment([this.builder.slot('load')]);
  readonly store = this.segment([this.builder.slot('store', { sizeBytes: 4 })]);
  readonly pair = this.segment([this.builder.slot('load', { sizeBytes: 16 })]);
  readonly copy = this.segment([
    this.builder.slot('copyLoad', { sizeBytes: DYNAMIC }),
    this.builder.slot('copyStore', { sizeBytes: DYNAMIC }),
  ]);
  readonly enter = this.segment(
    [this.builder.slot('object', { sizeBytes: 16, variable: this.local }), this.builder.slot('load')],
    RecordFlag.entry,
  );
  readonly leave = this.segment([this.builder.slot('store')], RecordFlag.exit | RecordFlag.frame);
  readonly loop = addLoop(this.builder.unit, [
    this.builder.record('segment', [
      this.builder.slot('load', { delta: STRIDE_LOGGED }),
      this.builder.slot('store', { sizeBytes: 4, delta: STRIDE_LOGGED }),
    ]),
  ]);

  private segment(slots: Parameters<UnitBuilder['record']>[1], flags = 0): number {
    return this.builder.alone('segment', slots, { function: this.code, flags });
  }

  private derived(deltas: readonly number[], sizes: readonly number[]): number {
    const base = this.builder.unit.slots.length + 1;
    return this.segment(
      deltas.map((delta, at) =>
        this.builder.slot(at % 3 === 1 ? 'store' : 'load', {
          sizeBytes: sizes[at],
          line: at,
          ...(at > 0 && { base, delta }),
        }),
      ),
    );
  }

  iterations(count: number, ...streams: readonly (readonly [address: bigint, stride: number])[]): EncodedStep {
    const words = streams.flatMap(([address, stride]) => [address, BigInt.asUintN(64, BigInt(stride))]);
    return { path: this.loop, words: [BigInt(count), ...words] };
  }

  trace(steps: readonly EncodedStep[]): OpenedTrace {
    const writer = new TraceWriter();
    writer.module('lone', [writeUnit(this.builder.unit)], []);
    writer.events(0, steps);
    return openTrace(traceFile(writer.finish()));
  }
}

const program = new Program();

/** Steps of every kind over a few pages, lines that share an entry of the table, and far sets of large caches. */
function randomSteps(random: RandomNumbers): EncodedStep[] {
  const address = (): bigint => {
    const choice = random.below(10);
    if (choice < 4) return HEAP + BigInt(random.below(0x200));
    if (choice < 7) return HEAP + BigInt(random.below(0x1_4000));
    if (choice < 9) return HEAP + BigInt(random.below(3) * 8192 * 64 + random.below(0x100));
    return HEAP + BigInt(random.below(4) * 65_536 * 64 + random.below(0x100));
  };
  const kinds: readonly (() => EncodedStep[])[] = [
    () => [{ path: program.near, words: [address()] }],
    () => [{ path: program.near, words: [address() & ~63n] }],
    () => [{ path: program.far, words: [address()] }],
    () => [{ path: program.load, words: [address()] }],
    () => [{ path: program.store, words: [address()] }],
    () => [program.iterations(random.between(1, 200), [address(), random.pick([0, 4, 8, -8, 24])], [address(), 64])],
    () => [program.iterations(random.between(20, 60), [address(), 1 << 12], [address(), random.pick([0, 8])])],
    () => [{ path: program.copy, words: [address(), address(), BigInt(random.pick([0, 5, 64, 300, 9000]))] }],
    () => [
      { path: program.enter, words: [STACK, address()] },
      { path: program.leave, words: [STACK + 8n] },
    ],
  ];
  let stamp = 0n;
  return Array.from({ length: 500 }, () => {
    if (random.below(20) > 0) return random.pick(random.chance(70) ? kinds.slice(0, 5) : kinds)();
    const [code, detail] = [EventCode.allocate, Allocator.malloc];
    return [{ code, detail, stamp: ++stamp, address: HEAP + BigInt(random.below(0x200) * 16), size: 40n }];
  }).flat();
}

function expectAgreement(input: ReplayInput, others: readonly Machine[], workers: number, label: string): void {
  replayNativelyOn(input, others, workers).forEach((result, at) => {
    const machine = [input.machine, ...others][at];
    const found = differences(simulate({ ...input, machine }), result, 'ts', 'native');
    expect(found.slice(0, 6), `${label} of machine ${machine.name}`).toEqual([]);
  });
}

test.each(MACHINES)('caches of $name', (machine) => {
  // Long lines take most of the time.
  for (let seed = 1; seed <= atLength(machine.lineBytes > 64 ? 1 : 2, 10); seed++) {
    const random = new RandomNumbers(seed);
    const trace = program.trace(randomSteps(random));
    const flow = { by: 'line', mostPaths: 500, mostSteps: 64 } as const;
    for (const opened of [trace, { ...trace, flow }]) {
      const input = replayInput(opened, machine, LOGICAL);
      expectAgreement(input, [], 1 + (seed % 2), `seed ${seed}`);
      const [from, to] = [random.below(2000), 2000 + random.below(6000)];
      const window = {
        from: { kind: 'reference', references: from },
        to: { kind: 'reference', references: to },
      } as const;
      expectAgreement({ ...input, window }, [], 1, `seed ${seed}, from ${from} to ${to}`);
    }
  }
});

test('all with lines of 64 bytes at once', () => {
  const [first, ...others] = MACHINES.filter(({ lineBytes }) => lineBytes === 64);
  expectAgreement(replayInput(program.trace(randomSteps(new RandomNumbers(7))), first, LOGICAL), others, 2, 'together');
});

// -- addresses that no program has

const END = 1n << 53n;
/** The first bad page is that of END. */
const bad = (page: number): bigint => END + 4096n * BigInt(page);
const enter = (object: bigint, loaded = HEAP): EncodedStep => ({ path: program.enter, words: [object, loaded] });
const load = (address: bigint): EncodedStep => ({ path: program.load, words: [address] });
const allocation = (address: bigint): EncodedStep => ({
  code: EventCode.allocate,
  detail: Allocator.malloc,
  stamp: 1n,
  address,
  size: 8n,
});
const loop = (address: bigint, stride = 8): EncodedStep => program.iterations(60, [HEAP, 8], [address, stride]);

const BAD_STEPS: readonly (readonly [what: string, first: number, steps: readonly EncodedStep[]])[] = [
  ['a load, then an object', 1, [load(bad(1)), enter(bad(2))]],
  ['an object, then a load', 2, [enter(bad(2)), load(bad(1))]],
  ['an object and the load behind it', 2, [enter(bad(2), bad(1))]],
  ['an allocation, then a loop', 2, [allocation(bad(2)), loop(bad(1))]],
  ['an object, loads and a loop', 2, [enter(bad(2)), load(HEAP), load(HEAP + 8n), loop(bad(1))]],
  ['a loop, then an object', 1, [loop(bad(1)), enter(bad(2))]],
  ['a loop, then an allocation', 1, [loop(bad(1)), allocation(bad(2))]],
  ['a loop, then a load', 1, [loop(bad(1)), load(bad(2))]],
  ['the last iterations of a loop, then an object', 0, [loop(END - 320n), enter(bad(2))]],
  ['a loop of long strides, then an object', 0, [loop(END - 40_960n, 4096), enter(bad(2))]],
  ['a few iterations, then an object', 1, [program.iterations(2, [HEAP, 8], [bad(1), 8]), enter(bad(2))]],
  ['the second line of a load, then an object', 0, [{ path: program.pair, words: [END - 8n] }, enter(bad(2))]],
  ['an object, then the second line of a load', 2, [enter(bad(2)), { path: program.pair, words: [END - 8n] }]],
  ['a derived address, then an object', 0, [{ path: program.far, words: [END - 64n] }, enter(bad(2))]],
  ['what a copy stores to, then an object', 1, [{ path: program.copy, words: [HEAP, bad(1), 300n] }, enter(bad(2))]],
];

function badPageOf(work: () => unknown): number {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(TraceError);
    return Number((BigInt((error as TraceError).actual) - END) >> 12n);
  }
  throw new Error('no error');
}

test.each(BAD_STEPS)('%s: the first bad address is told', (_, first, steps) => {
  const before = Array.from({ length: 30 }, (_step, at) => load(HEAP + BigInt(8 * at)));
  const trace = program.trace([...before, ...steps, ...before]);
  for (const lineBytes of [64, 32, 128]) {
    const machine = machineOf(lineBytes, [8, 2], [16, 4], [64, 4]);
    const input = replayInput(trace, machine, LOGICAL);
    for (const others of [[], [machine]])
      for (const workers of [1, 3])
        expect(
          badPageOf(() => replayNativelyOn(input, others, workers)),
          `lines of ${lineBytes}, ${1 + others.length} machines, ${workers} workers`,
        ).toBe(first);
  }
});
