// Stage: replay. The leaves of an object's bytes, run by run: how far the leaf at an address reaches. Made once per
// type.

import { NO_INDEX } from '../base/ids.js';
import type { Catalog } from '../trace/catalog.js';
import { offsetIn, type SimObject } from './sim-object.js';

export class LeafRuns {
  /** Of what `leafAt` was asked for last: the first address behind its run, where another leaf may begin. */
  until = 0;
  /** By type: for each offset, bytes to the end of its leaf. */
  private readonly lengths: Uint32Array[] = [];

  constructor(private readonly catalog: Catalog) {}

  /** The leaf at an address in an object of a declared struct, union or class; NO_INDEX if its table does not say. */
  leafAt(object: SimObject, address: number): number {
    const { leaves } = this.catalog;
    const type = object.declared;
    const base = leaves.base[type];
    const offset = offsetIn(this.catalog, object, address);
    this.until = Infinity;
    if (base === NO_INDEX) return NO_INDEX;
    if (offset < 0) {
      this.until = address - offset;
      return NO_INDEX;
    }
    if (offset >= leaves.flexibleFrom[type] && leaves.flexibleFrom[type] !== NO_INDEX) return leaves.flexibleLeaf[type];
    const within = offset % leaves.span[type];
    this.until = address + (this.lengths[type] ??= this.measure(type))[within];
    return leaves.leafAt[base + within];
  }

  private measure(type: number): Uint32Array {
    const { base, span, leafAt, flexibleFrom } = this.catalog.leaves;
    const lengths = new Uint32Array(span[type]);
    for (let at = span[type] - 1; at >= 0; at--) {
      const goesOn =
        at + 1 < span[type] && at + 1 !== flexibleFrom[type] && leafAt[base[type] + at] === leafAt[base[type] + at + 1];
      lengths[at] = goesOn ? lengths[at + 1] + 1 : 1;
    }
    return lengths;
  }
}
