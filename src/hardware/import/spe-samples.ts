// Stage: hardware. Records of Arm's SPE to rows: those of loads and stores. Levels are said as perf says them: cores
// whose source codes are known by those codes, others by the events that every SPE has.

import { Level, LevelNumber, Operation, Snoop, Tlb } from '../samples/data-source-bits.js';
import { joinHigh, joinLow, storeDataSource } from '../samples/data-source.js';
import type { PerfEvent } from './event-table.js';
import { readSpeRecords, SpeEvent, SpeOperation, type SpeOutcome, type SpeRecord } from './spe-packets.js';
import { NOWHERE } from '../samples/samples.js';
import type { SampleRows } from './sample-rows.js';

/** Arm's cores that number their sources alike, by part number. */
const ARM = 0x41;
const KNOWN_PARTS = new Set([0xd0c, 0xd40, 0xd49, 0xd4f, 0xd4c, 0xd4e, 0xd81, 0xd85, 0xd87]);

interface Served {
  readonly level: number;
  readonly number: number;
  readonly snoop: number;
  readonly remote?: number;
}

const SOURCES: Readonly<Record<number, Served>> = {
  0x0: { level: Level.l1 | Level.hit, number: LevelNumber.l1, snoop: Snoop.none },
  0x8: { level: Level.l2 | Level.hit, number: LevelNumber.l2, snoop: Snoop.none },
  0x9: { level: Level.l2 | Level.hit, number: LevelNumber.l2, snoop: Snoop.peer },
  0xa: { level: Level.l3 | Level.hit, number: LevelNumber.l3, snoop: Snoop.peer },
  0xb: { level: Level.l3 | Level.hit, number: LevelNumber.l3, snoop: Snoop.hit },
  0xc: { level: Level.l3 | Level.hit, number: LevelNumber.l3, snoop: Snoop.peer },
  0xd: { level: Level.remoteCache1, number: LevelNumber.anyCache, snoop: Snoop.peer, remote: 1 },
  0xe: { level: Level.localMemory | Level.hit, number: LevelNumber.memory, snoop: Snoop.none },
};
const STORE: Served = { level: Level.notAvailable, number: LevelNumber.notAvailable, snoop: Snoop.notAvailable };
const UNKNOWN: Served = { level: 0, number: 0, snoop: 0 };

/** Of PERF_RECORD_TIME_CONV: the processor's counter to perf's time. */
export interface TimeConversion {
  readonly shift: bigint;
  readonly multiplier: bigint;
  readonly zero: bigint;
  readonly cycles: bigint;
  readonly mask: bigint;
  readonly isShort: boolean;
}

const MOST = (1n << 64n) - 1n;

export function toTime(counter: bigint, { shift, multiplier, zero, cycles, mask, isShort }: TimeConversion): bigint {
  const whole = isShort ? (cycles + ((counter - cycles) & mask)) & MOST : counter;
  const quotient = whole >> shift;
  const rest = whole & ((1n << shift) - 1n);
  return (zero + quotient * multiplier + ((rest * multiplier) >> shift)) & MOST;
}

/** Of the feature CPUID, which is Arm's MIDR in hexadecimal. */
export function numbersSources(cpuId: string): boolean {
  if (!/^0x[0-9a-f]{1,16}$/i.test(cpuId)) return false;
  const midr = Number(BigInt(cpuId) & 0xffff_ffffn);
  return midr >>> 24 === ARM && KNOWN_PARTS.has((midr >>> 4) & 0xfff);
}

export interface SpeBuffer {
  readonly event: PerfEvent;
  readonly cpu: number;
  /** Of a buffer that is a thread's; NOWHERE of one that is a CPU's. */
  readonly tid: number;
  readonly time: TimeConversion | undefined;
  readonly hasSourceNumbers: boolean;
  readonly pidOf: (tid: number) => number;
}

export interface SpeCounts extends SpeOutcome {
  /** Branches and others that touch no memory. */
  readonly others: number;
}

export function readSpeSamples(bytes: Uint8Array, buffer: SpeBuffer, rows: SampleRows, added: () => void): SpeCounts {
  let others = 0;
  const outcome = readSpeRecords(bytes, (record) => {
    if ((record.operation & (SpeOperation.load | SpeOperation.store)) === 0) return void others++;
    store(record, buffer, rows);
    buffer.event.samples++;
    added();
  });
  return { ...outcome, others };
}

function store(
  record: SpeRecord,
  { event, cpu, tid, time, hasSourceNumbers, pidOf }: SpeBuffer,
  rows: SampleRows,
): void {
  const row = rows.begin();
  const { columns, words } = rows;
  words.ip.set(record.ip, 2 * row);
  words.address.set(record.address, 2 * row);
  words.physicalAddress.set(record.physicalAddress, 2 * row);
  if (time !== undefined) columns.time[row] = toTime(record.timestamp, time);
  words.weight[2 * row] = record.latency;
  words.period[2 * row] = 1;
  columns.tid[row] = record.context >= 0 ? record.context : tid;
  columns.pid[row] = columns.tid[row] === NOWHERE ? NOWHERE : pidOf(columns.tid[row]);
  columns.cpu[row] = cpu;
  columns.event[row] = event.index;
  const { low, high } = dataSourceOf(record, hasSourceNumbers);
  words.dataSource[2 * row] = low;
  words.dataSource[2 * row + 1] = high;
  storeDataSource(columns, row, low, high);
}

function dataSourceOf(
  { events, operation, source }: SpeRecord,
  hasSourceNumbers: boolean,
): { low: number; high: number } {
  const isLoad = (operation & SpeOperation.load) !== 0;
  const isStore = (operation & SpeOperation.store) !== 0;
  const served = hasSourceNumbers ? (isStore ? STORE : (SOURCES[Math.max(0, source)] ?? UNKNOWN)) : byEvents(events);
  const walk = events & (SpeEvent.tlbAccess | SpeEvent.tlbWalk);
  const parts = {
    operation: isLoad ? Operation.load : Operation.store,
    level: served.level,
    levelNumber: served.number,
    snoop: served.snoop,
    remote: served.remote ?? 0,
    tlb: walk === 0 ? 0 : Tlb.walker | (events & SpeEvent.tlbWalk ? Tlb.miss : Tlb.hit),
    lock: 0,
    blocked: 0,
    hops: 0,
  };
  return { low: joinLow(parts), high: joinHigh(parts) };
}

function byEvents(events: number): Served {
  const outcome = (level: number, miss: number): number => level | (events & miss ? Level.miss : Level.hit);
  const remote = events & SpeEvent.remoteAccess ? Level.remoteCache1 : 0;
  if (events & (SpeEvent.lastLevelAccess | SpeEvent.lastLevelMiss))
    return { ...UNKNOWN, level: outcome(Level.l3, SpeEvent.lastLevelMiss) | remote };
  if (events & (SpeEvent.l1Access | SpeEvent.l1Refill))
    return { ...UNKNOWN, level: outcome(Level.l1, SpeEvent.l1Refill) | remote };
  return { ...UNKNOWN, level: remote };
}
