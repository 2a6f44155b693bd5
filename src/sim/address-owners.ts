// Stage: replay. An address to the number of the object that it lies in, or to why there is none. The range maps know;
// what they said is kept, eight bytes at a time, until an object begins or ends there.

import { NO_RANGE, type RangeMap } from '../base/range-map.js';
import { grownTo } from './growing-columns.js';
import { PAGE_BYTES, type PageTable } from './page-table.js';

const GRANULE_BYTES = 8;
const GRANULES = PAGE_BYTES / GRANULE_BYTES;
/** Neighbours are asked for together. */
const BLOCK_GRANULES = 16;
const BLOCK_BYTES = BLOCK_GRANULES * GRANULE_BYTES;

/** Nobody asked, or the granule is not all of one owner. */
const UNKNOWN = 0;
const NOTHING = 1;
/** Memory that was heap last and is free. */
export const FREED = 2;
/** An owner from this one on is an object, whose number is so much smaller. */
export const FIRST_OBJECT = 3;

export class AddressOwners {
  /** By frame and granule. */
  private owners = new Int32Array(0);
  /** Of the last `lookUp`: up to where all addresses have the same owner. */
  private lookUntil = 0;

  /** `maps`: of objects, the first that has one there tells. */
  constructor(
    private readonly maps: readonly RangeMap[],
    private readonly freed: RangeMap,
    private readonly pages: PageTable,
  ) {}

  at(address: number): number {
    const page = Math.floor(address / PAGE_BYTES);
    return this.inPage(this.pages.frameOf(page), address - page * PAGE_BYTES, address);
  }

  /** The same, of byte `offset` of the page in `frame`. */
  inPage(frame: number, offset: number, address: number): number {
    const at = frame * GRANULES + (offset >> 3);
    const known = at < this.owners.length ? this.owners[at] : UNKNOWN;
    return known !== UNKNOWN ? known : this.lookUp(address);
  }

  /**
   * Up to where, but not beyond `end` (of the same page), the owner is that at `address`; there may be more of the same
   * behind it.
   */
  sameUntil(address: number, end: number): number {
    const owner = this.at(address);
    const { owners } = this;
    let at = this.granuleOf(address);
    if (owners[at] === UNKNOWN) return Math.min(end, this.lookUntil);
    let until = address + (GRANULE_BYTES - (address % GRANULE_BYTES));
    for (at++; until < end && owners[at] === owner; at++) until += GRANULE_BYTES;
    return Math.min(end, until);
  }

  /** [begin, end) gets another owner. */
  forget(begin: number, end: number): void {
    const firstPage = Math.floor(begin / PAGE_BYTES);
    const lastPage = Math.floor((end - 1) / PAGE_BYTES);
    if (lastPage - firstPage < this.pages.count) {
      for (let page = firstPage; page <= lastPage; page++) {
        const frame = this.pages.find(page);
        if (frame !== undefined) this.forgetIn(page, frame, begin, end);
      }
    } else {
      for (const [page, frame] of this.pages.entries())
        if (page >= firstPage && page <= lastPage) this.forgetIn(page, frame, begin, end);
    }
  }

  private forgetIn(page: number, frame: number, begin: number, end: number): void {
    const address = page * PAGE_BYTES;
    const from = Math.max(0, Math.floor((begin - address) / GRANULE_BYTES));
    const to = Math.min(GRANULES, Math.ceil((end - address) / GRANULE_BYTES));
    this.owners.fill(UNKNOWN, frame * GRANULES + from, frame * GRANULES + to);
  }

  private lookUp(address: number): number {
    const at = this.granuleOf(address);
    let from = -Infinity;
    let until = Infinity;
    let owner = NO_RANGE;
    for (const map of this.maps) {
      owner = map.find(address);
      from = Math.max(from, map.from);
      until = Math.min(until, map.until);
      if (owner !== NO_RANGE) break;
    }
    if (owner !== NO_RANGE) owner += FIRST_OBJECT;
    else {
      owner = this.freed.find(address) !== NO_RANGE ? FREED : NOTHING;
      from = Math.max(from, this.freed.from);
      until = Math.min(until, this.freed.until);
    }
    this.lookUntil = until;
    this.keep(address, at, from, until, owner);
    return owner;
  }

  /** [from, until) is the owner's: so are the granules of the address's block that lie in it. */
  private keep(address: number, at: number, from: number, until: number, owner: number): void {
    const block = address - (address % BLOCK_BYTES);
    const first = at - (at % BLOCK_GRANULES);
    const begin = from <= block ? 0 : Math.ceil((from - block) / GRANULE_BYTES);
    const end = until >= block + BLOCK_BYTES ? BLOCK_GRANULES : Math.floor((until - block) / GRANULE_BYTES);
    for (let granule = begin; granule < end; granule++) this.owners[first + granule] = owner;
  }

  private granuleOf(address: number): number {
    const page = Math.floor(address / PAGE_BYTES);
    const first = this.pages.frameOf(page) * GRANULES;
    if (first >= this.owners.length) this.owners = grownTo(this.owners, first + GRANULES - 1);
    return first + ((address - page * PAGE_BYTES) >> 3);
  }
}
