// Stage: trace -> what-if. What accesses say of heap blocks whose allocation says no type. The specification of
// engine/placing/said_types.h.

import type { Catalog } from '../contract/catalog.js';
import { ObjectKind, type SimObject } from '../sim/sim-object.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';
import { isRecord, isUnion } from './layout-change.js';
import { elementOffsets, MIXED } from './survey-columns.js';
import { holdsOf, type Holds } from './type-kin.js';

/** Elements of the type were accessed at several places. */
const SEVERAL = -1;

export class SaidTypes {
  /** By object number: a type, or MIXED. */
  private readonly types: number[] = [];
  /** By the same: where the only element that was accessed begins, or SEVERAL. */
  private readonly begins: number[] = [];
  private readonly offsets: Uint32Array;
  private readonly isRecordSlot: Uint8Array;
  private readonly holds: Holds;

  constructor(private readonly catalog: Catalog) {
    this.offsets = elementOffsets(catalog.slots);
    this.isRecordSlot = Uint8Array.from(catalog.slots.type, (type) => (isRecord(catalog, type) ? 1 : 0));
    this.holds = holdsOf(catalog);
  }

  /** 0: no access names a struct. */
  of(object: number): number {
    const type = this.types[object] ?? 0;
    if (type <= 0 || this.begins[object] === SEVERAL) return type;
    return this.isElement(type, this.begins[object]) ? type : MIXED;
  }

  access(
    { number, address: begin, kind, declared, isMapping, isFromRecord }: SimObject,
    address: number,
    slot: number,
  ): void {
    if (this.isRecordSlot[slot] === 0 || kind !== ObjectKind.heap || declared !== 0 || isMapping || isFromRecord)
      return;
    const before = this.types[number] ?? 0;
    if (before === MIXED) return;
    const type = this.catalog.slots.type[slot];
    const offset = this.offsets[slot];
    const element = offset === OFFSET_UNKNOWN ? 0 : address - begin - offset;
    if (element < 0) this.types[number] = MIXED;
    else if (before === 0) this.say(number, type, element);
    else if (before !== type) this.both(number, type, element);
    else if (element !== this.begins[number]) {
      const isRow = this.isElement(type, element) && this.of(number) !== MIXED;
      this.say(number, isRow ? type : MIXED, SEVERAL);
    }
  }

  private say(object: number, type: number, begins: number): void {
    this.types[object] = type;
    this.begins[object] = begins;
  }

  /** One of two types lies in the other, or the block is of neither. */
  private both(object: number, type: number, element: number): void {
    const { catalog, holds } = this;
    const [before, begins] = [this.types[object], this.begins[object]];
    const inside = element % catalog.types.sizeBytes[before];
    const outside = begins - element;
    if (!isUnion(catalog, before) && this.of(object) !== MIXED && holds(before, type, inside)) return;
    if (isUnion(catalog, before) && this.isElement(type, element) && holds(before, type, inside))
      return this.say(object, type, element);
    if (begins !== SEVERAL && outside >= 0 && holds(type, before, outside) && this.isElement(type, element)) {
      if (!isUnion(catalog, type)) this.say(object, type, element);
      return;
    }
    this.say(object, MIXED, SEVERAL);
  }

  private isElement(type: number, element: number): boolean {
    const bytes = this.catalog.types.sizeBytes[type];
    return element === 0 || (bytes > 0 && element % bytes === 0);
  }
}
