// Stage: what-if. Where each object of a run lies, if types are laid out anew: heap blocks where a real allocator puts
// them, globals behind one another as a linker puts them, what lies on a stack where it was.

import type { Catalog } from '../contract/catalog.js';
import type { ReplayInput } from '../contract/input.js';
import { ObjectKind, type SimObject } from '../sim/sim-object.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';
import { NO_INDEX } from '../base/ids.js';
import { addressesOf, OperationKind, type AllocatorChoice, type Operation } from './allocations.js';
import { readHeap } from './heap-history.js';
import type { NewLayout } from './layout-change.js';
import { MIXED } from './object-types.js';
import { placeGlobals } from './place-globals.js';
import { ObjectLayout } from './object-layout.js';
import type { PlacedObject } from './placement.js';
import type { TypeLayout } from './type-layout.js';

export interface PlacedObjects {
  of(object: SimObject): PlacedObject | undefined;
  readonly facts: PlacingFacts;
}

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

export function placeObjects(input: ReplayInput, { layouts, bytes, allocator }: PlacingRequest): PlacedObjects {
  const { catalog } = input;
  const { operations, objects, wholes, said } = readHeap(input);
  const left = new Map<string, number>();
  const made = new ObjectLayouts(catalog, bytes);
  const newLayouts = objects.map((object) => {
    const type = object.declared || (said[object.number] ?? 0);
    if (type === MIXED) return null;
    const layout = made.of(object, type);
    if (layout === null) {
      if (bytes.has(type)) count(left, 'smaller than the type');
      return null;
    }
    const fits = layout.newSize <= object.sizeBytes;
    if (object.kind === ObjectKind.stack && !fits) return leave(left, 'on a stack, where they would not fit');
    if (object.kind === ObjectKind.threadLocal && !fits) return leave(left, 'thread-local, and would not fit');
    if ((object.isPart || object.isMapping || object.isFromRecord) && !fits)
      return leave(left, "from the program's own allocator, or mapped, and would not fit");
    return layout;
  });
  const addresses = Float64Array.from(objects, ({ address }) => address);
  const heap = placeBlocks(objects, operations, newLayouts, layouts, allocator, addresses);
  // What is cut out of a block goes where the block goes, in the order in which it was cut.
  for (const [part, whole] of wholes) {
    const offset = objects[part].address - objects[whole].address;
    const to = newLayouts[whole]?.offsetOf(offset, 1) ?? offset;
    if (to >= 0) addresses[part] = addresses[whole] + to;
  }
  placeGlobals(catalog, objects, newLayouts, layouts, addresses);
  const placed = objects.map(({ number, address }): PlacedObject | undefined => {
    const layout = newLayouts[number];
    return layout === null && addresses[number] === address ? undefined : { address: addresses[number], layout };
  });
  return {
    of: ({ number }) => placed[number],
    facts: { laidOut: newLayouts.filter((layout) => layout !== null).length, left, ...heap },
  };
}

function leave(left: Map<string, number>, why: string): null {
  count(left, why);
  return null;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Objects of one type and size share a layout. */
class ObjectLayouts {
  private readonly made = new Map<string, ObjectLayout | null>();

  constructor(
    private readonly catalog: Catalog,
    private readonly bytes: ReadonlyMap<number, TypeLayout>,
  ) {}

  of({ sizeBytes, allocationSlot }: SimObject, type: number): ObjectLayout | null {
    const layout = this.bytes.get(type);
    if (layout === undefined) return null;
    const offset = allocationSlot === NO_INDEX ? 0 : this.catalog.slots.offset[allocationSlot];
    const head = offset === OFFSET_UNKNOWN ? 0 : offset;
    const key = `${type} ${sizeBytes} ${head}`;
    let made = this.made.get(key);
    if (made === undefined) this.made.set(key, (made = ObjectLayout.of(layout, sizeBytes, head)));
    return made;
  }
}

/** Writes the blocks' addresses, if any of them changes. */
function placeBlocks(
  objects: readonly SimObject[],
  operations: readonly Operation[],
  newLayouts: readonly (ObjectLayout | null)[],
  layouts: ReadonlyMap<number, NewLayout>,
  allocator: AllocatorChoice | undefined,
  addresses: Float64Array,
): { blocks: number; alike: number } {
  const made = operations.filter(({ kind }) => kind !== OperationKind.free);
  const changed = operations.map((operation): Operation => {
    if (operation.kind === OperationKind.free) return operation;
    const size = newLayouts[operation.block]?.newSize ?? operation.size;
    const align = layouts.get(objects[operation.block].declared)?.align ?? 0;
    if (newLayouts[operation.block] === null || align <= 16) return { ...operation, size };
    return { ...operation, size, kind: OperationKind.aligned, other: Math.max(align, operation.other) };
  });
  const isSame = changed.every(
    ({ size, kind }, index) => size === operations[index].size && kind === operations[index].kind,
  );
  if (isSame && allocator === undefined) return { blocks: made.length, alike: made.length };
  const asRecorded = addressesOf(operations, objects.length, GLIBC);
  const shift = shiftOf(made, objects, asRecorded);
  const alike = made.filter(({ block }) => asRecorded[block] + shift === objects[block].address).length;
  const found = addressesOf(changed, objects.length, allocator ?? GLIBC);
  for (const { block } of made) addresses[block] = found[block] + shift;
  return { blocks: made.length, alike };
}

/** From where the allocator's process has its heap to where the run had it: whole pages, so that sets stay. */
function shiftOf(made: readonly Operation[], objects: readonly SimObject[], found: Float64Array): number {
  if (made.length === 0) return 0;
  const { block } = made[0];
  return Math.round((objects[block].address - found[block]) / PAGE) * PAGE;
}
