// Stage: what-if. Where each object of a run lies, if types are laid out anew: heap blocks where a real allocator puts
// them, globals behind one another as a linker puts them, what lies on a stack where it was.

import { NO_INDEX } from '../base/ids.js';
import type { Catalog } from '../contract/catalog.js';
import { ObjectKind } from '../sim/sim-object.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';
import { addressesOf, type AllocatorChoice } from './allocations.js';
import type { NewLayout } from './layout-change.js';
import { ObjectLayout } from './object-layout.js';
import { placeGlobals } from './place-globals.js';
import type { PlacedObjects } from './placed-objects.js';
import {
  MIXED,
  ObjectFlag,
  OperationKind,
  type Operations,
  type Survey,
  type SurveyedObjects,
} from './survey-columns.js';
import type { TypeLayout } from './type-layout.js';

export interface PlacingFacts {
  /** Objects that are laid out anew. */
  readonly laidOut: number;
  /** Objects of such a type that stay as they were, by why. */
  readonly left: ReadonlyMap<string, number>;
  /** Heap blocks, and how many of them the allocator puts where the run had them if nothing changes. */
  readonly blocks: number;
  readonly alike: number;
}

export interface PlacingRequest {
  readonly layouts: ReadonlyMap<number, NewLayout>;
  readonly bytes: ReadonlyMap<number, TypeLayout>;
  readonly allocator?: AllocatorChoice;
}

const GLIBC: AllocatorChoice = { name: 'glibc' };
const PAGE = 4096;
/** Objects that cannot grow where they are. */
const HELD = ObjectFlag.part | ObjectFlag.mapping | ObjectFlag.fromRecord;

export function placeObjects(
  catalog: Catalog,
  { objects, operations }: Survey,
  { layouts, bytes, allocator }: PlacingRequest,
): { placed: PlacedObjects; facts: PlacingFacts } {
  const made = new LayoutTable(catalog, bytes);
  const layout = new Uint32Array(objects.count);
  const left = new Map<string, number>();
  let laidOut = 0;
  for (let object = 0; object < objects.count; object++) {
    const type = objects.declared[object] || objects.said[object];
    if (type === MIXED || !bytes.has(type)) continue;
    const number = made.of(objects, object, type);
    const why = number === 0 ? 'smaller than the type' : whyLeft(objects, object, made.layouts[number - 1].newSize);
    if (why !== null) left.set(why, (left.get(why) ?? 0) + 1);
    else {
      layout[object] = number;
      laidOut++;
    }
  }
  const layoutOf = (object: number): ObjectLayout | null =>
    layout[object] === 0 ? null : made.layouts[layout[object] - 1];
  const address = objects.address.slice();
  const alignOf = (object: number): number => layouts.get(objects.declared[object])?.align ?? 1;
  const heap = placeBlocks(objects, operations, layoutOf, alignOf, allocator, address);
  // What is cut out of a block goes where the block goes, in the order in which it was cut.
  for (let part = 0; part < objects.count; part++) {
    const whole = objects.whole[part];
    if (whole === NO_INDEX) continue;
    const offset = objects.address[part] - objects.address[whole];
    const to = layoutOf(whole)?.offsetOf(offset, 1) ?? offset;
    if (to >= 0) address[part] = address[whole] + to;
  }
  placeGlobals(catalog, objects, layoutOf, alignOf, address);
  for (let object = 0; object < objects.count; object++)
    if (layout[object] === 0 && address[object] === objects.address[object]) address[object] = Number.NaN;
  return { placed: { address, layout, layouts: made.layouts }, facts: { laidOut, left, ...heap } };
}

/** Null: it can be laid out anew. */
function whyLeft({ kind, flags, sizeBytes }: SurveyedObjects, object: number, newSize: number): string | null {
  if (newSize <= sizeBytes[object]) return null;
  if (kind[object] === ObjectKind.stack) return 'on a stack, where they would not fit';
  if (kind[object] === ObjectKind.threadLocal) return 'thread-local, and would not fit';
  if ((flags[object] & HELD) !== 0) return "from the program's own allocator, or mapped, and would not fit";
  return null;
}

/** Objects of one type and size share a layout. */
class LayoutTable {
  readonly layouts: ObjectLayout[] = [];
  private readonly numbers = new Map<string, number>();

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
}

/** Writes the blocks' addresses, if any of them changes. */
function placeBlocks(
  objects: SurveyedObjects,
  operations: Operations,
  layoutOf: (object: number) => ObjectLayout | null,
  alignOf: (object: number) => number,
  allocator: AllocatorChoice | undefined,
  address: Float64Array,
): { blocks: number; alike: number } {
  const { block } = operations;
  const made: number[] = [];
  const [kind, size, other] = [operations.kind.slice(), operations.size.slice(), operations.other.slice()];
  let isSame = allocator === undefined;
  for (let at = 0; at < operations.count; at++) {
    if (kind[at] === OperationKind.free) continue;
    made.push(at);
    const layout = layoutOf(block[at]);
    if (layout === null) continue;
    size[at] = layout.newSize;
    const align = alignOf(block[at]);
    if (align > 16) [kind[at], other[at]] = [OperationKind.aligned, Math.max(align, other[at])];
    isSame &&= size[at] === operations.size[at] && kind[at] === operations.kind[at];
  }
  if (isSame || made.length === 0) return { blocks: made.length, alike: made.length };
  const asRecorded = addressesOf(operations, objects.count, GLIBC);
  // From where the allocator's process has its heap to where the run had it: whole pages, so that sets stay.
  const first = block[made[0]];
  const shift = Math.round((objects.address[first] - asRecorded[first]) / PAGE) * PAGE;
  const alike = made.filter((at) => asRecorded[block[at]] + shift === objects.address[block[at]]).length;
  const found = addressesOf({ ...operations, kind, size, other }, objects.count, allocator ?? GLIBC);
  for (const at of made) address[block[at]] = found[block[at]] + shift;
  return { blocks: made.length, alike };
}
