// Stage: trace -> what-if. A catalog in which each record is a path of its own and no address is derived from another,
// so that a step can be written with any addresses. What a replay counts does not depend on paths.

import type { Catalog, NodeTable, RegionTable } from '../contract/catalog.js';
import { PATHS_PER_ENTRY } from '../trace/layout.js';

export function withPlainPaths(catalog: Catalog): Catalog {
  const { slots, records } = catalog;
  return {
    ...catalog,
    slots: { ...slots, base: new Uint32Array(slots.count), delta: new Int32Array(slots.count) },
    regions: ownRegions(records.count),
    nodes: ownNodes(records.count),
    edges: { count: 0, node: new Uint32Array(0), before: new Uint32Array(0) },
  };
}

/** The number of the path that is only this record. */
export function pathOfRecord(record: number): number {
  return record * PATHS_PER_ENTRY;
}

function ownRegions(count: number): RegionTable {
  return {
    count,
    pathCount: new Uint32Array(count).fill(1),
    firstNode: Uint32Array.from({ length: count }, (_, record) => record),
    nodeCount: new Uint32Array(count).fill(1),
    back: new Uint32Array(count),
    isLoop: new Uint8Array(count),
  };
}

function ownNodes(count: number): NodeTable {
  return {
    count,
    firstRecord: Uint32Array.from({ length: count }, (_, record) => record),
    recordCount: new Uint32Array(count).fill(1),
    firstEdge: new Uint32Array(count),
    edgeCount: new Uint32Array(count),
    ends: new Uint8Array(count).fill(1),
  };
}
