// Stage: views -> text. Data flow as a list: each type's graph from its allocations on, a branch further in where ways part, and a pointer where they
// meet what stands above.

import type { DataFlow, DataFlowEdge, DataFlowNode, DataFlowRow } from '../views/data-flow.js';
import { flowNotes } from './flow-notes.js';
import { foldRepeats } from './fold-repeats.js';
import { formatCount, formatCycles, formatShare } from './format-number.js';
import { formatAverage } from './path-traces-text.js';
import { briefPlace } from './text-lines.js';
import type { TextSection } from './text-report.js';
import { renderTable, type TextColumn } from './text-table.js';

const columns: readonly TextColumn[] = [
  { heading: 'objects', align: 'right' },
  { heading: 'of type', align: 'right', expendable: 2 },
  { heading: 'where', align: 'left', shortest: 30 },
  { heading: 'at', align: 'left', shortest: 12, expendable: 3 },
  { heading: 'core changes', brief: 'moved', align: 'right' },
  { heading: 'references', brief: 'refs', align: 'right', expendable: 1 },
  { heading: 'cycles', align: 'right' },
];

/** Lines of one type's graph: those that are most walked. */
const MOST_LINES = 40;

/** `top` types. */
export function dataFlowSection(view: DataFlow, top: number, width: number): TextSection {
  const shown = view.rows.filter(({ nodes }) => nodes.length > 0).slice(0, top);
  const lines = shown.flatMap((row, index) => [...(index === 0 ? [] : [[]]), ...graphLines(row)]);
  return {
    title: 'data flow: where objects of each type go, from allocation to free',
    body: shown.length === 0 ? 'no object lived' : renderTable(columns, lines, width),
    notes: [
      ['', `${formatCount(shown.length)} of ${formatCount(view.rows.length)} types, by L1 misses.`],
      ['objects', 'that came this way from the line that leads here: the one above, or of where the ways parted.'],
      [width >= 100 ? 'core changes' : 'moved', 'of them, on another core than before.'],
      [width >= 100 ? 'references' : 'refs', 'of an object there, on average.'],
      ['cycles', 'average latency of a reference there.'],
      ['', 'The number in front names a place that ways meet in: "to 7" goes on there.'],
      ...flowNotes(view.flow),
    ],
  };
}

function graphLines({ type, objects, otherObjects, nodes, edges }: DataFlowRow): string[][] {
  const leaving = nodes.map((): DataFlowEdge[] => []);
  const arriving = new Uint32Array(nodes.length);
  for (const edge of edges) {
    leaving[edge.from].push(edge);
    arriving[edge.to]++;
  }
  for (const own of leaving) own.sort((a, b) => b.objects - a.objects || a.to - b.to);
  const lines: string[][] = [];
  const isShown = new Set<number>();
  let left = 0;
  const tell = (line: () => string[]): void => {
    if (lines.length < MOST_LINES) lines.push(line());
    else left++;
  };
  /** From the node on to where ways part, meet or end. */
  const walk = (first: Visit, depth: number): void => {
    const indent = '  '.repeat(depth);
    if (isShown.has(first.node.id)) return tell(() => [formatCount(first.edge?.objects ?? 0), formatShare(first.edge?.objects ?? 0, objects), `${indent}to ${first.node.id}`, '', spellMoves([first])]);
    const chain = [first];
    isShown.add(first.node.id);
    let next = leaving[first.node.id];
    while (next.length === 1 && arriving[next[0].to] === 1) {
      chain.push({ node: nodes[next[0].to], edge: next[0] });
      isShown.add(next[0].to);
      next = leaving[next[0].to];
    }
    for (const { times, items } of foldRepeats(chain, isSame)) {
      if (times > 1) tell(() => ['', '', `${indent}${formatCount(times)} times:`]);
      for (const visits of items) tell(() => nodeCells(visits, objects, times > 1 ? `${indent}  ` : indent, arriving[visits[0].node.id] > 1));
    }
    for (const edge of next) walk({ node: nodes[edge.to], edge }, next.length > 1 ? depth + 1 : depth);
  };
  nodes.filter(({ id }) => arriving[id] === 0).sort((a, b) => b.objects - a.objects || a.id - b.id).forEach((node) => walk({ node, edge: null }, 1));
  const head = ['', '', `${type}: ${formatCount(objects)} ${objects === 1 ? 'object' : 'objects'}${otherObjects === 0 ? '' : ` and ${formatCount(otherObjects)} on other ways`}`];
  return [head, ...lines, ...(left === 0 ? [] : [['', '', `  … ${formatCount(left)} more lines: --format json`]])];
}

/** A node, and how one came there. */
interface Visit {
  readonly node: DataFlowNode;
  readonly edge: DataFlowEdge | null;
}

function isSame(a: Visit, b: Visit): boolean {
  const isMoved = ({ edge }: Visit): boolean => edge !== null && edge.coreChanges > 0;
  return a.node.kind === 'step' && b.node.kind === 'step' && a.node.function === b.node.function && a.node.file === b.node.file && a.node.line === b.node.line && isMoved(a) === isMoved(b);
}

/** Visits of one place, by the same objects. */
function nodeCells(visits: readonly Visit[], all: number, indent: string, isMeeting: boolean): string[] {
  const [{ node, edge }] = visits;
  const objects = edge?.objects ?? node.objects;
  const references = visits.reduce((sum, visit) => sum + visit.node.references, 0);
  const cycles = visits.reduce((sum, visit) => sum + (visit.node.averageLatencyCycles ?? 0) * visit.node.references, 0);
  return [
    formatCount(objects), formatShare(objects, all), `${indent}${isMeeting ? `${node.id}: ` : ''}${spell(node)}`,
    briefPlace(node.file, node.line), spellMoves(visits),
    references === 0 ? '' : formatAverage(references / node.objects), references === 0 ? '' : formatCycles(cycles / references),
  ];
}

function spellMoves(visits: readonly Visit[]): string {
  const [moves, objects] = [visits.reduce((sum, { edge }) => sum + (edge?.coreChanges ?? 0), 0), visits.reduce((sum, { edge }) => sum + (edge?.objects ?? 0), 0)];
  return moves === 0 ? '' : moves === objects ? `all ${formatCount(moves)}` : formatCount(moves);
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
