// Stage: test. Recordings that no processor made: of Intel's PEBS, AMD's IBS and Arm's SPE, by a seed, as perf writes
// what those make.

import {
  Blocked,
  Level,
  LevelNumber,
  Lock,
  Operation,
  Snoop,
  Tlb,
} from '../../src/hardware/samples/data-source-bits.js';
import { joinDataSource } from './join-data-source.js';
import { EventType, RecordType, SampleField } from '../../src/hardware/import/perf-layout.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { PerfDataWriter, type WriterOptions } from './perf-data-writer.js';

export const PROGRAM = '/usr/bin/constructed';
export const BUILD_ID = '00112233445566778899aabbccddeeff01234567';
const PID = 4000;
const TEXT_AT = 0x400000n;
const DATA_AT = 0x7f00_0000_0000n;
const START = 5_000_000_000n;
const F = SampleField;
const COMMON = F.identifier | F.ip | F.tid | F.time | F.address | F.cpu | F.period;

const knownLevels: readonly (readonly [number, number])[] = [
  [Level.l1 | Level.hit, LevelNumber.l1],
  [Level.lfb | Level.hit, LevelNumber.lfb],
  [Level.l2 | Level.hit, LevelNumber.l2],
  [Level.l3 | Level.hit, LevelNumber.l3],
  [Level.l3 | Level.miss, LevelNumber.l3],
  [Level.localMemory | Level.hit, LevelNumber.memory],
  [Level.remoteMemory1 | Level.hit, LevelNumber.memory],
  [Level.remoteCache1 | Level.hit, LevelNumber.anyCache],
  [Level.uncached | Level.hit, 0],
  [Level.io | Level.hit, LevelNumber.io],
  [Level.notAvailable, LevelNumber.persistentMemory],
  [Level.l1 | Level.miss, 0],
  [Level.notAvailable, LevelNumber.notAvailable],
];

function randomDataSource(random: RandomNumbers, operation: number): bigint {
  const [level, levelNumber] = random.pick(knownLevels);
  return joinDataSource({
    operation,
    level,
    levelNumber,
    snoop: random.pick([
      Snoop.notAvailable,
      Snoop.none,
      Snoop.hit,
      Snoop.miss,
      Snoop.hitModified,
      Snoop.none | Snoop.forward,
      Snoop.none | Snoop.peer,
    ]),
    lock: random.pick([Lock.notAvailable, Lock.locked, 0]),
    tlb: random.pick([
      Tlb.notAvailable,
      Tlb.l1 | Tlb.hit,
      Tlb.l2 | Tlb.hit,
      Tlb.l1 | Tlb.l2 | Tlb.hit,
      Tlb.l2 | Tlb.miss,
      Tlb.walker | Tlb.miss,
      Tlb.os | Tlb.miss,
    ]),
    remote: random.below(2),
    blocked: random.pick([0, Blocked.notAvailable, Blocked.data, Blocked.address]),
    hops: random.below(5),
  });
}

function begin(writer: PerfDataWriter): void {
  writer.comm(PID, PID, 'constructed', 0n);
  writer.mmap2(PID, TEXT_AT, 0x100000n, 0n, PROGRAM, START);
  writer.change('fork', PID, PID + 1, PID, PID, START + 1n);
  writer.comm(PID, PID + 1, 'a worker', START + 2n);
}

interface Options extends WriterOptions {
  readonly seed?: number;
  readonly samples?: number;
  readonly isCompressed?: boolean;
  /** Fields beside those that the samples are of. */
  readonly moreFields?: number;
}

/** `mem-loads` with latencies in three parts and `mem-stores` with one, on two CPUs whose buffers take turns. */
export function constructPebs(options: Options = {}): Buffer {
  const { seed = 1, samples = 200, moreFields = 0 } = options;
  const random = new RandomNumbers(seed);
  const writer = new PerfDataWriter({ pmus: { cpu: 4, software: 1 }, buildIds: { [PROGRAM]: BUILD_ID }, ...options });
  const loads = writer.event({
    name: 'cpu/mem-loads,ldlat=30/P',
    type: EventType.raw,
    config: 0x1cdn,
    config1: 30n,
    period: 20_000n,
    preciseIp: 3,
    ids: [11n, 12n],
    fields: COMMON | F.dataSource | F.weightStruct | F.physicalAddress | F.dataPageSize | moreFields,
    readFormat: 4,
    branchType: 1n << 17n,
    userRegisters: 0xffn,
    interruptRegisters: 0x0fn,
  });
  const stores = writer.event({
    name: 'cpu/mem-stores/P',
    type: EventType.raw,
    config: 0x82d0n,
    period: 50_000n,
    preciseIp: 3,
    ids: [21n, 22n],
    fields: COMMON | F.dataSource | F.weight | F.physicalAddress | moreFields,
    readFormat: 4,
    branchType: 1n << 17n,
    userRegisters: 0xffn,
    interruptRegisters: 0x0fn,
  });
  begin(writer);
  const write = (): void => {
    const clocks = [START + 10n, START + 10n];
    for (let index = 0; index < samples; index++) {
      const cpu = index % 32 < 16 ? 0 : 1;
      const isLoad = random.chance(60);
      clocks[cpu] += BigInt(random.between(1, 4000));
      writer.sample(isLoad ? loads : stores, {
        id: (isLoad ? 11n : 21n) + BigInt(cpu),
        ip: TEXT_AT + BigInt(random.below(0x100000)),
        pid: PID,
        tid: PID + cpu,
        time: clocks[cpu],
        address: DATA_AT + BigInt(random.below(1 << 30)) * 8n,
        cpu,
        period: isLoad ? 20_000n : 50_000n,
        dataSource: randomDataSource(random, isLoad ? Operation.load : Operation.store),
        weight: isLoad
          ? BigInt(random.below(2000)) | (BigInt(random.below(0x10000)) << 32n) | (BigInt(random.below(0x10000)) << 48n)
          : BigInt(random.below(500)),
        physicalAddress: BigInt(random.below(1 << 30)) * 64n,
        dataPageSize: random.pick([4096n, 0x200000n]),
        callchain: [TEXT_AT, TEXT_AT + 8n],
        branches: random.below(3),
        raw: Buffer.alloc(12),
      });
      if (index % 64 !== 63) continue;
      clocks.fill(clocks[0] > clocks[1] ? clocks[0] : clocks[1]);
      writer.finishRound();
    }
    writer.lost(11n, 3n, clocks[0]);
    writer.lostSamples(2n, clocks[1]);
    writer.change('exit', PID, PID + 1, PID, PID, clocks[1] + 10n);
    writer.finishRound();
  };
  if (options.isCompressed) writer.compress(write);
  else write();
  return writer.finish();
}

/** An IBS op record of registers. */
export interface IbsRegisters {
  readonly capabilities: number;
  readonly data: bigint;
  readonly data2: bigint;
  readonly data3: bigint;
  readonly ip: bigint;
  readonly address: bigint;
  readonly physicalAddress: bigint;
}

const IBS_VALID = (1n << 17n) | (1n << 18n);

export function writeIbs(writer: PerfDataWriter, registers: IbsRegisters): Buffer {
  const { capabilities, data, data2, data3, ip, address, physicalAddress } = registers;
  return writer
    .builder()
    .u32(capabilities)
    .u64(IBS_VALID | 0x4000n)
    .u64(ip)
    .u64(data)
    .u64(data2)
    .u64(data3)
    .u64(address)
    .u64(physicalAddress)
    .u64(0)
    .take();
}

export const IBS_PMU = 9;

/** `ibs_op//`: the registers as raw data; with `hasDataSource` also what a kernel from 6.2 on derives from them. */
export function constructIbs(options: Options & { hasDataSource?: boolean } = {}): Buffer {
  const { seed = 1, samples = 200, hasDataSource = false } = options;
  const random = new RandomNumbers(seed);
  const writer = new PerfDataWriter({
    cpuId: 'AuthenticAMD,25,17,1',
    pmus: { cpu: 4, ibs_fetch: 8, ibs_op: IBS_PMU },
    buildIds: { [PROGRAM]: BUILD_ID },
    ...options,
  });
  const event = writer.event({
    name: 'ibs_op//',
    type: IBS_PMU,
    config: 0n,
    period: 100_000n,
    ids: [31n],
    fields: COMMON | F.raw | (hasDataSource ? F.dataSource | F.weight : 0),
  });
  begin(writer);
  let time = START + 10n;
  for (let index = 0; index < samples; index++) {
    time += BigInt(random.between(1, 5000));
    const isMemory = random.chance(70);
    const isLoad = random.chance(60);
    const ip = TEXT_AT + BigInt(random.below(0x100000));
    const address = DATA_AT + BigInt(random.below(1 << 30)) * 8n;
    const isMiss = random.chance(40);
    const data3 = isMemory
      ? BigInt(
          (isLoad ? 1 : 2) |
            (random.below(4) << 2) |
            (isMiss ? 0x80 : 0) |
            (random.chance(5) ? 0x8000 : 0) |
            (isMiss && random.chance(10) ? 0x1_0000 : 0) |
            0x6_0000 |
            (isMiss && random.chance(50) ? 0x10_0000 : 0),
        ) |
        (BigInt(random.between(1, 7)) << 22n) |
        (BigInt(isMiss ? random.below(900) : 0) << 32n)
      : 0n;
    const registers = {
      capabilities: 0xbff,
      data: BigInt(random.below(1 << 16)) | (BigInt(random.below(1 << 16)) << 16n),
      data2: BigInt(random.below(8) | (random.below(2) << 4) | (random.below(2) << 5) | (random.below(2) << 6)),
      data3,
      ip,
      address,
      physicalAddress: BigInt(random.below(1 << 30)) * 64n,
    };
    writer.sample(event, {
      ip,
      pid: PID,
      tid: PID,
      time,
      address: isMemory ? address : 0n,
      cpu: random.below(4),
      raw: writeIbs(writer, registers),
      period: 100_000n,
      dataSource: randomDataSource(random, isLoad ? Operation.load : Operation.store),
      weight: 5n,
    });
  }
  writer.finishRound();
  return writer.finish();
}

export const SPE_PMU = 7;
const NEOVERSE_N1 = '0x00000000413fd0c1';

/** `arm_spe_0//` on two CPUs: one buffer of packets for each. */
export function constructSpe(options: Options = {}): Buffer {
  const { seed = 1, samples = 200 } = options;
  const random = new RandomNumbers(seed);
  const writer = new PerfDataWriter({
    architecture: 'aarch64',
    cpuId: NEOVERSE_N1,
    pmus: { armv8_pmuv3_0: 8, arm_spe_0: SPE_PMU },
    buildIds: { [PROGRAM]: BUILD_ID },
    ...options,
  });
  writer.event({
    name: 'arm_spe_0/ts_enable=1,pa_enable=1/',
    type: SPE_PMU,
    config: 0n,
    period: 1024n,
    ids: [41n, 42n],
    fields: F.identifier | F.ip | F.tid | F.time | F.cpu | F.dataSource | F.physicalAddress,
  });
  // 25 MHz: 40 ns a tick.
  writer.record(
    RecordType.timeConversion,
    0,
    writer
      .builder()
      .u64(10)
      .u64(40n << 10n)
      .u64(1000n)
      .u64(0)
      .u64(0xff_ffff_ffff_ffffn)
      .u8(1)
      .u8(0)
      .bytes(Buffer.alloc(6))
      .take(),
  );
  writer.record(RecordType.auxtraceInfo, 0, writer.builder().u32(4).u32(0).u64(SPE_PMU).u64(1).take());
  begin(writer);
  for (const cpu of [0, 1]) writer.spe(SPE_PMU, cpu, spePackets(random, samples >> 1, PID + cpu));
  // Nothing of a buffer is printed before a record that is later.
  writer.change('exit', PID, PID + 1, PID, PID, START * 1000n);
  writer.finishRound();
  return writer.finish();
}

function spePackets(random: RandomNumbers, records: number, tid: number): Buffer {
  const bytes: Buffer[] = [];
  const packet = (header: number[], size: number, payload: bigint): void => {
    const value = Buffer.alloc(8);
    value.writeBigUInt64LE(BigInt.asUintN(64, payload));
    bytes.push(Buffer.from(header), value.subarray(0, size));
  };
  let ticks = START / 40n + 10n;
  for (let index = 0; index < records; index++) {
    ticks += BigInt(random.between(1, 500));
    const operation = random.pick([0, 0, 0, 1, 1, 2]); // loads, stores, branches
    packet([0xb0], 8, (TEXT_AT + BigInt(random.below(0x100000))) | (1n << 63n)); // of EL0
    packet([0x64], 4, BigInt(tid));
    if (operation === 2) packet([0x4a], 1, 1n);
    else packet([0x49], 1, BigInt(operation));
    packet([0x52], 2, BigInt(2 | (random.below(256) << 2)));
    // Not 13, another socket: perf came to say something else of it after 6.1 (data-source.test.ts).
    if (operation === 0 && random.chance(80)) packet([0x43], 1, BigInt(random.pick([0, 8, 9, 10, 11, 12, 14])));
    packet([0x98], 2, BigInt(random.below(3000)));
    if (random.chance(50)) packet([0x99], 2, BigInt(random.below(100)));
    if (random.chance(20)) packet([0x20, 0x98], 2, 3n); // an extended header: a counter of index 0
    if (operation !== 2) {
      packet(
        [0xb2],
        8,
        (DATA_AT + BigInt(random.below(1 << 30)) * 8n) | (random.chance(20) ? 0x5a00_0000_0000_0000n : 0n),
      );
      packet([0xb3], 8, (BigInt(random.below(1 << 30)) * 64n) | (1n << 63n));
    }
    if (random.chance(30)) bytes.push(Buffer.alloc(random.between(1, 9)));
    packet([0x71], 8, ticks);
  }
  return Buffer.concat(bytes);
}
