// Stage: what-if. Which live object lies at an address, for a question at each access: what Objects.find says, by page
// and granule, as long as one object alone lies in a granule.

import type { Objects } from '../sim/objects.js';
import type { SimObject } from '../sim/sim-object.js';

const PAGE = 4096;
const GRANULE = 8;
const GRANULES = PAGE / GRANULE;
/** Several objects lie, or lay, in the granule: it is looked up. */
const SEVERAL = -1;

/** A page's granules, or what is in all of them: 0 nothing, SEVERAL, or an object's number + 1. */
type Page = Int32Array | number;

export class ObjectMap {
  private readonly pages = new Map<number, Page>();
  /** The page asked for last. */
  private last = -1;
  private lastPage: Page = 0;

  /** Takes over the objects' hooks for lives that begin and end. Those that live already are of it, too. */
  constructor(private readonly objects: Objects) {
    const { onLifeEnd } = objects;
    for (const object of objects.all) if (object.isLive) this.begin(object);
    objects.onLifeBegin = (object) => this.begin(object);
    objects.onLifeEnd = (object, time) => {
      this.end(object);
      onLifeEnd(object, time);
    };
  }

  find(address: number): SimObject | null {
    const number = Math.floor(address / PAGE);
    if (number !== this.last) {
      this.last = number;
      this.lastPage = this.pages.get(number) ?? 0;
    }
    const page = this.lastPage;
    const value = typeof page === 'number' ? page : page[Math.floor((address - number * PAGE) / GRANULE)];
    if (value === 0) return null;
    if (value === SEVERAL) return this.objects.find(address);
    const object = this.objects.all[value - 1];
    return address >= object.address && address < object.address + object.sizeBytes ? object : null;
  }

  private begin(object: SimObject): void {
    this.each(object, (before) => (before === 0 ? object.number + 1 : SEVERAL));
  }

  private end(object: SimObject): void {
    this.each(object, (before) => (before === object.number + 1 ? 0 : before));
  }

  /** Each granule of the object gets another value. */
  private each({ address, sizeBytes }: SimObject, next: (before: number) => number): void {
    this.last = -1;
    const [first, end] = [Math.floor(address / GRANULE), Math.ceil((address + sizeBytes) / GRANULE)];
    for (let at = first; at < end; ) {
      const number = Math.floor(at / GRANULES);
      const [from, to] = [at - number * GRANULES, Math.min(end - number * GRANULES, GRANULES)];
      let page = this.pages.get(number) ?? 0;
      if (typeof page === 'number' && from === 0 && to === GRANULES) this.pages.set(number, next(page));
      else {
        if (typeof page === 'number') this.pages.set(number, (page = new Int32Array(GRANULES).fill(page)));
        for (let granule = from; granule < to; granule++) page[granule] = next(page[granule]);
      }
      at = number * GRANULES + to;
    }
  }
}
