// Stage: trace -> replay. On which CPUs the threads ran, as their TIME events say, and which cores of a machine those
// are: docs/replay/order.md, "Cores".

import { DprofError } from '../base/dprof-error.js';
import { Scout } from '../order/scout.js';
import { EventCode } from '../trace/layout.js';
import { TraceError } from '../trace/trace-error.js';
import { TraceFile } from '../trace/trace-file.js';
import type { CpuPlacement, ThreadChunks } from '../contract/input.js';

/** The rule that places threads on cores: by their numbers, or by the CPU that was recorded. */
export const MAPS = ['thread', 'cpu'] as const;
export type MapName = (typeof MAPS)[number];

/** The limit for a CPU's number, which no machine reaches. */
const CPU_LIMIT = 65_536;
const NO_CPU = -1;

export interface RecordedCpus {
  /** The CPUs of all threads, ascending. */
  readonly numbers: readonly number[];
  /** By thread: the one that it says first; NO_CPU: it says none. */
  readonly first: Int32Array;
}

/** A recorded CPU, and the core that it is. */
export interface CpuCore {
  readonly cpu: number;
  readonly core: number;
}

/** The part of an opened trace that says where its threads ran. */
interface SurveyedTrace {
  readonly path: string;
  readonly threads: readonly ThreadChunks[];
  /** Several processes together: each with the path of its trace. */
  readonly processes?: readonly { readonly path: string }[];
}

/** The same trace, to be replayed with its threads on the CPUs that it recorded. */
export function withRecordedCpus<Trace extends SurveyedTrace>(trace: Trace): Trace & { readonly cpus: RecordedCpus } {
  return { ...trace, cpus: surveyCpus(trace) };
}

/** The number of cores of a machine that does not say it. */
export function defaultCores({
  cpus,
  threads,
}: {
  readonly cpus?: RecordedCpus;
  readonly threads: readonly unknown[];
}): number {
  return cpus?.numbers.length ?? threads.length;
}

export function coreOfCpus({ numbers }: RecordedCpus, cores: number): CpuCore[] {
  const isByNumber = numbers.every((cpu) => cpu < cores);
  return numbers.map((cpu, index) => ({ cpu, core: isByNumber ? cpu : index % cores }));
}

export function placeThreads(cpus: RecordedCpus, cores: number): CpuPlacement {
  const coreOf = new Uint16Array((cpus.numbers.at(-1) ?? -1) + 1);
  for (const { cpu, core } of coreOfCpus(cpus, cores)) coreOf[cpu] = core;
  return {
    coreOf,
    first: Uint16Array.from(cpus.first, (cpu, thread) => (cpu === NO_CPU ? thread % cores : coreOf[cpu])),
  };
}

function surveyCpus({ path, threads, processes }: SurveyedTrace): RecordedCpus {
  const numbers = new Set<number>();
  const first = new Int32Array(threads.length).fill(NO_CPU);
  const named = processes?.map((process) => process.path) ?? [path];
  const files = named.map((name) => TraceFile.open(name));
  try {
    threads.forEach((chunks, thread) => {
      const process = chunks.process ?? 0;
      for (const cpu of namedBy(named[process], () => cpusOf(new Scout(files[process], chunks)))) {
        if (first[thread] === NO_CPU) first[thread] = cpu;
        numbers.add(cpu);
      }
    });
  } finally {
    for (const file of files) file.close();
  }
  if (numbers.size === 0)
    throw new DprofError(
      `${named.join(', ')}: no CPU is recorded, so --map=cpu has nothing to go by`,
      'leave it out: threads are then placed in creation order, modulo --cores',
    );
  return { numbers: [...numbers].sort((a, b) => a - b), first };
}

/** Distinct, in the order in which the thread says them first. */
function cpusOf(scout: Scout): Set<number> {
  const found = new Set<number>();
  while (scout.next()) {
    const { code, cpu, stamp } = scout.entry;
    if (code !== EventCode.time) continue;
    if (cpu >= CPU_LIMIT)
      throw new TraceError(`CPU of the TIME event at stamp ${stamp}`, 0, `a number below ${CPU_LIMIT}`, `${cpu}`);
    found.add(cpu);
  }
  return found;
}

function namedBy<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DprofError && !error.message.startsWith(path)) error.message = `${path}: ${error.message}`;
    throw error;
  }
}
