// Stage: replay. What the class of a miss depends on, for the units of one level (a unit stands for the cores that share
// it): whether a unit referenced a line before, and who stored to which of its bytes since.

/** A store as the sharing report names it. */
export interface Store {
  readonly sequence: number;
  readonly slot: number;
  /** ObjectId or NO_INDEX. */
  readonly object: number;
  readonly leaf: number;
  readonly address: number;
  /** Lives of objects that had begun by then. */
  readonly livesThen: number;
}

/** Stores of other units to a line since a unit's last reference to it. */
interface ForeignStores {
  last: Store | null;
  /** By byte of the line: the last one. */
  readonly byByte: Map<number, Store>;
}

interface LineHistory {
  /** By unit that ever referenced the line. */
  readonly known: Map<number, ForeignStores>;
  /** Units that ever stored to the line. */
  readonly storers: Set<number>;
}

export class History {
  private readonly lines = new Map<number, LineHistory>();

  /** Whether the unit never referenced the line before. */
  isFirst(unit: number, line: number): boolean {
    return !this.lines.get(line)?.known.has(unit);
  }

  /** Whether another unit ever stored to the line before. */
  wasStoredByOthers(unit: number, line: number): boolean {
    const storers = this.lines.get(line)?.storers;
    return storers !== undefined && storers.size > Number(storers.has(unit));
  }

  /** The last store by another unit to the line since this one's last reference to it. */
  lineStoreSince(unit: number, line: number): Store | null {
    return this.lines.get(line)?.known.get(unit)?.last ?? null;
  }

  /** The last store by another unit to a byte of [begin, end) of the line since this one's last reference to the line. */
  byteStoreSince(unit: number, line: number, begin: number, end: number): Store | null {
    const byByte = this.lines.get(line)?.known.get(unit)?.byByte;
    let latest: Store | null = null;
    for (let byte = begin; byte < end; byte++) {
      const store = byByte?.get(byte);
      if (store !== undefined && (latest === null || store.sequence > latest.sequence)) latest = store;
    }
    return latest;
  }

  recordReference(unit: number, line: number): void {
    let history = this.lines.get(line);
    if (history === undefined) this.lines.set(line, (history = { known: new Map(), storers: new Set() }));
    const foreign = history.known.get(unit);
    if (foreign === undefined) history.known.set(unit, { last: null, byByte: new Map() });
    else if (foreign.last !== null) {
      foreign.last = null;
      foreign.byByte.clear();
    }
  }

  /** After `recordReference` of the same reference, which was a store to bytes [begin, end). */
  recordStore(unit: number, store: Store, line: number, begin: number, end: number): void {
    const { known, storers } = this.lines.get(line)!;
    storers.add(unit);
    for (const [other, foreign] of known) {
      if (other === unit) continue;
      foreign.last = store;
      for (let byte = begin; byte < end; byte++) foreign.byByte.set(byte, store);
    }
  }
}
