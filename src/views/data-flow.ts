// Stage: profile -> views. Data flow: for each type one graph of the places that its objects go through, from
// allocation to free.

import { formatCount } from '../base/format-number.js';
import { NO_INDEX } from '../base/ids.js';
import { FREED_ON_OTHER_CORE, type Flow } from '../profile/flow.js';
import { OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { PATH_ENDS } from '../contract/flow-result.js';
import { SERVERS } from '../contract/machine.js';
import { CounterSums, rankSums, sortRanked, sumBy, usualSort } from './counter-sums.js';
import { FLOW_COLUMNS, flowLines } from './data-flow-lines.js';
import { wrapRows } from './envelope.js';
import { flowNotes, flowTotals, requireFlow, type FlowTotals } from './flow-facts.js';
import { PathGraph, type NodeKind, type Spot, type Stop } from './path-graph.js';
import { firstSteps, placeOf } from './path-traces.js';
import { spellOrder } from './sort-rows.js';
import { spellFunction, spellName } from './sites.js';
import { sampledDataFlowRows } from './sampled-flow-views.js';
import type { SampledView, View } from './view.js';
import type { ViewDefinition } from './view-definition.js';
import type { DataFlowRow, Place, SampledDataFlowRow } from './data-flow-rows.js';

export interface DataFlow extends View<DataFlowRow> {
  readonly flow: FlowTotals;
}

export interface SampledDataFlow extends SampledView<SampledDataFlowRow> {
  readonly flow: FlowTotals;
}

/** Types by estimated cycles, then L1 misses, then name. */
export function buildDataFlow(profile: Profile): DataFlow {
  const flow = requireFlow(profile, 'data flow');
  const { types, strings, tallies } = profile;
  const graphs = new Map<number, { graph: PathGraph<Place>; objects: number }>();
  const others = new Map<number, number>();
  flow.otherPaths.type.forEach((type, row) => others.set(type, flow.otherPaths.lives[row]));
  const firstStep = firstSteps(flow);
  const stops = new Stops(profile, flow);
  for (const row of inOrderOfSteps(flow, firstStep)) {
    const type = flow.paths.type[row];
    let own = graphs.get(type);
    if (own === undefined) graphs.set(type, (own = { graph: new PathGraph(), objects: 0 }));
    own.objects += flow.paths.lives[row];
    own.graph.add(stops.of(row, firstStep[row]), flow.paths.lives[row]);
  }
  const sums = sumBy(tallies, (row) => tallies.type[row]);
  const name = (type: number): string => strings[types.name[type]];
  const ranked = [...new Set([...graphs.keys(), ...others.keys()])].map((type) => ({
    row: type,
    rank: rankSums(sums.get(type) ?? new CounterSums(), name(type)),
  }));
  const rows = sortRanked(ranked, usualSort(profile)).map((type): DataFlowRow => {
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
    return (
      paths.steps[a] - paths.steps[b] || paths.end[a] - paths.end[b] || paths.freeSite[a] - paths.freeSite[b] || a - b
    );
  });
}

function spellGraph(graph: PathGraph<Place>): Pick<DataFlowRow, 'nodes' | 'edges'> {
  return graph.freeze(
    ({ id, kind, place, objects, references, latencyCycles }) => ({
      id,
      kind,
      ...place,
      objects,
      references,
      averageLatencyCycles: average(latencyCycles, references),
    }),
    ({ from, to, objects, coreChanges, references, latencyCycles }) => ({
      from,
      to,
      objects,
      coreChanges,
      averageLatencyCycles: average(latencyCycles, references),
    }),
  );
}

function average(sum: number, count: number): number | null {
  return count === 0 ? null : sum / count;
}

const NOWHERE: Place = { function: null, file: null, line: null, variable: null, end: null, cut: false };

/** Spots are made once, however many paths go through them. */
class Stops {
  readonly #spots = new Map<string, Spot<Place>>();
  readonly #steps = new Map<number, Spot<Place>>();

  constructor(
    private readonly profile: Profile,
    private readonly flow: Flow,
  ) {}

  /** The stops of a path, from the object's allocation or declaration to its free or other end. */
  of(row: number, firstStep: number): Stop<Place>[] {
    const { paths, steps } = this.flow;
    const stops: Stop<Place>[] = [{ spot: this.#begin(row), changesCore: false, references: 0, latencyCycles: 0 }];
    for (let step = firstStep; step < firstStep + paths.steps[row]; step++) {
      let references = 0;
      for (let at = step * SERVERS.length; at < (step + 1) * SERVERS.length; at++) references += steps.served[at];
      // In a sampled profile, the average is over the samples that say their latency. Without any, the step has no
      // average.
      if (this.profile.sampled?.steps.timed[step] === 0) references = 0;
      stops.push({
        spot: this.#step(steps.site[step]),
        changesCore: steps.changesCore[step] === 1,
        references,
        latencyCycles: steps.latencyCycles[step],
      });
    }
    stops.push({
      spot: this.#end(row),
      changesCore: (paths.flags[row] & FREED_ON_OTHER_CORE) !== 0,
      references: 0,
      latencyCycles: 0,
    });
    return stops;
  }

  #begin(row: number): Spot<Place> {
    const { kind: kinds, variable: variables, site: sites } = this.flow.paths;
    const [kind, variable, site] = [kinds[row], variables[row], sites[row]];
    return this.#spot('allocation', `${kind} ${variable} ${site}`, () => ({
      ...this.#at(site),
      ...(OBJECT_KINDS[kind] !== 'heap' && { variable: spellName(this.profile, variable) }),
    }));
  }

  #step(site: number): Spot<Place> {
    let spot = this.#steps.get(site);
    if (spot === undefined)
      this.#steps.set(
        site,
        (spot = {
          kind: 'step',
          key: `step ${site}`,
          place: site === NO_INDEX ? { ...NOWHERE, cut: true } : { ...NOWHERE, ...this.#at(site) },
        }),
      );
    return spot;
  }

  #end(row: number): Spot<Place> {
    const { end: ends, freeSite } = this.flow.paths;
    const end = PATH_ENDS[ends[row]];
    return end === 'freed'
      ? this.#spot('free', `${freeSite[row]}`, () => ({ ...this.#at(freeSite[row]), end }))
      : this.#spot('end', end, () => ({ end }));
  }

  #spot(kind: NodeKind, name: string, place: () => Partial<Place>): Spot<Place> {
    const key = `${kind} ${name}`;
    let spot = this.#spots.get(key);
    if (spot === undefined) this.#spots.set(key, (spot = { kind, key, place: { ...NOWHERE, ...place() } }));
    return spot;
  }

  #at(site: number): Pick<Place, 'function' | 'file' | 'line'> {
    return { function: spellFunction(this.profile, site), ...placeOf(this.profile, site) };
  }
}

export const dataFlow: ViewDefinition<DataFlow, SampledDataFlow> = {
  build: buildDataFlow,
  needs: 'flow',
  inReport: 'by type',
  sampled: { from: 'histories', rows: sampledDataFlowRows },
  /** Edges, each with the nodes at its ends. */
  csvRows: ({ rows }: { readonly rows: readonly (DataFlowRow | SampledDataFlowRow)[] }) =>
    rows.flatMap(({ type, nodes, edges }) =>
      edges.map(({ from, to, ...edge }) => ({ type, ...edge, from: nodes[from], to: nodes[to] })),
    ),
  table(view, top) {
    const rows: readonly (DataFlowRow | SampledDataFlowRow)[] = view.rows;
    const shown = rows.filter(({ nodes }) => nodes.length > 0).slice(0, top);
    return {
      title:
        `data flow${view.sampled === undefined ? '' : ', SAMPLED'}: where objects of each type go, from ` +
        'allocation to free',
      columns: FLOW_COLUMNS,
      lines: flowLines(shown),
      empty: 'no object lived',
      notes: [`${formatCount(shown.length)} of ${formatCount(view.rows.length)} types, by ${spellOrder(view)}.`],
      remarks: [
        'Of ways that part, each begins with "-".',
        'A number in front names a place that ways meet in: "to 7" goes on there.',
        ...flowNotes(view.flow),
      ],
    };
  },
};
