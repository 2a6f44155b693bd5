// Stage: replay. A reference and the levels it missed to the class of each miss, by docs/definitions.md and by DProf's
// rule.

import type { Machine } from '../replay/machine.js';
import { DistinctLines, History, type Store } from './history.js';
import type { CacheModel, CacheShape } from './cache-model.js';
import { Use, type Lines } from './lines.js';
import { LruStack } from './lru-stack.js';
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
  readonly distinct: DistinctLines;
  /** Shown the references of its sharers. */
  readonly stack: LruStack;
  /** Among the stack's capacities. */
  readonly rank: number;
}

/** What a core's references are held against. */
interface ClassesOfCore {
  /** By level. */
  readonly levels: readonly LevelOfSharer[];
  /** Each once: levels that the same cores share have one stack. */
  readonly stacks: readonly LruStack[];
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
  private readonly ofCore: readonly ClassesOfCore[];
  /** With one LLC no store comes from outside: then only a line's very first reference matters to it. */
  private readonly hasGroups: boolean;

  constructor(
    machine: Machine,
    private readonly caches: CacheModel,
    private readonly lines: Lines,
  ) {
    const { levels, unitOf } = caches;
    this.unitOf = unitOf;
    this.byL1 = new History(machine.lineBytes);
    this.byL2 = levels[0].length === levels[1].length ? null : new History(machine.lineBytes);
    this.byLlc = new History(machine.lineBytes);
    this.ofCore = classesOfCores(caches);
    this.hasGroups = levels[2].length > 1;
  }

  /**
   * After the hierarchy has seen the reference to bytes [begin, end) of the line; `use`: one of Use; `sequence` numbers
   * references.
   */
  reference(core: number, line: number, use: number, begin: number, end: number, sequence: number): void {
    const own = this.ofCore[core];
    for (let index = 0; index < own.stacks.length; index++) own.stacks[index].touch(line);
    this.store = null;
    if (use === Use.second || use === Use.several) return this.referenceToShared(core, line, begin, end, sequence);
    if (use === Use.first)
      for (const { cache, distinct } of own.levels) distinct.add(cache.setOf(this.lines.placeOf(line)));
    const past = use === Use.first ? QUIET_FIRST : QUIET;
    for (let index = 0; index < this.caches.missedLevels; index++) this.classify(index, own.levels[index], past, line);
  }

  /** The line, which `owner` had to itself, gets a second core. */
  share(line: number, owner: number): void {
    const isStored = this.lines.storedAt(line) !== -1;
    this.byL1.begin(line, this.unitOf[0][owner], isStored);
    this.byL2?.begin(line, this.unitOf[1][owner], isStored);
    if (this.hasGroups) this.byLlc.begin(line, this.unitOf[2][owner], isStored);
  }

  /** The reference was a store, by `core`, to a line that several cores use; its sharer is the core's L1 unit. */
  recordStore(core: number, store: Store, line: number, begin: number, end: number): void {
    this.byL1.recordStore(store, line, begin, end);
    this.byL2?.recordStore({ ...store, sharer: this.unitOf[1][core] }, line, begin, end);
    if (this.hasGroups) this.byLlc.recordStore({ ...store, sharer: this.unitOf[2][core] }, line, begin, end);
  }

  private referenceToShared(core: number, line: number, begin: number, end: number, sequence: number): void {
    const missed = this.caches.missedLevels;
    const l1Unit = this.unitOf[0][core];
    const l2Unit = this.unitOf[1][core];
    const group = this.unitOf[2][core];
    const byL1 = pastOf(this.byL1, l1Unit, line, begin, end, missed > 0);
    const byL2 = this.byL2 === null ? byL1 : pastOf(this.byL2, l2Unit, line, begin, end, missed > 1);
    const byLlc = this.hasGroups ? pastOf(this.byLlc, group, line, begin, end, missed > 2) : QUIET;
    const { levels } = this.ofCore[core];
    for (let index = 0; index < levels.length; index++) {
      const level = levels[index];
      const past = index === 0 ? byL1 : index === 1 ? byL2 : byLlc;
      if (past.isFirst) level.distinct.add(level.cache.setOf(this.lines.placeOf(line)));
      if (index < missed) this.classify(index, level, past, line);
    }
    this.store = byL1.store;
    this.byL1.recordReference(l1Unit, line, sequence);
    this.byL2?.recordReference(l2Unit, line, sequence);
    if (this.hasGroups) this.byLlc.recordReference(group, line, sequence);
  }

  private classify(index: number, level: LevelOfSharer, past: Past, line: number): void {
    this.isCompulsoryShared[index] = past.isFirst && past.wasStoredByOthers;
    if (past.isFirst) this.missClass[index] = COMPULSORY;
    else if (past.store) this.missClass[index] = past.sharingClass;
    else this.missClass[index] = level.stack.missed <= level.rank ? CONFLICT : CAPACITY;
    const isOverfull = level.distinct.isOverfull(level.cache.setOf(this.lines.placeOf(line)));
    this.dprofRule[index] = past.wasStoredByOthers ? RULE_INVALIDATION : isOverfull ? RULE_CONFLICT : RULE_CAPACITY;
  }
}

/** Levels whose caches are shared by the same cores are shown the same references. */
function classesOfCores({ levels, unitOf }: CacheModel): ClassesOfCore[] {
  const stacks = new Map<string, LruStack>();
  const units = levels.map((caches, level) =>
    caches.map((cache, unit): LevelOfSharer => {
      const sharers = (of: number, its: number): string =>
        unitOf[of].flatMap((other, core) => (other === its ? [core] : [])).join(' ');
      const own = sharers(level, unit);
      const alike = levels.flatMap((others, of) => others.filter((_, its) => sharers(of, its) === own));
      const stack = stacks.get(own) ?? new LruStack(alike.map(({ lineCount }) => lineCount));
      stacks.set(own, stack);
      return { cache, distinct: new DistinctLines(cache.sets, cache.ways), stack, rank: stack.rankOf(cache.lineCount) };
    }),
  );
  return unitOf[0].map((_, core) => {
    const own = units.map((of, level) => of[unitOf[level][core]]);
    return { levels: own, stacks: [...new Set(own.map(({ stack }) => stack))] };
  });
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
