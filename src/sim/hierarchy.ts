// Stage: replay. The coherent hierarchy of plain machines: L1 and L2 per core, one LLC per group of cores, MESI at the
// granularity of a core's private levels. docs/replay/caches.md is the definition; `reference` follows its
// numbering.

import type { Machine } from '../replay/machine.js';
import { Cache, NO_LINE } from './cache.js';
import type { Lines } from './lines.js';

/** Index into SERVERS. */
export const Server = { l1: 0, l2: 1, llc: 2, cache: 3, memory: 4, remoteCache: 5, remoteMemory: 6 } as const;

/** What happens to lines, told as it happens. */
export interface CacheEvents {
  /** The reference under way hit an L1. `frame`, here and below: set × ways + way. */
  hit(unit: number, frame: number): void;
  /**
   * The reference under way brought the line into a unit of a level (index into LEVELS); `victim` (or NO_LINE) left the
   * frame for it.
   */
  filled(level: number, unit: number, frame: number, line: number, victim: number): void;
  /**
   * A store removed the line from another core's L1 and L2; -1 for the one that it was not in. `frame`: of the L1, if
   * it was in one.
   */
  invalidated(line: number, l1: number, l2: number, frame: number): void;
  /** The same of each unit of any level from which the store removed the line. */
  removed(level: number, unit: number, frame: number): void;
  /** The line left the unit because an inclusive level lost it. */
  evicted(level: number, unit: number, frame: number, line: number): void;
  /** The line left the unit, which holds nothing that a level above it has, to go up. */
  moved(level: number, unit: number, frame: number, line: number): void;
}

export const UNHEARD: CacheEvents = {
  hit: () => undefined,
  filled: () => undefined,
  invalidated: () => undefined,
  removed: () => undefined,
  evicted: () => undefined,
  moved: () => undefined,
};

export class Hierarchy {
  invalidations = 0;
  upgrades = 0;
  writeBacks = 0;
  /** Of the last reference: how many levels, from L1 on, it missed. */
  missedLevels = 0;
  /** Of the last reference: index into SERVERS. */
  server = 0;

  private readonly l1: readonly Cache[];
  private readonly l2: readonly Cache[];
  private readonly llc: readonly Cache[];
  readonly levels: readonly [readonly Cache[], readonly Cache[], readonly Cache[]];
  readonly unitOf: readonly [readonly number[], readonly number[], readonly number[]];
  readonly whole = null;
  private readonly groupOf: readonly number[];

  constructor(
    machine: Machine,
    private readonly lines: Lines,
    private readonly events: CacheEvents = UNHEARD,
  ) {
    const { cores, lineBytes, coresPerLlc } = machine;
    const groups = Math.ceil(cores / coresPerLlc);
    const build = (count: number, level: Machine['l1']): Cache[] =>
      Array.from({ length: count }, () => new Cache(level.sizeBytes, level.ways, lineBytes));
    this.l1 = build(cores, machine.l1);
    this.l2 = build(cores, machine.l2);
    this.llc = build(groups, machine.llc);
    this.groupOf = Array.from({ length: cores }, (_, core) => Math.floor(core / coresPerLlc));
    const own = Array.from({ length: cores }, (_, core) => core);
    this.levels = [this.l1, this.l2, this.llc];
    this.unitOf = [own, own, this.groupOf];
  }

  restartCounts(): void {
    this.invalidations = this.upgrades = this.writeBacks = 0;
  }

  reference(core: number, line: number, isStore: boolean): void {
    const l1 = this.l1[core];
    const place = this.lines.placeOf(line);
    const isL1Hit = l1.touch(line, place);
    if (isL1Hit) {
      this.events.hit(core, l1.frame);
      this.missedLevels = 0;
      this.server = Server.l1;
    } else {
      this.lookBehindL1(core, line, place, isStore);
      const victim = l1.fill(line, place);
      this.events.filled(0, core, l1.frame, line, victim);
      this.leavePrivate(core, victim, this.l2[core]);
    }
    if (!isStore) return;
    this.lines.modify(line, core);
    if (this.lines.onlyCore(line) === core) return;
    const sharers = this.removeFromOthers(core, line);
    this.invalidations += sharers;
    if (isL1Hit && sharers > 0) this.upgrades++;
  }

  /** The reference before was the core's, to the same line, which no other core has: nothing moves. */
  referenceAgain(core: number, line: number, isStore: boolean): void {
    this.missedLevels = 0;
    this.server = Server.l1;
    this.events.hit(core, this.l1[core].frame);
    if (isStore) this.lines.modify(line, core);
  }

  private lookBehindL1(core: number, line: number, place: number, isStore: boolean): void {
    const { lines } = this;
    const l2 = this.l2[core];
    if (l2.touch(line, place)) {
      this.missedLevels = 1;
      this.server = Server.l2;
      return;
    }
    const llc = this.llc[this.groupOf[core]];
    const isLlcHit = llc.touch(line, place);
    this.missedLevels = isLlcHit ? 2 : 3;
    this.server = isLlcHit ? Server.llc : Server.memory;
    if (lines.modifiedBy(line) !== -1 && lines.modifiedBy(line) !== core) {
      this.server = Server.cache;
      if (!isStore) {
        lines.modify(line, -1);
        this.writeBacks++;
      }
    }
    if (!isLlcHit) {
      const gone = llc.fill(line, place);
      this.events.filled(2, this.groupOf[core], llc.frame, line, gone);
    }
    const victim = l2.fill(line, place);
    this.events.filled(1, core, l2.frame, line, victim);
    this.leavePrivate(core, victim, this.l1[core]);
  }

  /**
   * A line left one private level of the core; if it is not in the other either and was modified, it is written back.
   */
  private leavePrivate(core: number, victim: number, otherLevel: Cache): void {
    if (victim === NO_LINE) return;
    const { lines } = this;
    if (lines.modifiedBy(victim) !== core || otherLevel.holds(victim, this.lines.placeOf(victim))) return;
    lines.modify(victim, -1);
    this.writeBacks++;
  }

  /** How many other cores held the line in their private levels. */
  private removeFromOthers(core: number, line: number): number {
    const place = this.lines.placeOf(line);
    let sharers = 0;
    for (let other = 0; other < this.l1.length; other++) {
      if (other === core) continue;
      const wasInL1 = this.l1[other].remove(line, place);
      const wasInL2 = this.l2[other].remove(line, place);
      if (!wasInL1 && !wasInL2) continue;
      sharers++;
      if (wasInL1) this.events.removed(0, other, this.l1[other].frame);
      if (wasInL2) this.events.removed(1, other, this.l2[other].frame);
      this.events.invalidated(
        line,
        wasInL1 ? other : -1,
        wasInL2 ? other : -1,
        wasInL1 ? this.l1[other].frame : this.l2[other].frame,
      );
    }
    for (let group = 0; group < this.llc.length; group++) {
      if (group !== this.groupOf[core] && this.llc[group].remove(line, place))
        this.events.removed(2, group, this.llc[group].frame);
    }
    return sharers;
  }
}
