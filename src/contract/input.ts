// Stage: trace -> replay. The input of an engine. The static half is already decoded (Catalog); the events stay as they
// are in the file.

import type { Catalog } from './catalog.js';
import type { FlowRequest } from './flow-result.js';
import type { Machine, Schedule } from './machine.js';
import type { SharedVariablesRequest } from './threads-result.js';
import type { ReplayWindow } from './window.js';

/**
 * How a chunk of a thread begins: with the predictions of the chunk before it, or anew; behind a gap, chunks between
 * the two are damaged.
 */
export const ChunkBegin = { goesOn: 0, restart: 1, gap: 2 } as const;

/**
 * The places of one thread's EVENTS chunks in the file, in sequence order. Offsets are those of the payload; checksums
 * are already verified.
 */
export interface ThreadChunks {
  readonly offset: Float64Array;
  readonly bytes: Uint32Array;
  /** By chunk: a ChunkBegin. */
  readonly begins: Uint8Array;
  /** Index into `ReplayInput.processes`, if several processes are replayed together. */
  readonly process?: number;
  /** The thread began its process, so it does not wait for a THREAD_CREATE. */
  readonly isFirst?: boolean;
}

export const NO_CHUNKS: ThreadChunks = {
  offset: new Float64Array(0),
  bytes: new Uint32Array(0),
  begins: new Uint8Array(0),
};

/**
 * One of several processes on one machine: where its own numbers and addresses lie in the replay:
 * docs/replay/processes.md.
 */
export interface ProcessInput {
  /** The file that its chunks lie in. */
  readonly path: string;
  /** Its path 0 in the catalog, and the first number that is not its own. */
  readonly firstPath: number;
  readonly endPath: number;
  /** Its unit 0 in the catalog. */
  readonly firstUnit: number;
  /** By its own thread numbers: the number in the replay. */
  readonly threads: Uint32Array;
  /** Added to every address below SPACE_BYTES that lies in no shared piece. */
  readonly base: number;
  readonly shared: SharedPieces;
}

/**
 * The memory that the process shares with others of the replay: pieces of its address space for a stretch of recorded
 * time, by address, then by time. Two pieces have the same bounds or no byte in common; pieces with the same bounds are
 * at different times.
 */
export interface SharedPieces {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Stamps, the second excluded. */
  readonly from: BigUint64Array;
  readonly to: BigUint64Array;
  /** The address in the replay of the piece's first byte. */
  readonly target: Float64Array;
  /** The begin of the mapping that the piece belongs to. */
  readonly mappedAt: Float64Array;
  /**
   * If the mapping was the first of its memory: the address and size in the replay of all that the processes mapped of
   * that memory; else size 0.
   */
  readonly wholeAt: Float64Array;
  readonly wholeBytes: Float64Array;
}

/** The address space of one process in bytes; an address beyond it belongs to nobody. */
export const SPACE_BYTES = 2 ** 47;
/** Addresses end below 2^53. */
export const MOST_SPACES = 64;

/** The cores of threads that run where their recorded CPU says (docs/replay/order.md, "Cores"). */
export interface CpuPlacement {
  /** By CPU, up to the largest that the trace says: its core. */
  readonly coreOf: Uint16Array;
  /** By thread: its core until it says another CPU. */
  readonly first: Uint16Array;
}

/** A share of the cache lines: docs/replay/shards.md. */
export interface Shard {
  /** Below `count`. */
  readonly index: number;
  readonly count: number;
}

export interface ReplayInput {
  readonly path: string;
  readonly catalog: Catalog;
  /** By thread number; a thread that left nothing has empty columns. */
  readonly threads: readonly ThreadChunks[];
  readonly machine: Machine;
  readonly schedule: Schedule;
  /** undefined: a thread is on the core of its number, modulo cores. */
  readonly cpus?: CpuPlacement;
  /** Several processes: whose the threads are. `path` is then the first one's. */
  readonly processes?: readonly ProcessInput[];
  /** Slot of the kernel's stores into the program's buffers (kernel-slot.ts); undefined: they are only counted. */
  readonly kernelSlot?: number;
  /** The part of the replay that counts; undefined: all. */
  readonly window?: ReplayWindow;
  /** Files of shards, all of them, in the place of caches (docs/replay/shards.md); the native engine reads them. */
  readonly shardFiles?: readonly string[];
  /** Working set and data flow (docs/data-flow.md); undefined: not collected. */
  readonly flow?: FlowRequest;
  /** Shared variables (docs/threads.md); undefined: not collected. */
  readonly sharedVariables?: SharedVariablesRequest;
  /**
   * Of more objects than that, the result has sums: a row for all that are alike in kind, type, size, variable, flags,
   * core, thread, and where they were allocated and freed. undefined: never. Not with a flow, which numbers objects.
   */
  readonly mostObjects?: number;
  /**
   * `memoryBytes` limits the memory for rows of objects that have ended; `folder` is for the rest. Without `spill` all
   * rows stay in memory.
   */
  readonly spill?: { readonly folder: string; readonly memoryBytes: number };
  /**
   * References replayed so far (less than 0: so many seen by a pass ahead of the replay) and in all (0: unknown), for
   * the progress line: [done, total] as two float64 in shared memory.
   */
  readonly progress?: SharedArrayBuffer;
}
