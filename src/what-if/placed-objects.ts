// Stage: what-if. Where each object of a run lies anew, as both engines take it.

import type { ObjectLayout } from './object-layout.js';

/** By object number. */
export interface PlacedObjects {
  /** NaN: it stays where it is, as it is. */
  readonly address: Float64Array;
  /** 1 + the place of its layout in `layouts`; 0: as before. */
  readonly layout: Uint32Array;
  readonly layouts: readonly ObjectLayout[];
  /** Where its cold parts begin, if its layout has such; of those that each thread has, the first thread's. */
  readonly cold: Float64Array;
  /** From such a part of one thread to that of the next. */
  readonly threadStride: number;
}

/** All objects stay. */
export function nothingPlaced(count: number): PlacedObjects {
  const nowhere = new Float64Array(count).fill(Number.NaN);
  return { address: nowhere, layout: new Uint32Array(count), layouts: [], cold: nowhere, threadStride: 0 };
}
