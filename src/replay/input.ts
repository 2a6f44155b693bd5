// Stage: trace -> replay. What an engine is given. The static half is already decoded (Catalog); the events stay as they are in the file.

import type { Catalog } from '../trace/catalog.js';
import type { Machine, Schedule } from './machine.js';
import type { ReplayWindow } from './window.js';

/** Where the EVENTS chunks of one thread lie, in sequence order; offsets are of the payload, checksums already verified. */
export interface ThreadChunks {
  readonly offset: Float64Array;
  readonly bytes: Uint32Array;
}

export interface ReplayInput {
  readonly path: string;
  readonly catalog: Catalog;
  /** By thread number; a thread that left nothing has empty columns. */
  readonly threads: readonly ThreadChunks[];
  readonly machine: Machine;
  readonly schedule: Schedule;
  /** Slot of the kernel's stores into the program's buffers (kernel-slot.ts); undefined: they are only counted. */
  readonly kernelSlot?: number;
  /** What of it counts; undefined: all. */
  readonly window?: ReplayWindow;
  /** What the rows of objects that have ended may take in memory, and the folder for the rest; without it all stays in memory. */
  readonly spill?: { readonly folder: string; readonly memoryBytes: number };
  /** References replayed so far and in all (0: unknown), for the progress line: [done, total] as two float64 in shared memory. */
  readonly progress?: SharedArrayBuffer;
}
