// Stage: trace -> replay. Opens a trace file: its static half becomes a Catalog, its events stay where they are and are only located.

import { buildCatalog } from '../trace/catalog-builder.js';
import type { Catalog } from '../trace/catalog.js';
import { readTrace, type EndInfo, type ModuleChunk, type ProcessInfo, type TraceHeader } from '../trace/trace-reader.js';
import type { ReplayInput, ThreadChunks } from './input.js';
import type { Machine, Schedule } from './machine.js';

export interface OpenedTrace {
  readonly path: string;
  readonly header: TraceHeader;
  readonly process: ProcessInfo;
  /** How the run ended; null in a truncated trace. */
  readonly end: EndInfo | null;
  readonly truncated: boolean;
  /** Where reading stopped in a truncated trace: the end of its last whole chunk. */
  readonly endOffset: number;
  readonly modules: readonly ModuleChunk[];
  readonly catalog: Catalog;
  readonly threads: readonly ThreadChunks[];
}

export function openTrace(path: string): OpenedTrace {
  const { modules, ...rest } = readTrace(path);
  return { ...rest, modules, catalog: buildCatalog(modules) };
}

/** `progress`: [done, total] in references as two float64, written by the engine. */
export function replayInput(trace: OpenedTrace, machine: Machine, schedule: Schedule, progress?: SharedArrayBuffer): ReplayInput {
  return { path: trace.path, catalog: trace.catalog, threads: trace.threads, machine, schedule, progress };
}
