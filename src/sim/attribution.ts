// Stage: replay. What happens to lines and objects because of one reference, put down to what the reference belongs to:
// matrices of takers and owners, unused bytes, counters of objects. Labels are only made where something happens.

import type { Machine } from '../replay/machine.js';
import type { Catalog } from '../trace/catalog.js';
import { NO_LINE } from './cache.js';
import type { Flow } from './flow.js';
import type { CacheEvents } from './hierarchy.js';
import { Labels } from './labels.js';
import type { Lines } from './lines.js';
import { ObjectCounters } from './object-counters.js';
import type { Objects, SimObject } from './objects.js';
import { Takers } from './takers.js';
import { UnusedBytes } from './unused-bytes.js';

export class Attribution implements CacheEvents {
  readonly labels: Labels;
  readonly takers: Takers;
  readonly unusedBytes: UnusedBytes;
  readonly objectCounters = new ObjectCounters();
  private slot = 0;
  private object: SimObject | null = null;
  private line = -1;
  private firstByte = 0;
  private endByte = 0;

  constructor(
    catalog: Catalog,
    machine: Machine,
    lines: Lines,
    objects: Objects,
    /** null: nobody wants it. */
    private readonly flow: Flow | null,
  ) {
    this.labels = new Labels(catalog);
    this.takers = new Takers(machine);
    this.unusedBytes = new UnusedBytes(catalog, lines, objects, this.labels, machine);
  }

  /** A reference by the slot to the object, to bytes [begin, end) of a line, comes; what follows is its doing. */
  begin(slot: number, object: SimObject | null, line: number, begin: number, end: number): void {
    this.slot = slot;
    this.object = object;
    this.line = line;
    this.firstByte = begin;
    this.endByte = end;
    this.takers.begin();
    this.flow?.residency.begin();
  }

  /** One that makes nothing happen: it hits. */
  beginAgain(begin: number, end: number): void {
    this.firstByte = begin;
    this.endByte = end;
  }

  /** A window begins. */
  restartCounts(): void {
    this.takers.restart();
    this.unusedBytes.restart();
    this.objectCounters.restart();
  }

  /** At once, as in `filled`: a prefetch may push the line out before the reference is over. */
  hit(unit: number, frame: number): void {
    this.unusedBytes.use(unit, frame, this.firstByte, this.endByte);
  }

  filled(level: number, unit: number, frame: number, line: number, victim: number): void {
    const label = this.labels.ofReference(this.slot, this.object);
    this.takers.filled(label, level, unit, frame, line, victim);
    this.flow?.filled(label, this.object?.life ?? null, level, unit, frame, line, victim);
    if (level > 0) return;
    if (victim !== NO_LINE) this.unusedBytes.left(unit, frame);
    this.unusedBytes.filled(unit, frame, line);
    if (line === this.line) this.unusedBytes.use(unit, frame, this.firstByte, this.endByte);
  }

  evicted(level: number, unit: number, frame: number, line: number): void {
    this.takers.evictedWith(this.labels.ofReference(this.slot, this.object), level, unit, frame, line);
    this.flow?.residency.left(level, unit, frame, line);
    if (level === 0) this.unusedBytes.left(unit, frame);
  }

  moved(level: number, unit: number, frame: number, line: number): void {
    this.takers.left(level, unit, frame, line);
    this.flow?.residency.left(level, unit, frame, line);
  }

  invalidated(_line: number, l1: number, l2: number, frame: number): void {
    this.takers.invalidated(this.labels.ofReference(this.slot, this.object), l1, l2, frame);
    if (l1 !== -1) this.unusedBytes.left(l1, frame);
  }

  removed(level: number, unit: number, frame: number): void {
    this.flow?.residency.removed(level, unit, frame);
  }

  settle(object: SimObject): void {
    this.labels.settle(object);
    this.objectCounters.settle(object);
  }
}
