// Stage: trace -> replay. The rules for a unit's regions, nodes, edges and derived slots. They are checked before any
// path is followed through them. Each node belongs to one region and each edge to one node, so the checks take time
// linear in the length of the tables.

import { PATHS_PER_ENTRY, RecordTag, SIZE_DYNAMIC, SlotKind } from './layout.js';
import { TraceError } from './trace-error.js';
import type { UnitColumns } from './unit.js';

/** `firstEntry`: number of the unit's first region entry in the trace, for messages. */
export function checkRegions(unit: UnitColumns, firstEntry: number): void {
  checkDerivedSlots(unit);
  const wordsBefore = loggedWordsBefore(unit);
  const { regions, nodes } = unit;
  let nodesLeft = nodes.count;
  let edgesLeft = unit.edges.count;
  for (let entry = 0; entry < regions.count; ) {
    const refuse: Refuse = (expected, actual) => {
      throw new TraceError(`region ${firstEntry + entry}`, 0, expected, actual);
    };
    const pathCount = regions.pathCount[entry];
    if (pathCount === 0)
      refuse('a region, or a filler behind its region', `a filler ${regions.back[entry]} entries behind one`);
    if (regions.back[entry] !== 0) refuse('0 entries back', `${regions.back[entry]}`);
    if (regions.nodeCount[entry] === 0) refuse('a node', 'none');
    nodesLeft -= regions.nodeCount[entry];
    if (nodesLeft < 0) refuse('nodes of its own', 'nodes of another region');
    if (regions.isLoop[entry] !== 0) checkLoop(unit, entry, refuse);
    else edgesLeft -= checkNodes(unit, entry, wordsBefore, edgesLeft, refuse);
    const entries = Math.ceil(pathCount / PATHS_PER_ENTRY);
    for (let back = 1; back < entries; back++) {
      const filler = entry + back;
      if (filler >= regions.count || regions.pathCount[filler] !== 0 || regions.back[filler] !== back)
        refuse(`${entries - 1} fillers behind its ${pathCount} paths`, `${back - 1}`);
    }
    entry += entries;
  }
}

type Refuse = (expected: string, actual: string) => never;

function checkLoop({ regions, nodes, records, slots }: UnitColumns, region: number, refuse: Refuse): void {
  if (regions.nodeCount[region] !== 1) refuse('one node in a loop', `${regions.nodeCount[region]}`);
  const node = regions.firstNode[region];
  const [firstRecord, recordCount] = [nodes.firstRecord[node], nodes.recordCount[node]];
  if (nodes.edgeCount[node] !== 0) refuse('a loop without edges', `${nodes.edgeCount[node]}`);
  if (regions.pathCount[region] !== recordCount)
    refuse(`${recordCount} paths, as an iteration of the loop has records`, `${regions.pathCount[region]}`);
  for (let record = firstRecord; record < firstRecord + recordCount; record++)
    if (records.tag[record] !== RecordTag.segment || records.flags[record] !== 0)
      refuse('segments without entry, exit or stamp in a loop', 'other records');
  const inside = new Set<number>();
  for (let record = firstRecord; record < firstRecord + recordCount; record++) {
    const first = records.firstSlot[record];
    for (let slot = first; slot < first + records.slotCount[record]; slot++) {
      if (!LOOP_KINDS.includes(slots.kind[slot]) || slots.sizeBytes[slot] === SIZE_DYNAMIC)
        refuse('loads, stores and blocks of static size in a loop', `slot kind ${slots.kind[slot]}`);
      if (inside.has(slot)) refuse('each slot once in a loop', `slot ${slot} twice`);
      inside.add(slot);
    }
  }
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
  { regions, nodes, edges }: UnitColumns,
  region: number,
  wordsBefore: Float64Array,
  edgesLeft: number,
  refuse: Refuse,
): number {
  const [firstNode, nodeCount] = [regions.firstNode[region], regions.nodeCount[region]];
  let known = 0;
  for (let index = 0; index < nodeCount; index++) {
    const node = firstNode + index;
    const firstRecord = nodes.firstRecord[node];
    const end = nodes.firstWord[node] + wordsBefore[firstRecord + nodes.recordCount[node]] - wordsBefore[firstRecord];
    const [firstEdge, edgeCount] = [nodes.firstEdge[node], nodes.edgeCount[node]];
    if (nodes.ends[node] === 0 && edgeCount === 0) refuse('ENDS or an edge', `node ${index} without`);
    known += edgeCount;
    if (known > edgesLeft) refuse('edges of its own', 'edges of another node');
    for (let edge = firstEdge; edge < firstEdge + edgeCount; edge++) {
      const [next, before] = [edges.node[edge], edges.before[edge]];
      if (next <= index || next >= nodeCount)
        refuse(`an edge from node ${index} to one of ${index + 1} to ${nodeCount - 1}`, `${next}`);
      if (edge > firstEdge && before <= edges.before[edge - 1])
        refuse(`more than ${edges.before[edge - 1]} paths before an edge of node ${index}`, `${before}`);
      const firstWord = nodes.firstWord[firstNode + next];
      if (firstWord < end)
        refuse(`node ${next} from word ${end} on, behind node ${index}`, `from word ${firstWord} on`);
    }
  }
  return known;
}

function checkDerivedSlots({ slots: { count, base, kind } }: UnitColumns): void {
  for (let slot = 0; slot < count; slot++) {
    if (base[slot] === 0) continue;
    const refuse: Refuse = (expected, actual) => {
      throw new TraceError(`slot ${slot} of a unit, derived`, 0, expected, actual);
    };
    if (!hasAddress(kind[slot])) refuse('a slot of one address', `slot kind ${kind[slot]}`);
    const from = base[slot] - 1;
    if (!hasAddress(kind[from])) refuse('a base of one address', `slot kind ${kind[from]}`);
    if (base[from] !== 0) refuse('a base that is logged', 'a derived one');
  }
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
function loggedWordsBefore({ records, slots }: UnitColumns): Float64Array {
  const derivedBefore = new Uint32Array(slots.count + 1);
  for (let slot = 0; slot < slots.count; slot++)
    derivedBefore[slot + 1] = derivedBefore[slot] + (slots.base[slot] === 0 ? 0 : 1);
  const before = new Float64Array(records.count + 1);
  for (let record = 0; record < records.count; record++) {
    const first = records.firstSlot[record];
    const derived = derivedBefore[first + records.slotCount[record]] - derivedBefore[first];
    before[record + 1] = before[record] + records.words[record] - derived;
  }
  return before;
}
