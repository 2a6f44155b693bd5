// Stage: trace -> replay. The rules for a unit's regions, nodes, edges and derived slots. They are checked before any
// path is followed through them. Each node belongs to one region and each edge to one node, so the checks take time
// linear in the length of the tables.

import { PATHS_PER_ENTRY, RecordTag, SIZE_DYNAMIC, SlotKind } from './layout.js';
import { TraceError } from './trace-error.js';
import type { Unit, UnitRecord, UnitRegion, UnitSlot } from './unit.js';

/** `firstEntry`: number of the unit's first region entry in the trace, for messages. */
export function checkRegions(unit: Unit, firstEntry: number): void {
  checkDerivedSlots(unit);
  const wordsBefore = loggedWordsBefore(unit);
  let nodesLeft = unit.nodes.length;
  let edgesLeft = unit.edges.length;
  for (let entry = 0; entry < unit.regions.length; ) {
    const region = unit.regions[entry];
    const refuse = (expected: string, actual: string): never => {
      throw new TraceError(`region ${firstEntry + entry}`, 0, expected, actual);
    };
    if (region.pathCount === 0)
      refuse('a region, or a filler behind its region', `a filler ${region.back} entries behind one`);
    if (region.back !== 0) refuse('0 entries back', `${region.back}`);
    if (region.nodeCount === 0) refuse('a node', 'none');
    nodesLeft -= region.nodeCount;
    if (nodesLeft < 0) refuse('nodes of its own', 'nodes of another region');
    if (region.isLoop) checkLoop(unit, region, refuse);
    else edgesLeft -= checkNodes(unit, region, wordsBefore, edgesLeft, refuse);
    const entries = Math.ceil(region.pathCount / PATHS_PER_ENTRY);
    for (let back = 1; back < entries; back++) {
      const filler = unit.regions[entry + back];
      if (filler?.pathCount !== 0 || filler.back !== back)
        refuse(`${entries - 1} fillers behind its ${region.pathCount} paths`, `${back - 1}`);
    }
    entry += entries;
  }
}

function checkLoop(unit: Unit, region: UnitRegion, refuse: (expected: string, actual: string) => never): void {
  if (region.nodeCount !== 1) refuse('one node in a loop', `${region.nodeCount}`);
  const { firstRecord, recordCount, edgeCount } = unit.nodes[region.firstNode];
  if (edgeCount !== 0) refuse('a loop without edges', `${edgeCount}`);
  if (region.pathCount !== recordCount)
    refuse(`${recordCount} paths, as an iteration of the loop has records`, `${region.pathCount}`);
  const records = unit.records.slice(firstRecord, firstRecord + recordCount);
  if (!records.every(isLoopRecord)) refuse('segments without entry, exit or stamp in a loop', 'other records');
  const inside = new Set<number>();
  for (const record of records) {
    for (let slot = record.firstSlot; slot < record.firstSlot + record.slotCount; slot++) {
      if (!isLoopSlot(unit.slots[slot]))
        refuse('loads, stores and blocks of static size in a loop', `slot kind ${unit.slots[slot].kind}`);
      if (inside.has(slot)) refuse('each slot once in a loop', `slot ${slot} twice`);
      inside.add(slot);
    }
  }
}

function isLoopRecord({ tag, flags }: UnitRecord): boolean {
  return tag === RecordTag.segment && flags === 0;
}

function isLoopSlot({ kind, sizeBytes }: UnitSlot): boolean {
  return LOOP_KINDS.includes(kind) && sizeBytes !== SIZE_DYNAMIC;
}

const LOOP_KINDS: readonly number[] = [
  SlotKind.load,
  SlotKind.store,
  SlotKind.copyLoad,
  SlotKind.copyStore,
  SlotKind.fill,
];

/** How many edges the region's nodes have. */
function checkNodes(
  unit: Unit,
  region: UnitRegion,
  wordsBefore: Float64Array,
  edgesLeft: number,
  refuse: (expected: string, actual: string) => never,
): number {
  let edges = 0;
  for (let index = 0; index < region.nodeCount; index++) {
    const node = unit.nodes[region.firstNode + index];
    const end = node.firstWord + wordsBefore[node.firstRecord + node.recordCount] - wordsBefore[node.firstRecord];
    if (!node.ends && node.edgeCount === 0) refuse('ENDS or an edge', `node ${index} without`);
    edges += node.edgeCount;
    if (edges > edgesLeft) refuse('edges of its own', 'edges of another node');
    for (let edge = node.firstEdge; edge < node.firstEdge + node.edgeCount; edge++) {
      const { node: next, before } = unit.edges[edge];
      if (next <= index || next >= region.nodeCount)
        refuse(`an edge from node ${index} to one of ${index + 1} to ${region.nodeCount - 1}`, `${next}`);
      if (edge > node.firstEdge && before <= unit.edges[edge - 1].before)
        refuse(`more than ${unit.edges[edge - 1].before} paths before an edge of node ${index}`, `${before}`);
      const { firstWord } = unit.nodes[region.firstNode + next];
      if (firstWord < end)
        refuse(`node ${next} from word ${end} on, behind node ${index}`, `from word ${firstWord} on`);
    }
  }
  return edges;
}

function checkDerivedSlots({ slots }: Unit): void {
  slots.forEach(({ base, kind }, index) => {
    if (base === 0) return;
    const refuse = (expected: string, actual: string): never => {
      throw new TraceError(`slot ${index} of a unit, derived`, 0, expected, actual);
    };
    if (!hasAddress(kind)) refuse('a slot of one address', `slot kind ${kind}`);
    const { base: secondBase, kind: baseKind } = slots[base - 1];
    if (!hasAddress(baseKind)) refuse('a base of one address', `slot kind ${baseKind}`);
    if (secondBase !== 0) refuse('a base that is logged', 'a derived one');
  });
}

function hasAddress(kind: number): boolean {
  return !NO_ADDRESS.includes(kind);
}

const NO_ADDRESS: readonly number[] = [
  SlotKind.site,
  SlotKind.gather,
  SlotKind.scatter,
  SlotKind.value,
  SlotKind.argument,
];

/** By record, and one more: logged words of the records before it. */
function loggedWordsBefore({ records, slots }: Unit): Float64Array {
  const derivedBefore = new Uint32Array(slots.length + 1);
  slots.forEach((slot, index) => (derivedBefore[index + 1] = derivedBefore[index] + (slot.base === 0 ? 0 : 1)));
  const before = new Float64Array(records.length + 1);
  records.forEach(({ words, firstSlot, slotCount }, index) => {
    before[index + 1] = before[index] + words - (derivedBefore[firstSlot + slotCount] - derivedBefore[firstSlot]);
  });
  return before;
}
