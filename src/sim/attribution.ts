// Stage: replay. What happens to lines and objects because of one reference, put down to what the reference belongs to: matrices of takers and
// owners, unused bytes, counters of objects. Labels are only made where something happens.

import type { Machine } from '../replay/machine.js';
import type { Catalog } from '../trace/catalog.js';
import { NO_LINE } from './cache.js';
import type { CacheEvents, Hierarchy } from './hierarchy.js';
import { Labels } from './labels.js';
import type { Line, Lines } from './lines.js';
import { ObjectCounters } from './object-counters.js';
import type { Objects, SimObject } from './objects.js';
import { Takers } from './takers.js';
import { UnusedBytes } from './unused-bytes.js';

export class Attribution implements CacheEvents {
  readonly labels: Labels;
  readonly takers: Takers;
  readonly unusedBytes: UnusedBytes;
  readonly objectCounters = new ObjectCounters();
  /** Set before anything happens. */
  hierarchy!: Hierarchy;
  private slot = 0;
  private object: SimObject | null = null;

  constructor(
    catalog: Catalog,
    machine: Machine,
    private readonly lines: Lines,
    objects: Objects,
  ) {
    this.labels = new Labels(catalog);
    this.takers = new Takers(machine, lines);
    this.unusedBytes = new UnusedBytes(catalog, machine.lineBytes, lines, objects, this.labels);
  }

  /** A reference by the slot to the object comes; what follows is its doing. */
  begin(slot: number, object: SimObject | null): void {
    this.slot = slot;
    this.object = object;
  }

  filled(level: number, unit: number, line: Line, victim: number): void {
    this.takers.filled(this.labels.ofReference(this.slot, this.object), level, unit, line, victim, this.hierarchy);
    if (level > 0) return;
    if (victim !== NO_LINE) this.unusedBytes.left(unit, this.lines.withId(victim));
    this.unusedBytes.filled(unit, line);
  }

  invalidated(line: Line, l1: number, l2: number): void {
    this.takers.invalidated(this.labels.ofReference(this.slot, this.object), line, l1, l2, this.hierarchy);
    if (l1 !== -1) this.unusedBytes.left(l1, line);
  }

  settle(object: SimObject): void {
    this.labels.settle(object);
    this.objectCounters.settle(object);
  }
}
