// Stage: replay. A reference and the levels it missed to the class of each miss, and to its class by DProf's rule.

import { CLASSES, DPROF_RULES, LEVELS } from '../contract/machine.js';
import type { Cache } from './cache.js';
import { DistinctLines } from './distinct-lines.js';
import type { Hierarchy } from './hierarchy.js';
import { History, type Store } from './history.js';
import { IdealLru } from './ideal-lru.js';

const [COMPULSORY, , , CONFLICT, CAPACITY] = CLASSES.keys();
export const TRUE_SHARING = CLASSES.indexOf('true-sharing');
export const FALSE_SHARING = CLASSES.indexOf('false-sharing');
const [RULE_INVALIDATION, RULE_CONFLICT, RULE_CAPACITY] = DPROF_RULES.keys();

/** A miss of one level. */
export interface Miss {
  /** Index into CLASSES. */
  readonly missClass: number;
  /** A compulsory miss of a line that another unit had stored to. */
  readonly isCompulsoryShared: boolean;
  /** Index into DPROF_RULES. */
  readonly dprofRule: number;
  /** The store behind a sharing miss, or behind a compulsory one of a line that another unit had stored to. */
  readonly store: Store | null;
}

/** A unit of a level, as the classes of its misses see it: "c" is the cores that share it. */
interface Unit {
  readonly cache: Cache;
  readonly distinct: DistinctLines;
  readonly ideal: IdealLru;
}

export class MissClassifier {
  private readonly unitOf: Hierarchy['unitOf'];
  /** By level. */
  private readonly histories = LEVELS.map(() => new History());
  /** By level, then by unit. */
  private readonly units: readonly (readonly Unit[])[];

  constructor({ levels, unitOf }: Hierarchy) {
    this.unitOf = unitOf;
    this.units = levels.map((caches) =>
      caches.map((cache) => ({
        cache,
        distinct: new DistinctLines(cache.sets, cache.ways),
        ideal: new IdealLru(cache.lineCount),
      })),
    );
  }

  /** A reference of the core to bytes [begin, end) of the line; returns its misses, by level from L1 on. */
  reference(core: number, line: number, begin: number, end: number, missedLevels: number): Miss[] {
    const misses: Miss[] = [];
    this.histories.forEach((history, level) => {
      const number = this.unitOf[level][core];
      const unit = this.units[level][number];
      const isIdealHit = unit.ideal.touch(line);
      if (history.isFirst(number, line)) unit.distinct.add(unit.cache.setOf(line));
      if (level < missedLevels) misses.push(classify(history, number, unit, line, begin, end, isIdealHit));
      history.recordReference(number, line);
    });
    return misses;
  }

  /** The reference before was a store: it counts for the others from now on. */
  recordStore(core: number, store: Store, line: number, begin: number, end: number): void {
    this.histories.forEach((history, level) => history.recordStore(this.unitOf[level][core], store, line, begin, end));
  }
}

/** Exactly one class, the first that applies. */
function classify(
  history: History,
  number: number,
  { cache, distinct }: Unit,
  line: number,
  begin: number,
  end: number,
  isIdealHit: boolean,
): Miss {
  const isFirst = history.isFirst(number, line);
  const wasStored = history.wasStoredByOthers(number, line);
  const byteStore = history.byteStoreSince(number, line, begin, end);
  const store = isFirst ? history.lastStoreBefore(line) : (byteStore ?? history.lineStoreSince(number, line));
  const missClass = isFirst
    ? COMPULSORY // the unit never referenced the line before
    : byteStore !== null
      ? TRUE_SHARING // another unit stored to a byte of the reference since the unit's last reference to the line
      : store !== null
        ? FALSE_SHARING // another unit stored to the line since
        : isIdealHit
          ? CONFLICT // a fully associative LRU cache of that size would have hit
          : CAPACITY;
  const isOverfull = distinct.isOverfull(cache.setOf(line));
  const dprofRule = wasStored ? RULE_INVALIDATION : isOverfull ? RULE_CONFLICT : RULE_CAPACITY;
  return { missClass, isCompulsoryShared: isFirst && wasStored, dprofRule, store };
}
