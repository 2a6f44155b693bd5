// Stage: trace -> replay. A path number to what the path stands for: its records, and for each of their words which
// coded word it comes from. Paths are many and those taken are few, so each is followed through its region's nodes only
// when it is first asked for.

import type { Catalog } from '../contract/catalog.js';
import { PATHS_PER_ENTRY, RecordFlag, RecordTag, SIZE_DYNAMIC, SlotKind, STRIDE_LOGGED } from './layout.js';
import { slotWords } from './unit-rules.js';

const MAX_ITEMS = 1 << 20;

export interface Path {
  readonly number: number;
  readonly records: readonly number[];
  /** By record: where its words begin in `source`; one more entry at the end. */
  readonly firstWord: readonly number[];
  /** By word: the coded word that it is, but for `delta`. */
  readonly source: readonly number[];
  /** By word: not 0 in derived addresses. */
  readonly delta: readonly number[];
  readonly codedWords: number;
  /** Coded words that are lengths of block operations. */
  readonly lengths: readonly number[];
  /** The last record has a stamp. */
  readonly isStamped: boolean;
  /**
   * For a loop: `records` are those of one iteration, and the first coded word is the number of whole iterations. null
   * for all other paths.
   */
  readonly loop: LoopShape | null;
  /** Records, words and nodes passed: what it takes to keep it. */
  readonly size: number;
}

export interface LoopShape {
  /** The number of records of one further iteration, in which the loop was left. */
  readonly tailRecords: number;
  /** By word: the coded word that is its stride; 0 if the stride is `stride`. */
  readonly strideSource: readonly number[];
  readonly stride: readonly number[];
}

/** Throws what is wrong with a path, with its place in the trace. */
export type RefusePath = (expected: string, actual: string) => never;

export class PathTable {
  private readonly paths = new Map<number, Path>();

  constructor(readonly catalog: Catalog) {}

  find(number: number, refuse: RefusePath): Path {
    let path = this.paths.get(number);
    if (path === undefined) {
      path = this.follow(number, refuse);
      this.paths.set(number, path);
    }
    return path;
  }

  private follow(number: number, refuse: RefusePath): Path {
    const { regions, nodes, edges } = this.catalog;
    if (number < 0 || number >= regions.count * PATHS_PER_ENTRY)
      refuse(`below ${regions.count * PATHS_PER_ENTRY}, as the MODULE chunks have`, `${number}`);
    const at = Math.floor(number / PATHS_PER_ENTRY);
    const entry = at - regions.back[at];
    let left = number - entry * PATHS_PER_ENTRY;
    if (left >= regions.pathCount[entry])
      refuse(`a path of the ${regions.pathCount[entry]} of region ${entry}`, `${left}`);
    const path = new PathBuilder(this.catalog, number, refuse, regions.isLoop[entry] ? left : null);
    if (regions.isLoop[entry]) {
      path.addNode(regions.firstNode[entry]);
      return path.finish();
    }
    for (let node = regions.firstNode[entry]; ; ) {
      path.addNode(node);
      if (left === 0 && nodes.ends[node] !== 0) break;
      const edge = lastEdgeBefore(edges.before, nodes.firstEdge[node], nodes.edgeCount[node], left);
      if (edge < 0) refuse(`an edge of region ${entry} for path ${number}`, 'none');
      left -= edges.before[edge];
      node = regions.firstNode[entry] + edges.node[edge];
    }
    return path.finish();
  }
}

/** -1 if there is none. */
function lastEdgeBefore(before: Uint32Array, first: number, count: number, left: number): number {
  let [low, high] = [first, first + count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before[middle] <= left) low = middle + 1;
    else high = middle;
  }
  return low - 1 < first ? -1 : low - 1;
}

class PathBuilder {
  private readonly records: number[] = [];
  private readonly firstWord: number[] = [0];
  private readonly source: number[] = [];
  private readonly delta: number[] = [];
  private readonly lengths: number[] = [];
  private readonly strideSource: number[] = [];
  private readonly stride: number[] = [];
  /** For a loop, by coded word: the word of its records that it codes. */
  private readonly wordAt = new Map<number, number>();
  /** By slot: the coded word of its address, where it was last logged. */
  private readonly loggedAt = new Map<number, number>();
  private codedWords = 0;
  private nodes = 0;
  private isStamped = false;

  constructor(
    private readonly catalog: Catalog,
    private readonly number: number,
    private readonly refuse: RefusePath,
    /** For a loop; null for other paths. */
    private readonly tailRecords: number | null,
  ) {
    if (tailRecords !== null) this.codedWords = 1; // the iterations
  }

  addNode(node: number): void {
    const { firstRecord, recordCount } = this.catalog.nodes;
    this.nodes++;
    for (let record = firstRecord[node]; record < firstRecord[node] + recordCount[node]; record++)
      this.addRecord(record);
  }

  finish(): Path {
    const {
      number,
      records,
      firstWord,
      source,
      delta,
      codedWords,
      lengths,
      isStamped,
      tailRecords,
      strideSource,
      stride,
    } = this;
    if (records.length === 0) this.refuse(`a record on path ${number}`, 'none');
    const loop = tailRecords === null ? null : { tailRecords, strideSource, stride };
    return {
      number,
      records,
      firstWord,
      source,
      delta,
      codedWords,
      lengths,
      isStamped,
      loop,
      size: records.length + source.length + this.nodes,
    };
  }

  private addRecord(record: number): void {
    const { records } = this.catalog;
    if (this.isStamped) this.refuse(`nothing behind the STAMPED record of path ${this.number}`, `record ${record}`);
    this.isStamped = (records.flags[record] & RecordFlag.stamped) !== 0;
    const words = records.words[record] - (this.isStamped ? 1 : 0);
    if (this.records.length >= MAX_ITEMS || this.source.length + words > MAX_ITEMS)
      this.refuse(`at most ${MAX_ITEMS} records and words on path ${this.number}`, 'more');
    this.records.push(record);
    if (records.tag[record] === RecordTag.allocation) this.addLogged(2);
    if (records.tag[record] === RecordTag.free) this.addLogged(1);
    const firstSlot = records.firstSlot[record];
    for (let slot = firstSlot; slot < firstSlot + records.slotCount[record]; slot++) this.addSlot(slot);
    // A stamp is its slot's last word, and comes from the events column.
    if (this.isStamped) {
      this.source.pop();
      this.delta.pop();
      this.codedWords--;
    }
    this.firstWord.push(this.source.length);
  }

  private addSlot(slot: number): void {
    const { slots } = this.catalog;
    const words = slotWords({ kind: slots.kind[slot], sizeBytes: slots.sizeBytes[slot], lanes: slots.lanes[slot] });
    const base = slots.base[slot];
    if (base === 0) {
      this.loggedAt.set(slot, this.codedWords);
      this.addLogged(words);
      if (this.tailRecords !== null) this.addStride(slots.delta[slot]);
    } else {
      const logged = this.loggedAt.get(base - 1);
      if (logged === undefined)
        return this.refuse(`slot ${base - 1}, the base of slot ${slot}, before it on path ${this.number}`, 'none');
      this.source.push(logged);
      this.delta.push(slots.delta[slot]);
      this.addLogged(words - 1);
      if (this.tailRecords !== null) this.moveLike(logged);
    }
    const isBlock =
      slots.kind[slot] === SlotKind.copyStore ||
      slots.kind[slot] === SlotKind.fill ||
      slots.kind[slot] === SlotKind.scan;
    if (isBlock && slots.sizeBytes[slot] === SIZE_DYNAMIC) this.lengths.push(this.codedWords - 1);
  }

  private addStride(delta: number): void {
    this.wordAt.set(this.codedWords - 1, this.source.length - 1);
    const isLogged = delta === STRIDE_LOGGED;
    this.strideSource.push(isLogged ? this.codedWords++ : 0);
    this.stride.push(isLogged ? 0 : delta);
  }

  /** A derived address has its base's stride. */
  private moveLike(coded: number): void {
    const base = this.wordAt.get(coded)!;
    this.strideSource.push(this.strideSource[base]);
    this.stride.push(this.stride[base]);
  }

  private addLogged(words: number): void {
    for (let word = 0; word < words; word++) {
      this.source.push(this.codedWords++);
      this.delta.push(0);
    }
  }
}
