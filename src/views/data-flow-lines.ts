// Stage: profile -> views. Data flow as a list: each type's graph from its allocations on, a branch further in where
// ways part, and a pointer where they meet what stands above.

import type { DataFlowEdge, DataFlowNode, DataFlowRow } from './data-flow-rows.js';
import { estimateOf, type Quantity } from '../base/estimate.js';
import type { Interval } from '../base/intervals.js';
import { formatAverage, formatCount, formatCycles } from '../base/format-number.js';
import { column, count, measure, name, place, type Column, type Share } from './columns.js';
import { foldRepeats } from './fold-repeats.js';
import { briefPlace } from './sites.js';

/** Lines of one type's graph, if it stands alone, and beside others. */
const [MOST_LINES, FEW_LINES] = [200, 30];
const MOST_DEPTH = 2 ** 20;
/** Marks the begin of one of several ways. */
const WAY = '- ';

/** Objects that came one way to one place. */
export interface FlowLine {
  readonly objects: Quantity;
  readonly ofType: Share;
  readonly where: string;
  readonly at: string;
  readonly moves: string;
  readonly references: string;
  readonly cycles: string;
}

type Lines = (FlowLine | readonly string[])[];

export const FLOW_COLUMNS: readonly Column<FlowLine>[] = [
  column('count', 'objects', 'objects', ({ objects }: FlowLine) => objects, {
    meaning: 'that came this way: from the line above, or from where the ways parted.',
  }),
  column('share', 'ofType', 'of type', ({ ofType }: FlowLine) => ofType, { expendable: 3 }),
  column('name', 'where', 'where', ({ where }: FlowLine) => where, { shortest: 30 }),
  column('name', 'at', 'at', ({ at }: FlowLine) => at, { shortest: 10, expendable: 2 }),
  column('words', 'moves', 'core changes', ({ moves }: FlowLine) => moves, {
    brief: 'moved',
    meaning: 'of them, on another core than before.',
    align: 'right',
  }),
  column('words', 'references', 'references', ({ references }: FlowLine) => references, {
    brief: 'refs',
    meaning: 'of an object there, on average.',
    align: 'right',
    expendable: 1,
  }),
  column('words', 'cycles', 'cycles', ({ cycles }: FlowLine) => cycles, {
    meaning: 'average latency of a reference there.',
    align: 'right',
  }),
];

/** Columns of the page, which has a table of the graph's nodes and one of its edges. */
export function nodeColumns(): Column<DataFlowNode>[] {
  return [
    column('words', 'kind', 'what', ({ kind }: DataFlowNode) => kind, { width: 10 }),
    name('function', 'function', { width: 36 }),
    column('count', 'objects', 'objects', countObjects),
    count('references', 'references'),
    measure('cycles', 'cycles', 'averageLatencyCycles', { meaning: 'average latency of a reference' }),
    place('at', { width: 26 }),
  ];
}

export function edgeColumns(spellNode: (id: DataFlowNode['id']) => string): Column<DataFlowEdge>[] {
  return [
    column('name', 'from', 'from', ({ from }: DataFlowEdge) => spellNode(from), { width: 36 }),
    column('name', 'to', 'to', ({ to }: DataFlowEdge) => spellNode(to), { width: 36 }),
    column('count', 'objects', 'objects', countObjects),
    count('core changes', 'coreChanges'),
    measure('cycles', 'cycles', 'averageLatencyCycles', { meaning: 'average latency of a reference behind it' }),
  ];
}

export function flowLines(shown: readonly DataFlowRow[]): Lines {
  return shown.flatMap((row, index) => [
    ...(index === 0 ? [] : [[]]),
    ...graphLines(row, shown.length === 1 ? MOST_LINES : FEW_LINES),
  ]);
}

function graphLines({ type, objects, otherObjects, nodes, edges }: DataFlowRow, mostLines: number): Lines {
  const leaving = nodes.map((): DataFlowEdge[] => []);
  const arriving = new Uint32Array(nodes.length);
  for (const edge of edges) {
    leaving[edge.from].push(edge);
    arriving[edge.to]++;
  }
  for (const own of leaving) own.sort((a, b) => b.objects - a.objects || a.to - b.to);
  const lines: Lines = [];
  let left = 0;
  const tell = (line: () => Lines[number]): void => {
    if (lines.length < mostLines) lines.push(line());
    else left++;
  };
  /** Places where ways meet: ways that came there so far, and how far in the outermost stands. */
  const came = new Uint32Array(nodes.length);
  const depths = new Uint32Array(nodes.length).fill(MOST_DEPTH);
  const ready: number[] = [];
  const follow = (edge: DataFlowEdge, depth: number, mark: string): void => {
    if (arriving[edge.to] === 1) return walk({ node: nodes[edge.to], edge }, depth, mark);
    tell(() => ({
      objects: countObjects(edge),
      ofType: { part: edge.objects, whole: objects },
      where: `${indentOf(depth, mark)}to ${edge.to}`,
      at: '',
      moves: spellMoves([{ node: nodes[edge.to], edge }]),
      references: '',
      cycles: '',
    }));
    depths[edge.to] = Math.min(depths[edge.to], depth);
    if (++came[edge.to] === arriving[edge.to]) ready.push(edge.to);
  };
  /**
   * Walks from the node to the place where ways part, meet or end, and then on from the place where all ways that
   * parted here have met.
   */
  const walk = (first: Visit, depth: number, mark = ''): void => {
    let indent = indentOf(depth, mark);
    const chain = [first];
    let next = leaving[first.node.id];
    for (; next.length === 1 && arriving[next[0].to] === 1; next = leaving[next[0].to])
      chain.push({ node: nodes[next[0].to], edge: next[0] });
    for (const { times, items } of foldRepeats(chain, isSame)) {
      if (times > 1) {
        tell(() => ['', '', `${indent}${formatCount(times)} times:`]);
        indent = indentOf(depth + 1);
      }
      for (const visits of items) {
        tell(() => nodeLine(visits, objects, indent, arriving[visits[0].node.id] > 1));
        if (times === 1) indent = indentOf(depth);
      }
      indent = indentOf(depth);
    }
    for (const edge of next) follow(edge, next.length > 1 ? depth + 1 : depth, next.length > 1 ? WAY : '');
    if (next.length > 1) goOn(depth);
  };
  const goOn = (depth: number): void => {
    for (let at = 0; at < ready.length; ) {
      if (depths[ready[at]] <= depth) at++;
      else {
        walk({ node: nodes[ready.splice(at, 1)[0]], edge: null }, depth);
        at = 0;
      }
    }
  };
  nodes
    .filter(({ id }) => arriving[id] === 0)
    .sort((a, b) => b.objects - a.objects || a.id - b.id)
    .forEach((node) => walk({ node, edge: null }, 1));
  depths.fill(MOST_DEPTH);
  goOn(1);
  const head = [
    '',
    '',
    `${type}: ${formatCount(objects)} ${objects === 1 ? 'object' : 'objects'}` +
      `${otherObjects === 0 ? '' : ` and ${formatCount(otherObjects)} on other ways`}`,
  ];
  return [head, ...lines, ...(left === 0 ? [] : [['', '', `  … ${formatCount(left)} more lines: --format json`]])];
}

function indentOf(depth: number, mark = ''): string {
  return '  '.repeat(depth).slice(mark.length) + mark;
}

/** A node, and how one came there. */
interface Visit {
  readonly node: DataFlowNode;
  readonly edge: DataFlowEdge | null;
}

function isSame(a: Visit, b: Visit): boolean {
  const isMoved = ({ edge }: Visit): boolean => edge !== null && edge.coreChanges > 0;
  return (
    a.node.kind === 'step' &&
    b.node.kind === 'step' &&
    a.node.function === b.node.function &&
    a.node.file === b.node.file &&
    a.node.line === b.node.line &&
    isMoved(a) === isMoved(b)
  );
}

/** Visits of one place, by the same objects. */
function nodeLine(visits: readonly Visit[], all: number, indent: string, isMeeting: boolean): FlowLine {
  const [{ node, edge }] = visits;
  const about = 'intervals' in node ? '~' : '';
  const references = visits.reduce((sum, visit) => sum + visit.node.references, 0);
  const cycles = visits.reduce((sum, visit) => sum + (visit.node.averageLatencyCycles ?? 0) * visit.node.references, 0);
  return {
    objects: countObjects(edge ?? node),
    ofType: { part: edge?.objects ?? node.objects, whole: all },
    where: `${indent}${isMeeting ? `${node.id}: ` : ''}${spell(node)}`,
    at: briefPlace(node.file, node.line),
    moves: spellMoves(visits),
    references: references === 0 ? '' : about + formatAverage(references / node.objects),
    cycles: references === 0 ? '' : about + formatCycles(cycles / references),
  };
}

/** An estimate with its interval, where histories say it. */
export function countObjects({
  objects,
  intervals,
}: {
  readonly objects: number;
  readonly intervals?: { readonly objects: Interval | null };
}): Quantity {
  return intervals === undefined ? objects : estimateOf(objects, intervals.objects);
}

function spellMoves(visits: readonly Visit[]): string {
  const [moves, objects] = [
    visits.reduce((sum, { edge }) => sum + (edge?.coreChanges ?? 0), 0),
    visits.reduce((sum, { edge }) => sum + (edge?.objects ?? 0), 0),
  ];
  const about = visits.some(({ node }) => 'intervals' in node) ? '~' : '';
  return moves === 0 ? '' : moves === objects ? `all ${about}${formatCount(moves)}` : about + formatCount(moves);
}

function spell({ kind, function: name, variable, end, cut }: DataFlowNode): string {
  switch (kind) {
    case 'allocation':
      return variable !== null ? `variable ${variable}` : name === null ? 'allocated' : `allocated in ${name}`;
    case 'free':
      return name === null ? 'freed' : `freed in ${name}`;
    case 'end':
      return end === 'alive' ? 'alive at the end' : 'ended';
    default:
      return cut ? '(further steps)' : (name ?? '(unknown)');
  }
}
