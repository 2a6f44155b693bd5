// Stage: replay. A reference and the levels it missed to the class of each miss, by the design's rules and by DProf's.

import type { Machine } from '../replay/machine.js';
import { FullyAssociative } from './fully-associative.js';
import { DistinctLines, History, type Store } from './history.js';
import type { CacheModel, CacheShape } from './cache-model.js';
import type { Line } from './lines.js';
import { FALSE_SHARING, TRUE_SHARING } from './sharing.js';

/** Index into CLASSES. */
export const COMPULSORY = 0;
const CONFLICT = 3;
const CAPACITY = 4;
/** Index into DPROF_RULES. */
const RULE_INVALIDATION = 0;
const RULE_CONFLICT = 1;
const RULE_CAPACITY = 2;

/** What is known about one reference before it changes anything; per sharer: the cores that share a level's cache. */
interface Past {
  isFirst: boolean;
  wasStoredByOthers: boolean;
  /** The other sharer's store that a cache of any size would have missed for, and its class. */
  store: Store | null;
  sharingClass: number;
}

interface LevelOfSharer {
  readonly cache: CacheShape;
  readonly ideal: FullyAssociative;
  readonly distinct: DistinctLines;
  /** Whether the fully associative twin held the line of this reference. */
  isIdealHit: boolean;
}

export class MissClassifier {
  /** Of the last reference, per level that it missed. */
  readonly missClass: [number, number, number] = [0, 0, 0];
  readonly isCompulsoryShared: [boolean, boolean, boolean] = [false, false, false];
  readonly dprofRule: [number, number, number] = [0, 0, 0];
  /** The store behind a sharing miss of the L1. */
  store: Store | null = null;

  private readonly unitOf: CacheModel['unitOf'];
  private readonly byL1: History;
  /** Where L2s are shared otherwise than L1s. */
  private readonly byL2: History | null;
  private readonly byLlc: History;
  /** By core: its L1, its L2 and its LLC. */
  private readonly levelsOf: readonly (readonly LevelOfSharer[])[];
  /** With one LLC no store comes from outside: then only a line's very first reference matters to it. */
  private readonly hasGroups: boolean;

  constructor(machine: Machine, private readonly caches: CacheModel) {
    const { levels, unitOf } = caches;
    this.unitOf = unitOf;
    this.byL1 = new History(machine.lineBytes);
    this.byL2 = levels[0].length === levels[1].length ? null : new History(machine.lineBytes);
    this.byLlc = new History(machine.lineBytes);
    const level = (cache: CacheShape): LevelOfSharer => ({
      cache, ideal: new FullyAssociative(cache.lineCount), distinct: new DistinctLines(cache.sets, cache.ways), isIdealHit: false,
    });
    const units = levels.map((shapes) => shapes.map(level));
    this.levelsOf = unitOf[0].map((_, core) => units.map((of, index) => of[unitOf[index][core]]));
    this.hasGroups = levels[2].length > 1;
  }

  /** After the hierarchy has seen the reference to bytes [begin, end) of the line; `sequence` numbers references. */
  reference(core: number, line: Line, begin: number, end: number, sequence: number): void {
    const missed = this.caches.missedLevels;
    const l1Unit = this.unitOf[0][core];
    const l2Unit = this.unitOf[1][core];
    const group = this.unitOf[2][core];
    const byL1 = pastOf(this.byL1, l1Unit, line.id, begin, end, missed > 0);
    const byL2 = this.byL2 === null ? byL1 : pastOf(this.byL2, l2Unit, line.id, begin, end, missed > 1);
    const byLlc = this.hasGroups ? pastOf(this.byLlc, group, line.id, begin, end, missed > 2) : line.previousCore === -1 ? QUIET_FIRST : QUIET;
    const levels = this.levelsOf[core];
    for (let index = 0; index < levels.length; index++) {
      const level = levels[index];
      const past = index === 0 ? byL1 : index === 1 ? byL2 : byLlc;
      if (past.isFirst) level.distinct.add(level.cache.setOf(line.place));
      level.isIdealHit = level.ideal.touch(line.id);
      if (index < missed) this.classify(index, level, past, line);
    }
    this.store = byL1.store;
    this.byL1.recordReference(l1Unit, line.id, sequence);
    this.byL2?.recordReference(l2Unit, line.id, sequence);
    if (this.hasGroups) this.byLlc.recordReference(group, line.id, sequence);
  }

  /** The reference was a store, by `core`; its sharer is the core's L1 unit. */
  recordStore(core: number, store: Store, line: Line, begin: number, end: number): void {
    this.byL1.recordStore(store, line.id, begin, end);
    this.byL2?.recordStore({ ...store, sharer: this.unitOf[1][core] }, line.id, begin, end);
    if (this.hasGroups) this.byLlc.recordStore({ ...store, sharer: this.unitOf[2][core] }, line.id, begin, end);
  }

  private classify(index: number, level: LevelOfSharer, past: Past, line: Line): void {
    this.isCompulsoryShared[index] = past.isFirst && past.wasStoredByOthers;
    if (past.isFirst) this.missClass[index] = COMPULSORY;
    else if (past.store) this.missClass[index] = past.sharingClass;
    else this.missClass[index] = level.isIdealHit ? CONFLICT : CAPACITY;
    const isOverfull = level.distinct.isOverfull(level.cache.setOf(line.place));
    this.dprofRule[index] = past.wasStoredByOthers ? RULE_INVALIDATION : isOverfull ? RULE_CONFLICT : RULE_CAPACITY;
  }
}

const QUIET: Past = { isFirst: false, wasStoredByOthers: false, store: null, sharingClass: 0 };
const QUIET_FIRST: Past = { ...QUIET, isFirst: true };

function pastOf(history: History, sharer: number, line: number, begin: number, end: number, isMiss: boolean): Past {
  const isFirst = history.isFirst(sharer, line);
  if (!isMiss) return isFirst ? QUIET_FIRST : QUIET;
  const byteStore = history.byteStoreSince(sharer, line, begin, end);
  return {
    isFirst,
    wasStoredByOthers: history.wasStoredByOthers(sharer, line),
    store: byteStore ?? history.lineStoreSince(sharer, line),
    sharingClass: byteStore ? TRUE_SHARING : FALSE_SHARING,
  };
}
