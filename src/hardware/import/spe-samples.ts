// Stage: hardware. A buffer of Arm's SPE to rows: those of loads and stores. The native decoder reads the packets; the
// recording says what the processor's counter is in perf's time, and whose a thread is.

import { NOWHERE } from '../samples/samples.js';
import type { PerfEvent } from './event-table.js';
import { nativeRecords, type SpeColumns } from './native-records.js';
import type { SampleRows } from './sample-rows.js';

/** How PERF_RECORD_TIME_CONV turns the processor's counter into perf's time. */
export interface TimeConversion {
  readonly shift: bigint;
  readonly multiplier: bigint;
  readonly zero: bigint;
  readonly cycles: bigint;
  readonly mask: bigint;
  readonly isShort: boolean;
}

const MOST = (1n << 64n) - 1n;

function toTime(counter: bigint, { shift, multiplier, zero, cycles, mask, isShort }: TimeConversion): bigint {
  const whole = isShort ? (cycles + ((counter - cycles) & mask)) & MOST : counter;
  const quotient = whole >> shift;
  const rest = whole & ((1n << shift) - 1n);
  return (zero + quotient * multiplier + ((rest * multiplier) >> shift)) & MOST;
}

export interface SpeBuffer {
  readonly event: PerfEvent;
  readonly cpu: number;
  /** The thread whose buffer it is; NOWHERE if it is a CPU's. */
  readonly tid: number;
  readonly time: TimeConversion | undefined;
  /** The text of the feature CPUID, which is Arm's MIDR in hexadecimal. */
  readonly cpuId: string;
  readonly pidOf: (tid: number) => number;
}

export function readSpeSamples(
  bytes: Uint8Array,
  { event, cpu, tid, time, cpuId, pidOf }: SpeBuffer,
  rows: SampleRows,
  added: () => void,
): Pick<SpeColumns, 'others' | 'badBytes' | 'cutRecords'> {
  const read = nativeRecords().readSpe(bytes, cpuId);
  for (let at = 0; at < read.ip.length; at++) {
    const row = rows.begin();
    const { columns } = rows;
    columns.ip[row] = read.ip[at];
    columns.address[row] = read.address[at];
    columns.physicalAddress[row] = read.physicalAddress[at];
    if (time !== undefined) columns.time[row] = toTime(read.timestamp[at], time);
    columns.weight[row] = BigInt(read.latency[at]);
    columns.period[row] = 1n;
    columns.tid[row] = read.thread[at] >= 0 ? read.thread[at] : tid;
    columns.pid[row] = columns.tid[row] === NOWHERE ? NOWHERE : pidOf(columns.tid[row]);
    columns.cpu[row] = cpu;
    columns.event[row] = event.index;
    columns.dataSource[row] = read.dataSource[at];
    event.samples++;
    added();
  }
  return read;
}
