// Stage: replay. One object of the program, as the simulator knows it.

import { NO_INDEX } from '../base/ids.js';
import type { Catalog } from '../contract/catalog.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';
import type { Life } from './life.js';
import type { Counted } from './counter-index.js';

export const ObjectKind = { heap: 0, global: 1, threadLocal: 2, stack: 3 } as const;

export interface SimObject {
  readonly number: number;
  readonly address: number;
  readonly sizeBytes: number;
  /** ObjectKind. */
  readonly kind: number;
  readonly thread: number;
  /** The core of its thread at the birth. */
  readonly core: number;
  readonly variable: number;
  readonly bornAt: number;
  /** Created by an ALLOCATION record, so a FREE record ends it. */
  readonly isFromRecord: boolean;
  readonly isMapping: boolean;
  /** Handed out of other memory by an allocator of the program's own. */
  readonly isPart: boolean;
  /** Parts: what it goes back with; 0 none. */
  readonly pool: number;
  allocationSlot: number;
  callPath: number;
  freeSlot: number;
  /** TypeId; 0 none. */
  declared: number;
  isLive: boolean;
  /** Its present life, or the last. */
  lifeBegan: number;
  /** The part of that life which is counted: in a window, not from before it on. */
  countedFrom: number;
  /** The present one, or the last. */
  life: Life;
  /** Lives of any objects that had begun when its present life began, this one included. */
  lifeNumber: number;
  diedAt: number;
  lives: number;
  lifetime: number;
  references: number;
  lastCore: number;
  isBounced: boolean;
  isWriteShared: boolean;
  isFreed: boolean;
  /** By a thread that was on another core. */
  isFreedElsewhere: boolean;
  /** In its present life: whether it was loaded, and L1 misses of stores since the last load. */
  isRead: boolean;
  unreadMisses: number;
  /**
   * References by struct type of their slot, made where no declared type outranks that. Globals vote too, but only for
   * their type column.
   */
  votes: Map<number, number> | null;
  /** The vote's outcome once the life is over; 0 none. */
  voted: number;
  /** The life is over, and its accesses named several structs: docs/replay/objects.md, "Memory and pools". */
  isPool: boolean;
  /** Counters of references whose rule the vote decides, by slot and core. */
  pending: Map<string, Counted> | null;
}

/** How far an address is behind the object's declared type's beginning: an allocation may have something before it. */
export function offsetIn({ slots }: Catalog, object: SimObject, address: number): number {
  const site = object.kind === ObjectKind.heap ? object.allocationSlot : NO_INDEX;
  const before = site === NO_INDEX || slots.offset[site] === OFFSET_UNKNOWN ? 0 : slots.offset[site];
  return address - object.address - before;
}
