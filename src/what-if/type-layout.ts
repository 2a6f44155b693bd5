// Stage: what-if. Where the bytes of a type lie if it is laid out otherwise.

import { NO_INDEX } from '../base/ids.js';

export interface TypeLayout {
  readonly oldBytes: number;
  readonly newBytes: number;
  /** Of its cold part; 0: it has none. */
  readonly coldBytes: number;
  /** Where the pointer to the cold part lies anew; NOWHERE: there is none. */
  readonly pointerAt: number;
  /** Each thread has a cold part of its own. */
  readonly isPerThread: boolean;
  /** By byte of the type as it was: where it lies anew, in the cold part from COLD on; NOWHERE: in no field. */
  readonly at: Int32Array;
  /** By the same: the end, as it was, of the bytes from there on that lie one behind the other anew. */
  readonly until: Int32Array;
  /** Members, and elements of member arrays, that are laid out anew themselves: by where they begin, largest first. */
  readonly parts: ReadonlyMap<number, readonly Part[]>;
  /** Where the flexible array begins, before and anew; NO_INDEX: none. */
  readonly flexibleFrom: number;
  readonly newFlexibleFrom: number;
}

export interface Part {
  readonly bytes: number;
  /** Anew: where it begins, and its size. */
  readonly at: number;
  readonly newBytes: number;
}

export const NOWHERE = -1;
/** An offset in the cold part of a type, or of an array of it, is so much larger. */
export const COLD = 2 ** 30;
export const COLD_ARRAY = 2 ** 50;

/** `at`: as in TypeLayout. */
export function typeLayout(
  oldBytes: number,
  newBytes: number,
  at: Int32Array,
  parts: TypeLayout['parts'],
  flexible: readonly [number, number] = [NO_INDEX, NO_INDEX],
  { coldBytes = 0, pointerAt = NOWHERE, isPerThread = false } = {},
): TypeLayout {
  const until = new Int32Array(oldBytes);
  for (let byte = oldBytes - 1; byte >= 0; byte--) {
    const goesOn = byte + 1 < oldBytes && at[byte] !== NOWHERE && at[byte + 1] === at[byte] + 1;
    until[byte] = goesOn ? until[byte + 1] : byte + 1;
  }
  return {
    oldBytes,
    newBytes,
    coldBytes,
    pointerAt,
    isPerThread,
    at,
    until,
    parts,
    flexibleFrom: flexible[0],
    newFlexibleFrom: flexible[1],
  };
}

/** Rows of an array, each with more bytes behind it. */
export function rowLayout(oldBytes: number, newBytes: number): TypeLayout {
  return typeLayout(
    oldBytes,
    newBytes,
    Int32Array.from({ length: oldBytes }, (_, byte) => byte),
    new Map(),
  );
}
