// Lays out a region of a made-up unit as the plugin does: paths numbered as Ball and Larus do, words after the longest
// way, fillers behind.

import { PATHS_PER_ENTRY } from '../../src/trace/layout.js';
import type { Unit } from '../../src/trace/unit.js';

export interface RegionNode {
  readonly records: readonly number[];
  /** Nodes after this one; none: the path ends here. */
  readonly to?: readonly number[];
  /** The path may end here although the node leads on. */
  readonly ends?: boolean;
}

/** Records must lie in `unit` one after the other per node. Returns the number of the region's path 0. */
export function addRegion(unit: Unit, nodes: readonly RegionNode[]): number {
  const paths = countPaths(nodes);
  const firstWord = nodes.map(() => 0);
  nodes.forEach(({ records, to = [] }, index) => {
    const end = firstWord[index] + records.reduce((words, record) => words + loggedWords(unit, record), 0);
    for (const next of to) firstWord[next] = Math.max(firstWord[next], end);
  });
  const entry = unit.regions.length;
  unit.regions.push({
    pathCount: paths[0],
    firstNode: unit.nodes.length,
    nodeCount: nodes.length,
    back: 0,
    isLoop: false,
  });
  for (let back = 1; back * PATHS_PER_ENTRY < paths[0]; back++)
    unit.regions.push({ pathCount: 0, firstNode: 0, nodeCount: 0, back, isLoop: false });
  nodes.forEach(({ records, to = [], ends = to.length === 0 }, index) => {
    unit.nodes.push({
      firstRecord: records[0] ?? 0,
      recordCount: records.length,
      firstWord: firstWord[index],
      firstEdge: unit.edges.length,
      edgeCount: to.length,
      ends,
    });
    let before = ends ? 1 : 0;
    for (const next of to) {
      unit.edges.push({ node: next, before });
      before += paths[next];
    }
  });
  return entry * PATHS_PER_ENTRY;
}

/** A loop whose iterations make these records, as `addRegion`. */
export function addLoop(unit: Unit, records: readonly number[]): number {
  const entry = unit.regions.length;
  unit.regions.push({ pathCount: records.length, firstNode: unit.nodes.length, nodeCount: 1, back: 0, isLoop: true });
  for (let back = 1; back * PATHS_PER_ENTRY < records.length; back++)
    unit.regions.push({ pathCount: 0, firstNode: 0, nodeCount: 0, back, isLoop: false });
  unit.nodes.push({
    firstRecord: records[0],
    recordCount: records.length,
    firstWord: 0,
    firstEdge: unit.edges.length,
    edgeCount: 0,
    ends: true,
  });
  return entry * PATHS_PER_ENTRY;
}

/** By node: paths from it on. */
export function countPaths(nodes: readonly RegionNode[]): number[] {
  const paths = nodes.map(() => 0);
  for (let index = nodes.length - 1; index >= 0; index--) {
    const { to = [], ends = to.length === 0 } = nodes[index];
    paths[index] = to.reduce((sum, next) => sum + paths[next], ends ? 1 : 0);
  }
  return paths;
}

/** In the event stream; the stamp of a STAMPED record included. */
function loggedWords(unit: Unit, record: number): number {
  const { words, firstSlot, slotCount } = unit.records[record];
  return words - unit.slots.slice(firstSlot, firstSlot + slotCount).filter((slot) => slot.base !== 0).length;
}
