// Stage: hardware. Which file an address was of, in a process at a time: mappings, forks and execs applied in order of
// time, as far as the samples have come.

import { NO_RANGE, RangeMap } from '../../base/range-map.js';
import type { Mapping, SampleTables } from './samples.js';

interface Change {
  readonly time: bigint;
  apply(): void;
}

/** Addresses from here on are the kernel's; they are kept by page, whose numbers are exact below 2^53. */
const KERNEL = 1n << 63n;
const PAGE_BITS = 12n;
const PAGE_BYTES = 1n << PAGE_BITS;

export interface MappedPlace {
  readonly mapping: Mapping;
  /** In the file. */
  readonly offset: bigint;
}

export class MappedCode {
  private readonly changes: readonly Change[];
  private next = 0;
  private readonly processes = new Map<number, RangeMap>();
  private readonly kernel = new RangeMap();

  constructor(private readonly tables: SampleTables) {
    const { mappings, names, threads } = tables;
    // In this order at one time: perf says of processes that ran before it, all at time 0, whose child each is, then
    // what it maps.
    const changes: Change[] = [
      ...threads
        .filter(({ kind, pid, parentPid }) => kind === 'fork' && pid !== parentPid)
        .map(({ time, pid, parentPid }) => ({ time: BigInt(time), apply: () => this.fork(pid, parentPid) })),
      ...names
        .filter(({ isExec }) => isExec)
        .map(({ time, pid }) => ({ time: BigInt(time), apply: () => void this.processes.delete(pid) })),
      ...mappings.map((mapping, index) => ({ time: BigInt(mapping.time), apply: () => this.map(mapping, index) })),
    ];
    this.changes = changes.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  }

  /** Times may only rise. */
  find(pid: number, address: bigint, time: bigint): MappedPlace | undefined {
    while (this.next < this.changes.length && this.changes[this.next].time <= time) this.changes[this.next++].apply();
    const index =
      address >= KERNEL
        ? this.kernel.find(kernelPage(address))
        : (this.processes.get(pid)?.find(Number(address)) ?? NO_RANGE);
    if (index === NO_RANGE) return undefined;
    const mapping = this.tables.mappings[index];
    const inside = address - BigInt(mapping.start);
    return inside < 0n || inside >= BigInt(mapping.bytes)
      ? undefined
      : { mapping, offset: inside + BigInt(mapping.fileOffset) };
  }

  private map(mapping: Mapping, index: number): void {
    const start = BigInt(mapping.start);
    const end = start + BigInt(mapping.bytes);
    if (start >= KERNEL) return this.kernel.put(kernelPage(start), kernelPage(end + PAGE_BYTES - 1n), index);
    let ranges = this.processes.get(mapping.pid);
    if (ranges === undefined) this.processes.set(mapping.pid, (ranges = new RangeMap()));
    ranges.put(Number(start), Number(end), index);
  }

  private fork(child: number, parent: number): void {
    const copy = new RangeMap();
    for (const { begin, end, value } of this.processes.get(parent)?.overlapping(0, Infinity) ?? [])
      copy.put(begin, end, value);
    this.processes.set(child, copy);
  }
}

function kernelPage(address: bigint): number {
  return Number((address - KERNEL) >> PAGE_BITS);
}
