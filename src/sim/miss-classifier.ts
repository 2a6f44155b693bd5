// Stage: replay. A reference and the levels it missed to the class of each miss, by the design's rules and by DProf's.

import type { Machine } from '../replay/machine.js';
import { FullyAssociative } from './fully-associative.js';
import type { Hierarchy } from './hierarchy.js';
import { DistinctLines, History, type Store } from './history.js';
import type { Cache } from './cache.js';
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

/** What is known about one reference before it changes anything; per sharer: the core, or the cores of its LLC. */
interface Past {
  isFirst: boolean;
  wasStoredByOthers: boolean;
  /** The other sharer's store that a cache of any size would have missed for, and its class. */
  store: Store | null;
  sharingClass: number;
}

interface LevelOfSharer {
  readonly cache: Cache;
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

  private readonly cores: History;
  private readonly groups: History;
  /** By core: its L1, its L2 and the LLC of its group. */
  private readonly levelsOf: readonly (readonly LevelOfSharer[])[];
  /** With one LLC no store comes from outside: then only a line's very first reference matters to it. */
  private readonly hasGroups: boolean;

  constructor(machine: Machine, private readonly hierarchy: Hierarchy) {
    this.cores = new History(machine.lineBytes);
    this.groups = new History(machine.lineBytes);
    const level = (cache: Cache): LevelOfSharer => ({
      cache, ideal: new FullyAssociative(cache.lineCount), distinct: new DistinctLines(cache.sets, cache.ways), isIdealHit: false,
    });
    const groups = hierarchy.llc.map(level);
    this.levelsOf = hierarchy.l1.map((l1, core) => [level(l1), level(hierarchy.l2[core]), groups[hierarchy.groupOf[core]]]);
    this.hasGroups = groups.length > 1;
  }

  /** After the hierarchy has seen the reference to bytes [begin, end) of the line; `sequence` numbers references. */
  reference(core: number, line: Line, begin: number, end: number, sequence: number): void {
    const missed = this.hierarchy.missedLevels;
    const group = this.hierarchy.groupOf[core];
    const byCore = pastOf(this.cores, core, line.id, begin, end, missed > 0);
    const byGroup = this.hasGroups ? pastOf(this.groups, group, line.id, begin, end, missed > 2) : line.previousCore === -1 ? QUIET_FIRST : QUIET;
    const levels = this.levelsOf[core];
    for (let index = 0; index < levels.length; index++) {
      const level = levels[index];
      const past = index < 2 ? byCore : byGroup;
      if (past.isFirst) level.distinct.add(level.cache.setOf(line.lowBits));
      level.isIdealHit = level.ideal.touch(line.id);
      if (index < missed) this.classify(index, level, past, line);
    }
    this.store = byCore.store;
    this.cores.recordReference(core, line.id, sequence);
    if (this.hasGroups) this.groups.recordReference(group, line.id, sequence);
  }

  /** The reference was a store. */
  recordStore(store: Store, line: Line, begin: number, end: number): void {
    this.cores.recordStore(store, line.id, begin, end);
    if (this.hasGroups) this.groups.recordStore({ ...store, sharer: this.hierarchy.groupOf[store.sharer] }, line.id, begin, end);
  }

  private classify(index: number, level: LevelOfSharer, past: Past, line: Line): void {
    this.isCompulsoryShared[index] = past.isFirst && past.wasStoredByOthers;
    if (past.isFirst) this.missClass[index] = COMPULSORY;
    else if (past.store) this.missClass[index] = past.sharingClass;
    else this.missClass[index] = level.isIdealHit ? CONFLICT : CAPACITY;
    const isOverfull = level.distinct.isOverfull(level.cache.setOf(line.lowBits));
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
