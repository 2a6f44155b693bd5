// Stage: replay. What the rest of the simulation asks of a hierarchy of caches, plain or whole.

import { isPlainMachine } from '../replay/complete-machine.js';
import type { Machine } from '../replay/machine.js';
import type { WholeTotals } from '../replay/result.js';
import { Hierarchy, UNHEARD, type CacheEvents } from './hierarchy.js';
import { Lines } from './lines.js';
import { physicalNumbers } from './page-colours.js';
import type { PageTable } from './page-table.js';
import { WholeHierarchy } from './whole-hierarchy.js';

/** The cache of a level, as its misses' classes see it. */
export interface CacheShape {
  readonly sets: number;
  readonly ways: number;
  readonly lineCount: number;
  setOf(place: number): number;
}

export interface CacheModel {
  readonly invalidations: number;
  readonly upgrades: number;
  readonly writeBacks: number;
  /** Of the last reference: how many levels, from L1 on, it missed, and the index into SERVERS. */
  readonly missedLevels: number;
  readonly server: number;
  /** By level, then by unit. */
  readonly levels: readonly [readonly CacheShape[], readonly CacheShape[], readonly CacheShape[]];
  /** By level, then by core: its unit. */
  readonly unitOf: readonly [readonly number[], readonly number[], readonly number[]];
  /** What only whole machines have. */
  readonly whole: WholeOutcome | null;
  /** A window begins: totals are 0, and the caches as they are. */
  restartCounts(): void;
  /** `slot` made the reference, at `address`, to a line whose use Lines knows already. */
  reference(core: number, line: number, isStore: boolean, address: number, slot: number): void;
}

/** Of the last reference; by level L1, L2. */
export interface WholeOutcome {
  readonly prefetchIssued: readonly number[];
  readonly prefetchHits: readonly number[];
  /** 0: a hit, 1: a miss of the first level only, 2: a walk. */
  readonly tlbMisses: 0 | 1 | 2;
  readonly tlbCycles: number;
  /** Of all so far. */
  totals(): WholeTotals;
}

export function buildLines(machine: Machine, pages: PageTable): Lines {
  return new Lines(undefined, isPlainMachine(machine) ? undefined : physicalNumbers(machine), machine.lineBytes, pages);
}

export function buildCaches(machine: Machine, lines: Lines, events: CacheEvents = UNHEARD): CacheModel {
  return isPlainMachine(machine)
    ? new Hierarchy(machine, lines, events)
    : new WholeHierarchy(machine, lines, null, events);
}
