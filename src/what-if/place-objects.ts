// Stage: what-if. Where each object of a run lies, if types are laid out anew: heap blocks where a real allocator puts
// them, globals behind one another as a linker puts them, what lies on a stack where it was.

import { NO_INDEX } from '../base/ids.js';
import { roundUp } from '../base/round-up.js';
import type { Catalog } from '../contract/catalog.js';
import { ObjectKind } from '../sim/sim-object.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';
import type { AllocatorChoice } from './allocations.js';
import { changesOf, rowsOf, type ArrayChange } from './array-change.js';
import type { NewLayout } from './layout-change.js';
import { ObjectLayout } from './object-layout.js';
import { placeBlocks } from './place-blocks.js';
import { placeGlobals } from './place-globals.js';
import type { PlacedObjects } from './placed-objects.js';
import { MIXED, ObjectFlag, type Survey, type SurveyedObjects } from './survey-columns.js';
import { poolOf as ownPool, type Pool } from './pool-change.js';
import type { GroupMember } from './variable-change.js';
import { COLD_ARRAY, rowLayout, type TypeLayout } from './type-layout.js';

export interface PlacingFacts {
  /** Objects that are laid out anew. */
  readonly laidOut: number;
  /** Objects of such a type that stay as they were, by why. */
  readonly left: ReadonlyMap<string, number>;
  /** Blocks of pools. */
  readonly pooled: number;
  /**
   * Heap blocks, and how many of them the run's allocator puts where the run had them if nothing changes; null: it was
   * not asked.
   */
  readonly blocks: number;
  readonly alike: number | null;
}

export interface PlacingRequest {
  readonly layouts: ReadonlyMap<number, NewLayout>;
  readonly bytes: ReadonlyMap<number, TypeLayout>;
  readonly arrays: readonly ArrayChange[];
  /** Alignments of variables. */
  readonly variables: ReadonlyMap<number, number>;
  /** What lies side by side. */
  readonly groups: readonly (readonly GroupMember[])[];
  readonly pools: readonly Pool[];
  readonly ofRun: AllocatorChoice;
  readonly allocator?: AllocatorChoice;
}

/** Objects that cannot grow where they are. */
const HELD = ObjectFlag.part | ObjectFlag.mapping | ObjectFlag.fromRecord;

/** Bytes between an object and its cold parts, where both take the place that the object had. */
const COLD_ALIGN = 16;
/** Where nothing of a program lies: between its heap and what is mapped. */
const PER_THREAD = 0x6000_0000_0000;
const PAGE = 4096;

export async function placeObjects(
  catalog: Catalog,
  survey: Survey,
  { layouts, bytes, arrays, variables, groups, pools, ofRun, allocator }: PlacingRequest,
): Promise<{ placed: PlacedObjects; facts: PlacingFacts }> {
  const { objects, operations } = survey;
  const made = new LayoutTable(catalog, bytes);
  const layout = new Uint32Array(objects.count);
  const left = new Map<string, number>();
  const rows = changesOf(catalog, objects, arrays);
  const rowBytes = rowsOf(survey, rows, arrays);
  let laidOut = 0;
  for (let object = 0; object < objects.count; object++) {
    const type = typeOf(objects, object);
    if (rows[object] < 0 && (type === MIXED || !bytes.has(type))) continue;
    const number =
      rows[object] < 0
        ? made.of(objects, object, type)
        : made.ofRows(objects.sizeBytes[object], rowBytes[rows[object]], arrays[rows[object]].padBytes);
    const why = number === 0 ? 'smaller than the type' : whyLeft(objects, object, made.layouts[number - 1]);
    if (why !== null) left.set(why, (left.get(why) ?? 0) + 1);
    else {
      layout[object] = number;
      laidOut++;
    }
  }
  const layoutOf = (object: number): ObjectLayout | null =>
    layout[object] === 0 ? null : made.layouts[layout[object] - 1];
  const alignOf = (object: number): number =>
    Math.max(layouts.get(typeOf(objects, object))?.align ?? 1, variables.get(objects.variable[object]) ?? 1);
  const poolOf = (object: number): number => ownPool(pools, typeOf(objects, object), objects.allocationSlot[object]);
  let pooled = 0;
  for (let object = 0; pools.length > 0 && object < objects.count; object++) {
    const isBlock = objects.kind[object] === ObjectKind.heap && (objects.flags[object] & HELD) === 0;
    if (isBlock && poolOf(object) >= 0) pooled++;
  }
  const address = objects.address.slice();
  const cold = coldInPlace(objects, layoutOf);
  const heap = await placeBlocks(objects, operations, { layoutOf, alignOf, poolOf, ofRun, allocator }, address, cold);
  // What is cut out of a block goes where the block goes, in the order in which it was cut.
  for (let part = 0; part < objects.count; part++) {
    const whole = objects.whole[part];
    if (whole === NO_INDEX) continue;
    const offset = objects.address[part] - objects.address[whole];
    const to = layoutOf(whole)?.offsetOf(offset, 1) ?? offset;
    if (to < 0 || to >= COLD_ARRAY) continue;
    address[part] = address[whole] + to;
    cold[part] += address[part] - objects.address[part];
  }
  placeGlobals(catalog, objects, layoutOf, alignOf, address, cold, groups);
  const threadStride = placePerThread(objects, layoutOf, cold);
  for (let object = 0; object < objects.count; object++)
    if (layout[object] === 0 && address[object] === objects.address[object]) address[object] = Number.NaN;
  return {
    placed: { address, layout, layouts: made.layouts, cold, threadStride },
    facts: { laidOut, left, pooled, ...heap },
  };
}

/** What each thread has of all objects, in their order: the bytes of it. */
function placePerThread(
  objects: SurveyedObjects,
  layoutOf: (object: number) => ObjectLayout | null,
  cold: Float64Array,
): number {
  let end = 0;
  for (let object = 0; object < objects.count; object++) {
    const bytes = layoutOf(object)?.perThreadSize ?? 0;
    if (bytes === 0) continue;
    cold[object] = PER_THREAD + end;
    end += roundUp(bytes, COLD_ALIGN);
  }
  return roundUp(end, PAGE);
}

/** 0: nobody says it; MIXED. */
export function typeOf({ declared, said }: SurveyedObjects, object: number): number {
  return declared[object] || said[object];
}

/** Whether the object is one of its type, and no array of them. */
export function isLone({ types }: Catalog, objects: SurveyedObjects, object: number): boolean {
  const type = typeOf(objects, object);
  return type > 0 && objects.sizeBytes[object] < 2 * types.sizeBytes[type];
}

/** Where cold parts lie if the object stays where it was: behind it. */
function coldInPlace(
  { count, address }: SurveyedObjects,
  layoutOf: (object: number) => ObjectLayout | null,
): Float64Array {
  return Float64Array.from({ length: count }, (_, object) => {
    const layout = layoutOf(object);
    return layout === null || layout.coldSize === 0
      ? Number.NaN
      : address[object] + roundUp(layout.newSize, COLD_ALIGN);
  });
}

/** Null: it can be laid out anew. */
function whyLeft(
  { kind, flags, sizeBytes }: SurveyedObjects,
  object: number,
  { newSize, coldSize }: ObjectLayout,
): string | null {
  const bytes = coldSize === 0 ? newSize : roundUp(newSize, COLD_ALIGN) + coldSize;
  if (bytes <= sizeBytes[object]) return null;
  if (kind[object] === ObjectKind.stack) return 'on a stack, where they would not fit';
  if (kind[object] === ObjectKind.threadLocal) return 'thread-local, and would not fit';
  if ((flags[object] & HELD) !== 0) return "from the program's own allocator, or mapped, and would not fit";
  return null;
}

/** Objects of one type and size share a layout. */
class LayoutTable {
  readonly layouts: ObjectLayout[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly rows = new Map<string, TypeLayout>();

  constructor(
    private readonly catalog: Catalog,
    private readonly bytes: ReadonlyMap<number, TypeLayout>,
  ) {}

  /** 1 + its place in `layouts`; 0: not even one element fits. */
  of({ sizeBytes, allocationSlot }: SurveyedObjects, object: number, type: number): number {
    const slot = allocationSlot[object];
    const offset = slot === NO_INDEX ? 0 : this.catalog.slots.offset[slot];
    const head = offset === OFFSET_UNKNOWN ? 0 : offset;
    const key = `${type} ${sizeBytes[object]} ${head}`;
    let number = this.numbers.get(key);
    if (number === undefined) {
      const made = ObjectLayout.of(this.bytes.get(type)!, sizeBytes[object], head);
      number = made === null ? 0 : this.layouts.push(made);
      this.numbers.set(key, number);
    }
    return number;
  }

  /** The same of an array whose rows are padded. */
  ofRows(sizeBytes: number, rowBytes: number, padBytes: number): number {
    const row = `${rowBytes} ${padBytes}`;
    const key = `rows ${row} ${sizeBytes}`;
    let number = this.numbers.get(key);
    if (number === undefined) {
      const rows = this.rows.get(row) ?? rowLayout(rowBytes, rowBytes + padBytes);
      this.rows.set(row, rows);
      const made = ObjectLayout.of(rows, sizeBytes, 0);
      number = made === null ? 0 : this.layouts.push(made);
      this.numbers.set(key, number);
    }
    return number;
  }
}
