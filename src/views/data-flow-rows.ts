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
  /** The variable whose beginning the allocation is. */
  readonly variable: string | null;
  /** How a free or an end ended the object. */
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
  /** Those of `objects` that are on another core behind the edge than before it. */
  readonly coreChanges: number;
  /** Per reference in `to` of the objects that came along the edge; null without references. */
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
