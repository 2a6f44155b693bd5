// Stage: replay. The native engine (engine/): what it needs of the catalog as flat columns in, the same ReplayResult
// out.

import { createRequire } from 'node:module';
import { NO_INDEX } from '../base/ids.js';
import { DprofError } from '../base/dprof-error.js';
import { locateNative } from '../base/native-build.js';
import { TYPE_KINDS, type Catalog } from '../contract/catalog.js';
import { memoryOf } from '../contract/memory-types.js';
import { TraceError } from '../trace/trace-error.js';
import { completeMachine, type CompleteMachine, isPlainMachine } from '../contract/complete-machine.js';
import type { ReplayInput, Shard } from '../contract/input.js';
import type { Machine } from '../contract/machine.js';
import type { ReplayResult } from '../contract/result.js';

interface Addon {
  replay(input: object): ReplayResult[];
  replayInBackground(input: object): Promise<ReplayResult[]>;
  /** Writes a file with this header. */
  replayShard(input: object, path: string, header: string): Promise<void>;
  /** src/what-if/native-cacheperf.ts. */
  cacheperf(input: object, request: object): Promise<unknown>;
  /** Both: src/what-if/native-placing.ts. */
  survey(input: object, facts: object, excerpts: object): Promise<unknown>;
  placeTraces(input: object, ways: readonly object[], folder: string, excerpts: object): Promise<unknown>;
  /** src/blocks/record-executions.ts. */
  recordExecutions(input: object): Promise<unknown>;
  /** src/stream/read-references.ts. */
  openReferences(input: object, columns: object, packed: readonly object[], live?: LivePlace): OpenedReferences;
  /** Both: src/kernel/native-kernel.ts. */
  openKernel(path: string): { readonly columns: readonly string[]; readonly isArrow: boolean };
  runKernel(
    path: string,
    input: object,
    columns: object,
    packed: readonly object[],
    own: readonly object[],
  ): Promise<{ readonly text: string; readonly failed: number }>;
  createLive(capacity: number): { id: number; data: number; control: number };
  awaitLive(id: number): Promise<LiveStop>;
  collectLive(id: number): Promise<LiveStop>;
  /**
   * With an input: replays from the beginning, with at most `mostThreads` threads; its catalog has the modules in the
   * first `knownBytes` bytes. Without one: continues where it paused.
   */
  replayLive(id: number, input: object | null, knownBytes: number, mostThreads: number): Promise<LiveAnswer>;
  feedLive(id: number, bytes: Uint8Array): Promise<boolean>;
  /** The descriptor of a file with all that came so far. */
  wholeLive(id: number): number;
  writtenLive(id: number): number;
  settleLive(id: number): void;
  pauseLive(id: number): void;
  endLive(id: number): void;
  dismissLive(id: number): void;
  /** When no step is under way. */
  destroyLive(id: number): void;
}

/** Rows of src/stream/reference-rows.ts, null at the end. */
export interface OpenedReferences {
  next(): Promise<unknown>;
  /** The calling thread waits. */
  nextNow(): unknown;
  close(): void;
  /** After the last rows: why a live trace has no more. */
  stop(): LiveStop | null;
}

/** A live trace, followed from its beginning: with the modules in the first bytes, and at most so many threads. */
export interface LivePlace {
  readonly id: number;
  readonly knownBytes: number;
  readonly mostThreads: number;
}

/** Why a live trace's reader stopped: engine/trace/live_source.h; `nothing`: the recorder keeps nothing of it. */
export type LiveStop = 'events' | 'paused' | 'module' | 'thread' | 'cores' | 'again' | 'end' | 'cut' | 'nothing';

export interface LiveAnswer {
  readonly stop: LiveStop;
  /** The end of the last whole chunk. */
  readonly offset: number;
  /** The number of threads that have come. */
  readonly threads: number;
  /** When paused, so far; at the end or cut, all. */
  readonly result?: ReplayResult;
  /** The END chunk's JSON; empty where the trace was cut. */
  readonly end?: string;
}

const ADDON = 'lib/dprof_engine.node';

let loaded: Addon | null = null;

export function loadAddon(): Addon {
  const path = locateNative(ADDON);
  try {
    return (loaded ??= createRequire(import.meta.url)(path) as Addon);
  } catch (error) {
    throw new DprofError(
      `the native engine cannot be loaded: ${(error as Error).message.split('\n')[0]}`,
      "run 'npm run setup', or replay with --engine ts",
    );
  }
}

/**
 * The results of the input's machine and of others for which references are laid out alike (`layOutAlike`): the trace
 * is decoded once. Returns at the end. `workers`: threads that are busy at a time, at most, the calling one included.
 */
export function replayNativelyOn(
  input: ReplayInput,
  otherMachines: readonly Machine[],
  workers: number,
): ReplayResult[] {
  return askNow(input, () => loadAddon().replay(wholeInput(input, otherMachines, workers)));
}

/** The same on a thread of the engine's own, so that the caller stays responsive. */
export async function replayInBackground(
  input: ReplayInput,
  otherMachines: readonly Machine[],
  workers: number,
): Promise<ReplayResult[]> {
  return ask(input, () => loadAddon().replayInBackground(wholeInput(input, otherMachines, workers)));
}

/** The engine's answer; its errors are typed, and name the trace. */
export async function ask<Answer>(input: ReplayInput, question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question();
  } catch (error) {
    throw typedError(error, prefixOf(input));
  }
}

/** The same for an answer that the calling thread waits for. */
export function askNow<Answer>(input: ReplayInput, question: () => Answer): Answer {
  try {
    return question();
  } catch (error) {
    throw typedError(error, prefixOf(input));
  }
}

/** Replays one shard's lines, and writes what their caches say to a file. */
export function replayShard(
  input: ReplayInput,
  shard: Shard,
  file: { readonly path: string; readonly header: string },
  workers: number,
): Promise<void> {
  const asked = { ...addonInput(input, workers), shard };
  return ask(input, () => loadAddon().replayShard(asked, file.path, file.header));
}

function wholeInput(input: ReplayInput, otherMachines: readonly Machine[], workers: number): object {
  return { ...addonInput(input, workers), otherMachines: otherMachines.map(addonMachine) };
}

function prefixOf({ path, processes }: ReplayInput): string {
  return processes === undefined ? `${path}: ` : '';
}

/** The part of a replay's input that the engine needs: numbers, and columns in tables by name. */
export function addonInput(
  {
    catalog,
    machine,
    threads,
    path,
    progress,
    schedule,
    window,
    kernelSlot,
    spill,
    processes,
    cpus,
    flow,
    sharedVariables,
    shardFiles,
    mostObjects,
  }: ReplayInput,
  workers: number,
): object {
  return {
    path,
    machine: addonMachine(machine),
    threads,
    workers,
    schedule,
    window,
    processes,
    cpus,
    flow,
    sharedVariables,
    shardFiles,
    mostObjects,
    spill: spill ?? null,
    kernelSlot: kernelSlot ?? NO_INDEX,
    progress: progress ? new Float64Array(progress) : null,
    ...columnsOf(catalog),
  };
}

/** `isPlain`: the fast hierarchy simulates it. The whole one can too, which a test compares. */
export function addonMachine(machine: Machine): CompleteMachine & { readonly isPlain: boolean } {
  return { ...completeMachine(machine), isPlain: isPlainMachine(machine) };
}

/** The part of the catalog that the engine needs: columns, in tables by name. */
export function columnsOf(catalog: Catalog): object {
  const { types, slots, records, regions, nodes, edges, variables, globals, leaves, declared, unitFirstVariable } =
    catalog;
  const [struct, klass] = [TYPE_KINDS.indexOf('struct'), TYPE_KINDS.indexOf('class')];
  return {
    slots: { ...slots, hasPath: whichAreThere(slots.path) },
    records,
    regions,
    nodes,
    edges,
    types: {
      isStruct: types.kind.map((kind) => (kind >= struct && kind <= klass ? 1 : 0)),
      memory: types.kind.map((_, type) => memoryOf(catalog, type)),
      nameRank: rankNames(types.name),
      declared,
      leafBase: leaves.base,
      leafSpan: leaves.span,
      flexibleFrom: leaves.flexibleFrom,
      flexibleLeaf: leaves.flexibleLeaf,
      leafAt: leaves.leafAt,
    },
    variables,
    globals,
    unitFirstVariable,
  };
}

function whichAreThere(texts: readonly string[]): Uint8Array {
  const there = new Uint8Array(texts.length);
  for (let at = 0; at < texts.length; at++) if (texts[at] !== '') there[at] = 1;
  return there;
}

/** Equal names: the smaller id first. */
function rankNames(names: readonly string[]): Uint32Array {
  const order = names.map((_, id) => id).sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b));
  const rank = new Uint32Array(names.length);
  order.forEach((id, at) => (rank[id] = at));
  return rank;
}

/** `prefix` names the trace. It is empty for several traces: there the engine names the faulty one in its message. */
export function typedError(error: unknown, prefix: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'trace' && 'offset' in error && 'expected' in error && 'actual' in error)
    return new TraceError(
      `${prefix}${error.message}`,
      Number(error.offset),
      String(error.expected),
      String(error.actual),
    );
  if (error.code === 'file') return new DprofError(error.message, 'was the trace moved or deleted meanwhile?');
  if (error.code === 'disk')
    return new DprofError(error.message, 'name a folder with room for the objects of the run: TMPDIR=FOLDER dprof ...');
  if (error.code === 'room')
    return new DprofError(
      error.message,
      'give more memory (--buffer 1G), or a folder with room (TMPDIR=FOLDER dprof ...)',
    );
  if (error.code === 'input')
    return new DprofError(`the native engine cannot replay this: ${error.message}`, 'try --engine ts');
  return error;
}
