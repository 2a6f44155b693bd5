// Stage: trace -> replay. Opens a trace file: its static half becomes a Catalog, its events stay where they are and are
// only located.

import { buildCatalog } from '../trace/catalog-builder.js';
import type { Catalog } from '../contract/catalog.js';
import { addKernelSlot } from '../trace/kernel-slot.js';
import type { Mapping } from '../trace/mapping-chunk.js';
import { ModuleHomes } from '../trace/module-homes.js';
import {
  readTrace,
  type EndInfo,
  type ModuleChunk,
  type ProcessInfo,
  type TraceHeader,
} from '../trace/trace-reader.js';
import type { TraceDamage } from '../contract/damage.js';
import type { LeftOut } from '../contract/left-out.js';
import type { ProcessInput, ReplayInput, ThreadChunks } from '../contract/input.js';
import type { Machine, Schedule } from '../contract/machine.js';
import { flowRequest, type FlowFacts } from './places.js';
import type { SharedVariablesRequest } from '../contract/threads-result.js';
import { placeThreads, type RecordedCpus } from './recorded-cpus.js';

export interface OpenedTrace {
  readonly path: string;
  readonly header: TraceHeader;
  readonly process: ProcessInfo;
  /** How the run ended; null in a truncated trace. */
  readonly end: EndInfo | null;
  readonly truncated: boolean;
  /** The end of the last whole chunk, where reading stopped in a truncated trace. */
  readonly endOffset: number;
  readonly modules: readonly ModuleChunk[];
  readonly catalog: Catalog;
  readonly threads: readonly ThreadChunks[];
  /** Chunks of threads that are not in `threads`; null: none. */
  readonly damaged: TraceDamage | null;
  readonly mappings: readonly Mapping[];
  /**
   * Several processes together (combine-traces.ts): what the threads are of, and the traces, in the order of the
   * processes.
   */
  readonly processes?: readonly ProcessInput[];
  /** Those of their modules whose units are the catalog's, in its order: processes of one program have them once. */
  readonly catalogModules?: readonly ModuleChunk[];
  readonly traces?: readonly TraceParts[];
  /** Only if more processes were given than are replayed together. */
  readonly leftOut?: LeftOut;
  /** As in ReplayInput. */
  readonly kernelSlot?: number;
  /** As in ReplayInput. */
  readonly sharedVariables?: SharedVariablesRequest;
  /** As in ReplayInput. */
  readonly mostObjects?: number;
  /** As in ReplayInput. */
  readonly shardFiles?: readonly string[];
  /** Threads are to be on the CPUs that were recorded for them (recorded-cpus.ts). */
  readonly cpus?: RecordedCpus;
  /** Its flow is to be collected. */
  readonly flow?: FlowFacts;
}

/** A trace whose catalog is not built: processes of one program have one together. */
export type TraceParts = Omit<OpenedTrace, 'catalog'>;

/** Several traces. A module that is in more than one of them is in memory once. */
export function readTraces(paths: readonly string[]): TraceParts[] {
  const known: ModuleChunk[] = [];
  const homes = new ModuleHomes();
  return paths.map((path) => {
    const trace = readTrace(path, homes);
    const modules = trace.modules.map((module) => {
      const same = known.find((other) => other.path === module.path && haveSameBytes(other, module));
      if (same === undefined) known.push(module);
      return same === undefined ? module : { ...module, units: same.units };
    });
    return { ...trace, modules };
  });
}

export function haveSameBytes({ units: a }: ModuleChunk, { units: b }: ModuleChunk): boolean {
  return a === b || Buffer.compare(a, b) === 0;
}

export function openTrace(path: string): OpenedTrace {
  const { modules, ...rest } = readTrace(path);
  return { ...rest, modules, catalog: buildCatalog(modules) };
}

/** The same trace, to be replayed with the stores that the kernel made into the program's buffers. */
export function withKernelStores(trace: OpenedTrace): OpenedTrace {
  const { catalog, slot } = addKernelSlot(trace.catalog);
  return { ...trace, catalog, kernelSlot: slot };
}

/** `progress`: [done, total] in references as two float64, written by the engine. */
export function replayInput(
  trace: OpenedTrace,
  machine: Machine,
  schedule: Schedule,
  progress?: SharedArrayBuffer,
): ReplayInput {
  const { path, catalog, threads, processes, kernelSlot, sharedVariables, shardFiles, mostObjects } = trace;
  return {
    path,
    shardFiles,
    mostObjects,
    catalog,
    threads,
    processes,
    kernelSlot,
    sharedVariables,
    cpus: trace.cpus && placeThreads(trace.cpus, machine.cores),
    machine,
    schedule,
    progress,
    ...(trace.flow && { flow: flowRequest(catalog, trace.flow) }),
  };
}
