// Stage: replay. What the class of a miss depends on: when each sharer (a core, or the cores of one LLC) last
// referenced a line that several cores use, who stored to which of its bytes since, and how many lines each set was
// given.

import { NO_INDEX } from '../base/ids.js';

/** A store as the sharing report names it. */
export interface Store {
  readonly sequence: number;
  readonly sharer: number;
  readonly slot: number;
  /** ObjectId or NO_INDEX. */
  readonly object: number;
  readonly leaf: number;
  readonly address: number;
  /** Lives of objects that had begun by then. */
  readonly livesThen: number;
}

/**
 * The last store, and the last one by another sharer than that one's: enough to name the last store by anybody but c,
 * for every c.
 */
interface LastStores {
  last: Store | null;
  other: Store | null;
}

interface LineHistory extends LastStores {
  /** Who ever referenced the line, and the sequence number of each one's last reference. */
  readonly sharers: number[];
  readonly lastReference: number[];
  /** By byte of the line; null while only one sharer knows the line. */
  bytes: LastStores[] | null;
}

export class History {
  private readonly lines = new Map<number, LineHistory>();

  constructor(private readonly lineBytes: number) {}

  /**
   * The line gets its second core. Until now one sharer had it to itself, and what that one did, and when, no class
   * depends on but in one way: whether it stored. A store by it counts from now on as one before all references.
   */
  begin(line: number, sharer: number, isStored: boolean): void {
    const last = isStored
      ? { sequence: 0, sharer, slot: NO_INDEX, object: NO_INDEX, leaf: NO_INDEX, address: 0, livesThen: 0 }
      : null;
    this.lines.set(line, { sharers: [sharer], lastReference: [0], last, other: null, bytes: null });
  }

  isFirst(sharer: number, line: number): boolean {
    return !this.at(line).sharers.includes(sharer);
  }

  /** Whether, before this reference, another sharer ever stored to the line. */
  wasStoredByOthers(sharer: number, line: number): boolean {
    return byOthers(this.at(line), sharer) !== null;
  }

  /** The last store by another sharer to the line since this one's last reference. */
  lineStoreSince(sharer: number, line: number): Store | null {
    const history = this.at(line);
    return since(byOthers(history, sharer), lastReference(history, sharer));
  }

  /** The last store by another sharer to a byte of [begin, end) of the line since this one's last reference. */
  byteStoreSince(sharer: number, line: number, begin: number, end: number): Store | null {
    const history = this.at(line);
    const { bytes } = history;
    if (!bytes) return null;
    const last = lastReference(history, sharer);
    let latest: Store | null = null;
    for (let byte = begin; byte < end; byte++) {
      const store = since(byOthers(bytes[byte], sharer), last);
      if (store && (latest === null || store.sequence > latest.sequence)) latest = store;
    }
    return latest;
  }

  recordReference(sharer: number, line: number, sequence: number): void {
    const history = this.at(line);
    const index = history.sharers.indexOf(sharer);
    if (index >= 0) history.lastReference[index] = sequence;
    else {
      history.sharers.push(sharer);
      history.lastReference.push(sequence);
    }
  }

  /** After `recordReference` of the same reference. */
  recordStore(store: Store, line: number, begin: number, end: number): void {
    const history = this.at(line);
    put(history, store);
    if (history.bytes === null) {
      if (history.sharers.length < 2) return;
      history.bytes = Array.from({ length: this.lineBytes }, () => ({ last: null, other: null }));
    }
    for (let byte = begin; byte < end; byte++) put(history.bytes[byte], store);
  }

  private at(line: number): LineHistory {
    return this.lines.get(line)!;
  }
}

/** Infinity if it never did: then no store came since. */
function lastReference(history: LineHistory, sharer: number): number {
  const index = history.sharers.indexOf(sharer);
  return index < 0 ? Infinity : history.lastReference[index];
}

function put(stores: LastStores, store: Store): void {
  if (stores.last !== null && stores.last.sharer !== store.sharer) stores.other = stores.last;
  stores.last = store;
}

function byOthers(stores: LastStores, sharer: number): Store | null {
  return stores.last !== null && stores.last.sharer === sharer ? stores.other : stores.last;
}

function since(store: Store | null, sequence: number): Store | null {
  return store !== null && store.sequence > sequence ? store : null;
}

/** How many distinct lines each set of a level was ever given, for the dprof rule. */
export class DistinctLines {
  private readonly perSet: Float64Array;
  private all = 0;

  constructor(
    private readonly sets: number,
    private readonly ways: number,
  ) {
    this.perSet = new Float64Array(sets);
  }

  add(set: number): void {
    this.perSet[set]++;
    this.all++;
  }

  /** More lines than ways, and more than twice the average of the other sets. */
  isOverfull(set: number): boolean {
    const lines = this.perSet[set];
    return lines > this.ways && lines * (this.sets - 1) > 2 * (this.all - lines);
  }
}
