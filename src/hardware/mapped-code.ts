// Stage: hardware. Which file an address was of, in a process at a time: mappings, forks and execs applied in order of time, as far as the samples have come.

import { NO_RANGE, RangeMap } from '../base/range-map.js';
import type { Mapping, SampleTables } from './samples.js';

interface Change {
  readonly time: bigint;
  apply(): void;
}

/** Addresses from here on are the kernel's. */
const KERNEL = 1n << 63n;

export interface MappedPlace {
  readonly mapping: Mapping;
  /** In the file. */
  readonly offset: bigint;
}

export class MappedCode {
  private readonly changes: readonly Change[];
  private next = 0;
  private readonly processes = new Map<number, RangeMap>();
  private readonly kernel: { readonly start: bigint; readonly end: bigint; readonly mapping: Mapping }[] = [];

  constructor(private readonly tables: SampleTables) {
    const { mappings, names, threads } = tables;
    const changes: Change[] = [
      ...mappings.map((mapping, index) => ({ time: BigInt(mapping.time), apply: () => this.map(mapping, index) })),
      ...names.filter(({ isExec }) => isExec).map(({ time, pid }) => ({ time: BigInt(time), apply: () => void this.processes.delete(pid) })),
      ...threads.filter(({ kind, pid, parentPid }) => kind === 'fork' && pid !== parentPid).map(({ time, pid, parentPid }) => ({ time: BigInt(time), apply: () => this.fork(pid, parentPid) })),
    ];
    // Stable: a process's exec stands before the mappings that it made at the same time only if it was recorded so.
    this.changes = changes.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  }

  /** Times may only rise. */
  find(pid: number, address: bigint, time: bigint): MappedPlace | undefined {
    while (this.next < this.changes.length && this.changes[this.next].time <= time) this.changes[this.next++].apply();
    const mapping = address >= KERNEL ? this.kernel.findLast(({ start, end }) => address >= start && address < end)?.mapping : this.inProcess(pid, address);
    return mapping === undefined ? undefined : { mapping, offset: address - BigInt(mapping.start) + BigInt(mapping.fileOffset) };
  }

  private inProcess(pid: number, address: bigint): Mapping | undefined {
    const index = this.processes.get(pid)?.find(Number(address)) ?? NO_RANGE;
    return index === NO_RANGE ? undefined : this.tables.mappings[index];
  }

  private map(mapping: Mapping, index: number): void {
    const start = BigInt(mapping.start);
    const end = start + BigInt(mapping.bytes);
    if (mapping.isKernel || start >= KERNEL) return void this.kernel.push({ start, end, mapping });
    let ranges = this.processes.get(mapping.pid);
    if (ranges === undefined) this.processes.set(mapping.pid, (ranges = new RangeMap()));
    ranges.put(Number(start), Number(end), index);
  }

  private fork(child: number, parent: number): void {
    const copy = new RangeMap();
    for (const { begin, end, value } of this.processes.get(parent)?.overlapping(0, Infinity) ?? []) copy.put(begin, end, value);
    this.processes.set(child, copy);
  }
}
