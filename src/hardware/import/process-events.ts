// Stage: hardware. Records of mappings, names, beginnings and ends of threads, to tables; and of what was lost, to
// counts.

import { hexadecimal, type ByteView } from './byte-view.js';
import { CPU_MODE, MISC_BUILD_ID, MISC_EXEC, MODE_KERNEL } from './perf-layout.js';
import { SamplesError } from '../samples/samples-error.js';
import type { LostCounts, Mapping, ThreadChange, ThreadName } from '../samples/samples.js';

const EXECUTABLE = 4;
/** `misc` of a mapping that is not executable. */
const MISC_MMAP_DATA = 1 << 13;
const MOST_ROWS = 1 << 20;

export class ProcessEvents {
  readonly mappings: Mapping[] = [];
  readonly names: ThreadName[] = [];
  readonly threads: ThreadChange[] = [];
  private readonly processOf = new Map<number, number>();

  mmap(view: ByteView, misc: number, time: bigint): void {
    this.mappings.push({
      ...mappingAt(view, misc, time),
      file: view.text(40),
      buildId: '',
      isExecutable: (misc & MISC_MMAP_DATA) === 0,
    });
    this.bound(view);
  }

  mmap2(view: ByteView, misc: number, time: bigint): void {
    const buildId = misc & MISC_BUILD_ID ? view.hexadecimal(44, Math.min(20, view.u8(40))) : '';
    this.mappings.push({
      ...mappingAt(view, misc, time),
      file: view.text(72),
      buildId,
      isExecutable: (view.u32(64) & EXECUTABLE) !== 0,
    });
    this.bound(view);
  }

  name(view: ByteView, misc: number, time: bigint): void {
    const [pid, tid] = [view.u32(8), view.u32(12)];
    this.processOf.set(tid, pid);
    this.names.push({ time: String(time), pid, tid, name: view.text(16), isExec: (misc & MISC_EXEC) !== 0 });
    this.bound(view);
  }

  change(kind: 'fork' | 'exit', view: ByteView): void {
    const change = {
      time: String(view.u64(24)),
      kind,
      pid: view.u32(8),
      tid: view.u32(16),
      parentPid: view.u32(12),
      parentTid: view.u32(20),
    };
    if (kind === 'fork') this.processOf.set(change.tid, change.pid);
    this.threads.push(change);
    this.bound(view);
  }

  /** A thread that nobody has told of is taken for a process of its own. */
  pidOf(tid: number): number {
    return this.processOf.get(tid) ?? tid;
  }

  private bound(view: ByteView): void {
    if (this.mappings.length + this.names.length + this.threads.length <= MOST_ROWS) return;
    throw new SamplesError('records of processes', view.offset, `at most ${MOST_ROWS}`, 'more');
  }
}

function mappingAt(view: ByteView, misc: number, time: bigint): Omit<Mapping, 'file' | 'buildId' | 'isExecutable'> {
  return {
    time: String(time),
    pid: view.u32(8),
    start: hexadecimal(view.u64(16)),
    bytes: hexadecimal(view.u64(24)),
    fileOffset: hexadecimal(view.u64(32)),
    isKernel: (misc & CPU_MODE) === MODE_KERNEL,
  };
}

/** Counts of records that are not among the samples. */
export class Losses {
  records = 0;
  samples = 0;
  throttles = 0;
  truncatedAux = 0;
  private readonly reasons = new Map<string, number>();

  skip(reason: string, count = 1): void {
    if (count > 0) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + count);
  }

  counts(outOfOrder: number): LostCounts {
    const { records, samples, throttles, truncatedAux } = this;
    return {
      records,
      samples,
      throttles,
      truncatedAux,
      outOfOrder,
      skipped: Object.fromEntries([...this.reasons].sort()),
    };
  }
}
