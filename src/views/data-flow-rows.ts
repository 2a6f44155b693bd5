// Stage: profile -> views. The rows of the data flow: a graph for each type, exact or from histories.

import type { PATH_ENDS } from '../contract/flow-result.js';
import type { NodeKind } from './path-graph.js';
import type { Interval } from '../base/intervals.js';

/** Where a node of the graph is. */
export interface Place {
  /** null: unknown, or none. */
  readonly function: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** The variable, if the node is the beginning of one's life. */
  readonly variable: string | null;
  /** How the life ended, if the node is an end. */
  readonly end: (typeof PATH_ENDS)[number] | null;
  /** All references behind the last step that is told. */
  readonly cut: boolean;
}

export interface DataFlowNode extends Place {
  readonly id: number;
  readonly kind: NodeKind;
  /** Lives that go through it: as many as on its edges, in and out. */
  readonly objects: number;
  readonly references: number;
  /** null: of no references. */
  readonly averageLatencyCycles: number | null;
}

export interface DataFlowEdge {
  readonly from: number;
  readonly to: number;
  readonly objects: number;
  /** How many of the objects were on another core behind the edge than before it. */
  readonly coreChanges: number;
  /** The latency of references in `to`, of the objects that came along the edge; null if there are none. */
  readonly averageLatencyCycles: number | null;
}

export interface DataFlowRow {
  readonly type: string;
  /** Lives in the graph, and those on paths that were not kept. */
  readonly objects: number;
  readonly otherObjects: number;
  readonly nodes: readonly DataFlowNode[];
  readonly edges: readonly DataFlowEdge[];
}

export interface WithBounds {
  readonly intervals: { readonly objects: Interval | null };
}

export interface SampledDataFlowRow extends Omit<DataFlowRow, 'nodes' | 'edges'> {
  readonly nodes: readonly (DataFlowNode & WithBounds)[];
  readonly edges: readonly (DataFlowEdge & WithBounds)[];
}
