// Stage: views -> text. Data flow as a list: each type's graph from its allocations on, a branch further in where ways part, and a pointer where they
// meet what stands above.

import type { DataFlow, DataFlowEdge, DataFlowNode, DataFlowRow } from '../views/data-flow.js';
import { flowNotes } from './flow-notes.js';
import { formatCount, formatCycles, formatShare } from './format-number.js';
import { formatAverage } from './path-traces-text.js';
import { briefSite } from './text-lines.js';
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
      ['cycles', 'average latency of a reference.'],
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
  const walk = (node: DataFlowNode, edge: DataFlowEdge | null, depth: number): void => {
    const isAgain = isShown.has(node.id);
    if (lines.length >= MOST_LINES) {
      left += isAgain ? 0 : 1;
      if (!isAgain) isShown.add(node.id);
    } else lines.push(nodeCells(node, edge, objects, '  '.repeat(depth), isAgain, arriving[node.id] > 1));
    if (isAgain) return;
    isShown.add(node.id);
    const next = leaving[node.id];
    for (const way of next) walk(nodes[way.to], way, next.length > 1 ? depth + 1 : depth);
  };
  nodes.filter(({ id }) => arriving[id] === 0).sort((a, b) => b.objects - a.objects || a.id - b.id).forEach((node) => walk(node, null, 1));
  const head = ['', '', `${type}: ${formatCount(objects)} objects${otherObjects === 0 ? '' : ` and ${formatCount(otherObjects)} on other ways`}`];
  return [head, ...lines, ...(left === 0 ? [] : [['', '', `  … ${formatCount(left)} more places: --format json`]])];
}

function nodeCells(node: DataFlowNode, edge: DataFlowEdge | null, all: number, indent: string, isAgain: boolean, isMeeting: boolean): string[] {
  const objects = edge?.objects ?? node.objects;
  const moved = edge === null || edge.coreChanges === 0 ? '' : edge.coreChanges === edge.objects ? `all ${formatCount(edge.coreChanges)}` : formatCount(edge.coreChanges);
  const name = isAgain ? `to ${node.id}` : `${isMeeting ? `${node.id}: ` : ''}${spell(node)}`;
  return [
    formatCount(objects), formatShare(objects, all), indent + name, isAgain || node.file === null ? '' : `${briefSite(node.file)}:${node.line}`, moved,
    isAgain || node.references === 0 ? '' : formatAverage(node.references / node.objects),
    edge?.averageLatencyCycles == null ? '' : formatCycles(edge.averageLatencyCycles),
  ];
}

function spell({ kind, function: name, variable, end, cut }: DataFlowNode): string {
  switch (kind) {
    case 'allocation':
      return variable !== null ? `variable ${variable}` : `allocated in ${name ?? '(unknown)'}`;
    case 'free':
      return `freed in ${name ?? '(unknown)'}`;
    case 'end':
      return end === 'alive' ? 'alive at the end' : 'ended';
    default:
      return cut ? '(further steps)' : (name ?? '(unknown)');
  }
}
