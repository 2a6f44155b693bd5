// Stage: trace -> what-if. A catalog in which each record is a path of its own, and each loop one, and no address is
// derived from another, so that a step can be written with any addresses. What a replay counts does not depend on
// paths.

import type { Catalog, NodeTable, RegionTable } from '../contract/catalog.js';
import { PATHS_PER_ENTRY, STRIDE_LOGGED } from '../trace/layout.js';

/** Regions: loops in the order that they had, then records. */
export function withPlainPaths(catalog: Catalog): Catalog {
  const { slots, records } = catalog;
  const loops = loopsOf(catalog);
  return {
    ...catalog,
    slots: {
      ...slots,
      base: new Uint32Array(slots.count),
      // Of an iteration of a loop; no other path reads it.
      delta: new Int32Array(slots.count).fill(STRIDE_LOGGED),
    },
    regions: ownRegions(catalog, loops, records.count),
    nodes: ownNodes(catalog, loops, records.count),
    edges: { count: 0, node: new Uint32Array(0), before: new Uint32Array(0) },
  };
}

/** The number of the path that is only the catalog's record 0; those of further ones are PATHS_PER_ENTRY apart. */
export function firstRecordPath(catalog: Catalog): number {
  return loopsOf(catalog).length * PATHS_PER_ENTRY;
}

/** Regions that are loops of so few records that one entry has all their paths. */
function loopsOf({ regions }: Catalog): number[] {
  return Array.from({ length: regions.count }, (_, region) => region).filter((region) => {
    const paths = regions.pathCount[region];
    return regions.isLoop[region] === 1 && paths > 0 && paths <= PATHS_PER_ENTRY;
  });
}

function ownRegions({ regions }: Catalog, loops: readonly number[], records: number): RegionTable {
  const count = loops.length + records;
  const pathCount = new Uint32Array(count).fill(1);
  pathCount.set(loops.map((region) => regions.pathCount[region]));
  return {
    count,
    pathCount,
    firstNode: Uint32Array.from({ length: count }, (_, region) => region),
    nodeCount: new Uint32Array(count).fill(1),
    back: new Uint32Array(count),
    isLoop: new Uint8Array(count).fill(1, 0, loops.length),
  };
}

function ownNodes({ regions, nodes }: Catalog, loops: readonly number[], records: number): NodeTable {
  const count = loops.length + records;
  const firstRecord = Uint32Array.from({ length: count }, (_, node) => node - loops.length);
  const recordCount = new Uint32Array(count).fill(1);
  for (const [node, region] of loops.entries()) {
    firstRecord[node] = nodes.firstRecord[regions.firstNode[region]];
    recordCount[node] = nodes.recordCount[regions.firstNode[region]];
  }
  return {
    count,
    firstRecord,
    recordCount,
    firstEdge: new Uint32Array(count),
    edgeCount: new Uint32Array(count),
    ends: new Uint8Array(count).fill(1),
  };
}
