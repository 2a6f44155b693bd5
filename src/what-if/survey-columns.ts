// Stage: trace -> what-if. What one pass over a trace tells of its objects: survey.ts makes it, and the native engine
// (engine/placing/survey.h), to the same numbers.

import type { SlotTable } from '../contract/catalog.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';

/** By object number, in the order in which objects were made. */
export interface SurveyedObjects {
  readonly count: number;
  readonly address: Float64Array;
  readonly sizeBytes: Float64Array;
  /** TypeId; 0 none. */
  readonly declared: Uint32Array;
  /** NO_INDEX: none. */
  readonly allocationSlot: Uint32Array;
  readonly variable: Uint32Array;
  /**
   * Of heap objects without a declared type: the one struct that all accesses to them name, or name parts or heads of
   * (type-kin.ts), if elements of it stand one behind the other from the object's begin on; else MIXED. 0: no access
   * names a struct.
   */
  readonly said: Int32Array;
  /** Of parts: the object that they are cut out of; NO_INDEX: none. */
  readonly whole: Uint32Array;
  /** ObjectKind. */
  readonly kind: Uint8Array;
  /** Bits of ObjectFlag. */
  readonly flags: Uint8Array;
}

export const ObjectFlag = { part: 1, mapping: 2, fromRecord: 4 } as const;
export const MIXED = -1;

/** Of blocks that an allocator can be asked for again, and ends of threads, in the order of the run. */
export interface Operations {
  readonly count: number;
  /** OperationKind. */
  readonly kind: Uint8Array;
  readonly thread: Uint32Array;
  /** Object number; 0 of a thread's end. */
  readonly block: Uint32Array;
  /** Bytes; 0 of a free and of a thread's end. */
  readonly size: Float64Array;
  /** OperationKind.aligned: bytes; realloc: the block that is moved. */
  readonly other: Float64Array;
}

export const OperationKind = {
  none: 0,
  malloc: 1,
  calloc: 2,
  realloc: 3,
  aligned: 4,
  free: 5,
  threadEnd: 6,
} as const;

/** Whether it hands out a block. */
export function handsOut(kind: number): boolean {
  return kind !== OperationKind.free && kind !== OperationKind.threadEnd;
}

/**
 * Of objects of LEAST_STRIDED bytes and more, in the order of their numbers: distances between an access and the
 * thread's one before, of LEAST_STRIDE bytes and more. The MOST_STRIDES that come most often, by Misra and Gries
 * (Finding repeated elements, 1982): `times` is at least how often one comes, less the misses of the method.
 */
export interface Strides {
  readonly object: Uint32Array;
  /** MOST_STRIDES for each; 0 times: none. */
  readonly bytes: Float64Array;
  readonly times: Float64Array;
}

/** How often each distance comes, of these objects together. */
export function distancesOf(strides: Strides, isOne: (object: number) => boolean): Map<number, number> {
  const times = new Map<number, number>();
  strides.object.forEach((object, row) => {
    if (!isOne(object)) return;
    for (let at = row * MOST_STRIDES; at < (row + 1) * MOST_STRIDES; at++)
      if (strides.times[at] > 0) times.set(strides.bytes[at], (times.get(strides.bytes[at]) ?? 0) + strides.times[at]);
  });
  return times;
}

export const MOST_STRIDES = 6;
export const LEAST_STRIDED = 1024;
export const LEAST_STRIDE = 64;

export interface Survey {
  readonly objects: SurveyedObjects;
  readonly operations: Operations;
  readonly strides: Strides;
  /** Of all records that ran: about as many as there are references. */
  readonly slots: number;
}

/** By slot: where in its type the access begins; of an array's element the catalog says that of the first one. */
export function elementOffsets({ offset, path }: SlotTable): Uint32Array {
  return offset.map((bytes, slot) => (path[slot].includes('[]') ? OFFSET_UNKNOWN : bytes));
}
