// Stage: hardware. AMD's IBS op record, the registers that a sample has as its raw data, to address, latency and data
// source: as the kernel derives them since Linux 6.2, for recordings that only have the registers. Bits are those of
// AMD's Processor Programming Reference, "IBS Op Data".

import { Level, LevelNumber, Lock, Operation, Snoop, Tlb } from '../samples/data-source-bits.js';
import { joinHigh, joinLow, NOTHING_KNOWN } from '../samples/data-source.js';

/** Capabilities (4), then control, instruction, data, data 2, data 3, linear and physical address (8 each). */
const CAPABILITIES = 0;
const CONTROL = 4;
const DATA = 20;
const DATA2 = 28;
const DATA3 = 36;
const LINEAR = 44;
const PHYSICAL = 52;
export const IBS_OP_BYTES = 60;

const CAPABILITY_ZEN4 = 1 << 11;
const CONTROL_VALID = 1 << 18;
const Bit = {
  load: 1,
  store: 2,
  l1TlbMiss: 4,
  l2TlbMiss: 8,
  miss: 0x80,
  uncached: 0x4000,
  locked: 0x8000,
  noBuffer: 0x1_0000,
  linearValid: 0x2_0000,
  physicalValid: 0x4_0000,
  l2Miss: 0x10_0000,
  prefetch: 0x20_0000,
} as const;

/** What supplied the data, by number; those of Zen 4 and later, then those before. */
const Zen4Source = { local: 1, near: 2, memory: 3, far: 5, persistent: 6, io: 7, extension: 8 } as const;
const OldSource = { local: 2, memory: 3, remote: 4, io: 7 } as const;

interface Served {
  readonly level: number;
  readonly number: number;
  readonly remote?: number;
  /** As perf_mem_data_src has it: one more than the hops. */
  readonly hops?: number;
}

const ZEN4_SERVED: Readonly<Record<number, Served>> = {
  [Zen4Source.local]: { level: Level.l3 | Level.hit, number: LevelNumber.l3 },
  [Zen4Source.near]: { level: Level.remoteCache1 | Level.hit, number: LevelNumber.anyCache, remote: 1, hops: 1 },
  [Zen4Source.memory]: { level: Level.localMemory | Level.hit, number: LevelNumber.memory },
  [Zen4Source.far]: { level: Level.remoteCache2 | Level.hit, number: LevelNumber.anyCache, remote: 1, hops: 2 },
  [Zen4Source.persistent]: { level: 0, number: LevelNumber.persistentMemory },
  [Zen4Source.io]: { level: Level.io | Level.hit, number: LevelNumber.io },
  [Zen4Source.extension]: { level: 0, number: LevelNumber.cxl },
};
const OLD_SERVED: Readonly<Record<number, Served>> = {
  [OldSource.local]: { level: Level.l3 | Level.remoteCache1 | Level.hit, number: LevelNumber.anyCache, hops: 1 },
  [OldSource.memory]: { level: Level.localMemory | Level.hit, number: LevelNumber.memory },
  [OldSource.remote]: { level: Level.remoteCache2 | Level.hit, number: LevelNumber.anyCache, remote: 1, hops: 2 },
  [OldSource.io]: { level: Level.io | Level.hit, number: LevelNumber.io },
};
const REMOTE_MEMORY: Served = {
  level: Level.remoteMemory1 | Level.hit,
  number: LevelNumber.memory,
  remote: 1,
  hops: 2,
};

/** Family and model of the processor, of "AuthenticAMD,25,1,1"; 0 where it is not known. */
export interface AmdModel {
  readonly family: number;
  readonly model: number;
}

export function parseAmdModel(cpuId: string): AmdModel {
  const [, family, model] = /^AuthenticAMD,(\d+),(\d+)/.exec(cpuId) ?? [];
  return { family: Number(family ?? 0), model: Number(model ?? 0) };
}

/** One record at a time, decoded in place. */
export class IbsOp {
  isValid = false;
  isMemory = false;
  hasAddress = false;
  hasPhysicalAddress = false;
  /** Where those stand, from the beginning of the raw data. */
  readonly addressAt = LINEAR;
  readonly physicalAt = PHYSICAL;
  /** Cycles that the miss took; 0 of a hit, and of a store. */
  missLatency = 0;
  /** From the tag to retirement, in cycles. */
  retireLatency = 0;
  sizeBytes = 0;
  low = 0;
  high = 0;

  constructor(private readonly cpu: AmdModel) {}

  /** AMD's processors are little-endian; the reader hands over the byte order of the file. */
  read(view: DataView, at: number, bytes: number, isLittle: boolean): boolean {
    this.isValid = bytes >= IBS_OP_BYTES && (view.getUint32(at + CONTROL, isLittle) & CONTROL_VALID) !== 0;
    if (!this.isValid) return false;
    const data3 = view.getUint32(at + DATA3, isLittle);
    this.isMemory = (data3 & (Bit.load | Bit.store)) !== 0;
    this.hasAddress = (data3 & Bit.linearValid) !== 0;
    this.hasPhysicalAddress = (data3 & Bit.physicalValid) !== 0;
    const isMissedLoad = (data3 & Bit.load) !== 0 && (data3 & Bit.miss) !== 0;
    this.missLatency = isMissedLoad ? view.getUint16(at + DATA3 + 4, isLittle) : 0;
    this.retireLatency = isMissedLoad ? view.getUint16(at + DATA + 2, isLittle) : 0;
    const width = (data3 >>> 22) & 15;
    this.sizeBytes = width === 0 || width > 8 ? 0 : 2 ** (width - 1);
    this.derive(
      data3,
      this.mistrustsData2(data3) ? 0 : view.getUint32(at + DATA2, isLittle),
      (view.getUint32(at + CAPABILITIES, isLittle) & CAPABILITY_ZEN4) !== 0,
    );
    return true;
  }

  /** Erratum 1293 of Zen 3. */
  private mistrustsData2(data3: number): boolean {
    return this.cpu.family === 0x19 && this.cpu.model <= 0xf && (data3 & (Bit.prefetch | Bit.noBuffer)) !== 0;
  }

  private derive(data3: number, data2: number, isZen4: boolean): void {
    if (!this.isMemory) {
      this.low = NOTHING_KNOWN.low;
      this.high = NOTHING_KNOWN.high;
      return;
    }
    const isLoad = (data3 & Bit.load) !== 0;
    const source = isZen4 ? (((data2 >>> 6) & 3) << 3) | (data2 & 7) : data2 & 7;
    const served = this.servedBy(data3, data2, source, isLoad, isZen4);
    const parts = {
      operation: isLoad ? Operation.load : Operation.store,
      level: served.level,
      levelNumber: served.number,
      remote: served.remote ?? 0,
      hops: served.hops ?? 0,
      snoop: this.isHitModified(data2, source, isLoad, isZen4, served.level) ? Snoop.hitModified : Snoop.notAvailable,
      tlb: tlbOf(data3),
      lock: data3 & Bit.locked ? Lock.locked : Lock.notAvailable,
      blocked: 0,
    };
    this.low = joinLow(parts);
    this.high = joinHigh(parts);
  }

  private servedBy(data3: number, data2: number, source: number, isLoad: boolean, isZen4: boolean): Served {
    if (data3 & Bit.uncached && source !== Zen4Source.io)
      return { level: Level.uncached | Level.hit, number: LevelNumber.uncached };
    if ((data3 & Bit.miss) === 0) return { level: Level.l1 | Level.hit, number: LevelNumber.l1 };
    if ((data3 & Bit.l2Miss) === 0 && !this.mistrustsData2(data3))
      return { level: Level.l2 | Level.hit, number: LevelNumber.l2 };
    const served = isLoad ? (isZen4 ? ZEN4_SERVED : OLD_SERVED)[source] : undefined;
    if (served !== undefined) {
      const isRemote = (data2 & 0x10) !== 0;
      if (!isRemote) return served;
      if (served.number === LevelNumber.memory) return REMOTE_MEMORY;
      return served.number === LevelNumber.persistentMemory || served.number === LevelNumber.cxl
        ? { ...served, remote: 1, hops: 2 }
        : served;
    }
    if (data3 & Bit.noBuffer) return { level: Level.lfb | Level.hit, number: LevelNumber.lfb };
    return { level: Level.notAvailable, number: LevelNumber.notAvailable };
  }

  /** The bit is 0 of a modified line; some models of family 19h do not say. */
  private isHitModified(data2: number, source: number, isLoad: boolean, isZen4: boolean, level: number): boolean {
    const { family, model } = this.cpu;
    if (family === 0x19 && (model <= 0xf || (model >= 0x20 && model <= 0x5f))) return false;
    if (!isLoad || (level & (Level.l1 | Level.l2)) !== 0 || (data2 & 0x20) !== 0) return false;
    return isZen4
      ? source === Zen4Source.local || source === Zen4Source.near || source === Zen4Source.far
      : source === OldSource.local;
  }
}

function tlbOf(data3: number): number {
  if ((data3 & Bit.linearValid) === 0) return Tlb.notAvailable;
  if ((data3 & Bit.l1TlbMiss) === 0) return Tlb.l1 | Tlb.hit;
  return Tlb.l2 | ((data3 & Bit.l2TlbMiss) === 0 ? Tlb.hit : Tlb.miss);
}
