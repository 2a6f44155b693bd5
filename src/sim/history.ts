// Stage: replay. The facts that decide the class of a miss, for the units of one level (a unit stands for the cores
// that share it): whether a unit referenced a line before, and who stored to which of its bytes since.

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
  readonly last: Store;
  /** By byte of the line: the last one. */
  readonly byByte: Map<number, Store>;
}

interface LineHistory {
  /** By unit. undefined: the unit never referenced the line; null: no other unit has stored to it since. */
  readonly known: (ForeignStores | null | undefined)[];
  /** Units that ever stored to the line. */
  readonly storers: number[];
  /** By whomever. */
  lastStore: Store | null;
}

export class History {
  private readonly lines = new Map<number, LineHistory>();

  /** Whether the unit never referenced the line before. */
  isFirst(unit: number, line: number): boolean {
    return this.lines.get(line)?.known[unit] === undefined;
  }

  /** Whether another unit ever stored to the line before. */
  wasStoredByOthers(unit: number, line: number): boolean {
    return this.lines.get(line)?.storers.some((storer) => storer !== unit) ?? false;
  }

  /** The last store to the line before a unit's first reference to it: another unit's. */
  lastStoreBefore(line: number): Store | null {
    return this.lines.get(line)?.lastStore ?? null;
  }

  /** The last store by another unit to the line since this one's last reference to it. */
  lineStoreSince(unit: number, line: number): Store | null {
    return this.lines.get(line)?.known[unit]?.last ?? null;
  }

  /**
   * The last store by another unit to a byte of [begin, end) of the line since this one's last reference to the line.
   */
  byteStoreSince(unit: number, line: number, begin: number, end: number): Store | null {
    const byByte = this.lines.get(line)?.known[unit]?.byByte;
    let latest: Store | null = null;
    if (byByte === undefined) return null;
    for (let byte = begin; byte < end; byte++) {
      const store = byByte.get(byte);
      if (store !== undefined && (latest === null || store.sequence > latest.sequence)) latest = store;
    }
    return latest;
  }

  recordReference(unit: number, line: number): void {
    let history = this.lines.get(line);
    if (history === undefined) this.lines.set(line, (history = { known: [], storers: [], lastStore: null }));
    history.known[unit] = null;
  }

  /** After `recordReference` of the same reference, which was a store to bytes [begin, end). */
  recordStore(unit: number, store: Store, line: number, begin: number, end: number): void {
    const history = this.lines.get(line)!;
    const { known, storers } = history;
    history.lastStore = store;
    if (!storers.includes(unit)) storers.push(unit);
    known.forEach((foreign, other) => {
      if (other === unit) return;
      const byByte = foreign?.byByte ?? new Map<number, Store>();
      for (let byte = begin; byte < end; byte++) byByte.set(byte, store);
      known[other] = { last: store, byByte };
    });
  }
}
