// Stage: what-if. The steps of one thread, with the iterations of nested loops in another order. Steps of one loop
// that follow one another are rows of iterations, which other steps or breaks of their strides end; rows that are
// alike, each as far from the one before, are a matrix, and its tiles are gone through one after the other. The
// specification of engine/placing/iteration_order.h.

import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import type { EventColumn } from '../trace/event-column.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import type { EventEntry } from '../trace/event-writer.js';
import { EventCode } from '../trace/layout.js';
import { brokenDependence } from './dependences.js';
import { accessesOf, distanceOf, isSame, type HeldStep } from './held-step.js';
import { FIXED, OTHER, type LoopChanges } from './loop-change.js';
import type { PlacedStep, StepSink } from './placed-step.js';
import { RowBreaks } from './row-breaks.js';

/** So many steps are kept at a time: what is longer is cut. */
const MOST_HELD = 1 << 18;

/** Steps `first` to `first + count` are its iterations; others follow up to `end`. */
interface Row {
  readonly first: number;
  readonly count: number;
  readonly end: number;
}

export class IterationOrder {
  /** Iterations of matrices. */
  moved = 0;
  /** The rows of a matrix, then the stretch that is to become rows, then steps of other code. */
  private held: HeldStep[] = [];
  /** Events that nothing waits for, behind so many held steps. */
  private times: { readonly behind: number; readonly entry: EventEntry }[] = [];
  private rows: Row[] = [];
  /** From each row to the next. */
  private distance: readonly number[] | null = null;
  private stretch = 0;
  private stretchEnd = 0;
  private readonly breaks = new RowBreaks();
  private tile = OTHER;

  constructor(
    private readonly catalog: Catalog,
    private readonly changes: LoopChanges,
    private readonly sink: StepSink,
    private readonly mostHeld = MOST_HELD,
  ) {}

  step(step: EventDecoder, placed: PlacedStep, stamp?: EventColumn): void {
    const tile = this.changes.tileOf[step.record];
    if (tile === FIXED || (tile !== OTHER && tile !== this.tile)) this.flush();
    if (tile === FIXED || (tile === OTHER && this.held.length === 0)) {
      placed.writeTo(this.sink, stamp);
      return;
    }
    const isNext = this.stretchEnd === this.held.length;
    if (tile !== OTHER && !isNext) this.endStretch(this.held.length);
    const at = this.held.length;
    const accesses = accessesOf(this.catalog, step);
    const { record, lo, hi, words } = placed;
    this.held.push({ record: step.record, accesses, placed: record, lo: lo.slice(0, words), hi: hi.slice(0, words) });
    if (tile !== OTHER) {
      this.tile = tile;
      this.breaks.extend(at, this.held[at], at === this.stretch ? null : this.held[at - 1]);
      this.stretchEnd = at + 1;
    }
    if (this.held.length >= this.mostHeld) this.flush();
  }

  event(events: EventColumn): void {
    if (events.code === EventCode.time && this.held.length > 0) {
      const { code, detail, stamp, cpu } = events;
      this.times.push({ behind: this.held.length, entry: { code, detail, stamp, cpu } });
      return;
    }
    this.flush();
    this.sink.event(events);
  }

  flush(): void {
    this.endStretch(this.held.length);
    this.endMatrix();
    this.drop(this.held.length);
  }

  /** It becomes rows; steps up to `end` follow the last one. */
  private endStretch(end: number): void {
    const begins = this.stretch < this.stretchEnd ? this.breaks.rows(this.stretchEnd) : [];
    for (const [index, first] of begins.entries()) {
      const next = begins[index + 1];
      this.addRow({ first, count: (next ?? this.stretchEnd) - first, end: next ?? end });
    }
    this.breaks.begin();
    this.stretch = this.stretchEnd = end;
    this.drop(this.rows[0]?.first ?? end);
  }

  private addRow(row: Row): void {
    const last = this.rows.at(-1);
    if (last !== undefined) {
      const [from, to] = [this.held[last.first], this.held[row.first]];
      const distance = from.record === to.record && last.count === row.count ? distanceOf(from, to) : null;
      if (distance === null || (this.distance !== null && !isSame(distance, this.distance))) this.endMatrix();
      else this.distance = distance;
    }
    this.rows.push(row);
  }

  /** Its steps go on, tile by tile. */
  private endMatrix(): void {
    const { rows, held } = this;
    const [first] = rows;
    if (first === undefined) return;
    const order = rows.length > 1 && first.count > 1 ? this.tiled() : null;
    const end = rows[rows.length - 1].end;
    if (order !== null) {
      const places = new Uint32Array(order.length);
      for (const [place, at] of order.entries()) places[at - first.first] = place;
      const broken = brokenDependence(held.slice(first.first, end), places);
      if (broken !== null) throw needsOrder(this.catalog, broken);
      this.moved += rows.length * first.count;
    }
    for (let at = first.first; at < end; at++) {
      this.passTimes(at);
      const { placed, lo, hi } = held[order?.[at - first.first] ?? at];
      this.sink.path(placed, lo, hi, lo.length);
    }
    this.passTimes(end);
    this.rows = [];
    this.distance = null;
  }

  /** Held steps in their new order: the iterations of tile after tile; then what followed the rows of these. */
  private tiled(): number[] {
    const { rows } = this;
    const { rows: height, columns: width } = this.changes.tiles[this.tile];
    const [{ count }] = rows;
    const order: number[] = [];
    for (let top = 0; top < rows.length; top += height) {
      const band = rows.slice(top, top + height);
      for (let left = 0; left < count; left += width)
        for (const { first } of band)
          for (let column = left; column < Math.min(count, left + width); column++) order.push(first + column);
      for (const row of band) for (let at = row.first + count; at < row.end; at++) order.push(at);
    }
    return order;
  }

  private passTimes(at: number): void {
    while (this.times.length > 0 && this.times[0].behind <= at) this.sink.event(this.times.shift()!.entry);
  }

  /** The first steps, which went on. */
  private drop(count: number): void {
    if (count === 0) return;
    this.held.splice(0, count);
    this.stretch -= count;
    this.stretchEnd -= count;
    this.rows = this.rows.map(({ first, count: own, end }) => ({ first: first - count, count: own, end: end - count }));
    this.times = this.times.map(({ behind, entry }) => ({ behind: behind - count, entry }));
  }
}

export function needsOrder({ slots: { file, line } }: Catalog, slot: number): DprofError {
  return new DprofError(
    `${file[slot]}:${line[slot]} needs what is stored before it: in another order of the loops that would come later`,
    'another loop of the nest may allow it',
    2,
  );
}
