// Stage: profile -> views. Data flow: for each type one graph of the places that its objects go through, from allocation to free.

import { NO_INDEX } from '../base/ids.js';
import { FREED_ON_OTHER_CORE, type Flow } from '../profile/flow.js';
import { OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { PATH_ENDS } from '../replay/flow-result.js';
import { SERVERS } from '../replay/machine.js';
import { byMissesThenName, sumBy } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { flowTotals, requireFlow, type FlowTotals } from './flow-facts.js';
import { PathGraph, type NodeKind, type Stop } from './path-graph.js';
import { firstSteps, placeOf } from './path-traces.js';
import { spellFunction, spellName } from './sites.js';
import type { View } from './view.js';

/** Where a node of the graph is. */
interface Place {
  /** null: unknown, or none. */
  readonly function: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** Of an allocation that is a variable's beginning. */
  readonly variable: string | null;
  /** Of a free or an end. */
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
  /** Of them, on another core behind it than before. */
  readonly coreChanges: number;
  /** Of the references in `to` of the objects that came along the edge; null of none. */
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

export interface DataFlow extends View<DataFlowRow> {
  readonly flow: FlowTotals;
}

/** Types by L1 misses, then name. */
export function buildDataFlow(profile: Profile): DataFlow {
  const flow = requireFlow(profile, 'data flow');
  const { types, strings, tallies } = profile;
  const graphs = new Map<number, { graph: PathGraph<Place>; objects: number }>();
  const others = new Map<number, number>();
  flow.otherPaths.type.forEach((type, row) => others.set(type, flow.otherPaths.lives[row]));
  const firstStep = firstSteps(flow);
  for (const row of inOrderOfSteps(flow, firstStep)) {
    const type = flow.paths.type[row];
    let own = graphs.get(type);
    if (own === undefined) graphs.set(type, (own = { graph: new PathGraph(), objects: 0 }));
    own.objects += flow.paths.lives[row];
    own.graph.add(stopsOf(profile, flow, row, firstStep[row]), flow.paths.lives[row]);
  }
  const sums = sumBy(tallies, (row) => tallies.type[row]);
  const misses = (type: number): number => sums.get(type)?.misses('l1') ?? 0;
  const name = (type: number): string => strings[types.name[type]];
  const order = [...new Set([...graphs.keys(), ...others.keys()])].sort((a, b) => byMissesThenName(misses(a), name(a), misses(b), name(b)));
  const rows = order.map((type): DataFlowRow => {
    const { graph = new PathGraph<Place>(), objects = 0 } = graphs.get(type) ?? {};
    return { type: name(type), objects, otherObjects: others.get(type) ?? 0, ...spellGraph(graph) };
  });
  return { ...wrapRows(profile, 'data-flow', rows), flow: flowTotals(flow) };
}

/** Paths of one type, allocated at one place, together; of them those that begin alike. */
function inOrderOfSteps({ paths, steps }: Flow, firstStep: Uint32Array): Uint32Array {
  const begin = [paths.type, paths.kind, paths.variable, paths.site];
  return new Uint32Array(paths.type.keys()).sort((a, b) => {
    for (const column of begin) if (column[a] !== column[b]) return column[a] - column[b];
    for (let at = 0; at < Math.min(paths.steps[a], paths.steps[b]); at++) {
      const order = steps.site[firstStep[a] + at] - steps.site[firstStep[b] + at];
      if (order !== 0) return order;
    }
    return paths.steps[a] - paths.steps[b] || paths.end[a] - paths.end[b] || paths.freeSite[a] - paths.freeSite[b] || a - b;
  });
}

function spellGraph(graph: PathGraph<Place>): Pick<DataFlowRow, 'nodes' | 'edges'> {
  const { nodes, edges } = graph.freeze();
  return {
    nodes: nodes.map(({ id, kind, place, objects, references, latencyCycles }) => ({ id, kind, ...place, objects, references, averageLatencyCycles: average(latencyCycles, references) })),
    edges: edges.map(({ from, to, objects, coreChanges, references, latencyCycles }) => ({ from, to, objects, coreChanges, averageLatencyCycles: average(latencyCycles, references) })),
  };
}

function average(sum: number, count: number): number | null {
  return count === 0 ? null : sum / count;
}

const NOWHERE: Place = { function: null, file: null, line: null, variable: null, end: null, cut: false };

/** From where the object was allocated, or declared, to where it was freed, or otherwise ended. */
function stopsOf(profile: Profile, { paths, steps }: Flow, row: number, firstStep: number): Stop<Place>[] {
  const none = { changesCore: false, references: 0, latencyCycles: 0 };
  const at = (site: number): Pick<Place, 'function' | 'file' | 'line'> => ({ function: spellFunction(profile, site), ...placeOf(profile, site) });
  const [kind, variable, site, freeSite] = [paths.kind[row], paths.variable[row], paths.site[row], paths.freeSite[row]];
  const end = PATH_ENDS[paths.end[row]];
  const begin: Stop<Place> = {
    kind: 'allocation', key: `allocation ${kind} ${variable} ${site}`, ...none,
    place: { ...NOWHERE, ...at(site), ...(OBJECT_KINDS[kind] !== 'heap' && { variable: spellName(profile, variable) }) },
  };
  const own = Array.from({ length: paths.steps[row] }, (_, index): Stop<Place> => {
    const step = firstStep + index;
    const isCut = steps.site[step] === NO_INDEX;
    const references = steps.served.subarray(step * SERVERS.length, (step + 1) * SERVERS.length).reduce((sum, count) => sum + count, 0);
    return {
      kind: 'step', key: `step ${steps.site[step]}`, changesCore: steps.changesCore[step] === 1, references, latencyCycles: steps.latencyCycles[step],
      place: isCut ? { ...NOWHERE, cut: true } : { ...NOWHERE, ...at(steps.site[step]) },
    };
  });
  const isFreed = end === 'freed';
  const last: Stop<Place> = {
    kind: isFreed ? 'free' : 'end', key: isFreed ? `free ${freeSite}` : `end ${end}`, ...none,
    changesCore: (paths.flags[row] & FREED_ON_OTHER_CORE) !== 0,
    place: { ...NOWHERE, ...(isFreed && at(freeSite)), end },
  };
  return [begin, ...own, last];
}
