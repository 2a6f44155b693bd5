// Stage: views -> text. Data flow as a list: each type's graph from its allocations on, a branch further in where ways
// part, and a pointer where they meet what stands above.

import type { Interval } from '../base/intervals.js';
import type { DataFlow, DataFlowEdge, DataFlowNode, DataFlowRow } from '../views/data-flow.js';
import { flowNotes } from './flow-notes.js';
import { foldRepeats } from './fold-repeats.js';
import { formatEstimate } from './format-estimate.js';
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

/** Lines of one type's graph, if it stands alone, and beside others. */
const [MOST_LINES, FEW_LINES] = [200, 30];
const MOST_DEPTH = 2 ** 20;
/** Where one of several ways begins. */
const WAY = '- ';

/** `top` types. */
export function dataFlowSection(view: DataFlow, top: number, width: number): TextSection {
  const shown = view.rows.filter(({ nodes }) => nodes.length > 0).slice(0, top);
  const lines = shown.flatMap((row, index) => [
    ...(index === 0 ? [] : [[]]),
    ...graphLines(row, shown.length === 1 ? MOST_LINES : FEW_LINES),
  ]);
  return {
    title: `data flow${view.sampled === undefined ? '' : ', SAMPLED'}: where objects of each type go, from allocation to free`,
    body: shown.length === 0 ? 'no object lived' : renderTable(columns, lines, width),
    notes: [
      ['', `${formatCount(shown.length)} of ${formatCount(view.rows.length)} types, by L1 misses.`],
      ['objects', 'that came this way: from the line above, or from where the ways parted.'],
      [width >= 100 ? 'core changes' : 'moved', 'of them, on another core than before.'],
      [width >= 100 ? 'references' : 'refs', 'of an object there, on average.'],
      ['cycles', 'average latency of a reference there.'],
      ['', 'Of ways that part, each begins with "-".'],
      ['', 'A number in front names a place that ways meet in: "to 7" goes on there.'],
      ...flowNotes(view.flow),
    ],
  };
}

function graphLines({ type, objects, otherObjects, nodes, edges }: DataFlowRow, mostLines: number): string[][] {
  const leaving = nodes.map((): DataFlowEdge[] => []);
  const arriving = new Uint32Array(nodes.length);
  for (const edge of edges) {
    leaving[edge.from].push(edge);
    arriving[edge.to]++;
  }
  for (const own of leaving) own.sort((a, b) => b.objects - a.objects || a.to - b.to);
  const lines: string[][] = [];
  let left = 0;
  const tell = (line: () => string[]): void => {
    if (lines.length < mostLines) lines.push(line());
    else left++;
  };
  /** Places where ways meet: ways that came there so far, and how far in the outermost stands. */
  const came = new Uint32Array(nodes.length);
  const depths = new Uint32Array(nodes.length).fill(MOST_DEPTH);
  const ready: number[] = [];
  const follow = (edge: DataFlowEdge, depth: number, mark: string): void => {
    if (arriving[edge.to] === 1) return walk({ node: nodes[edge.to], edge }, depth, mark);
    tell(() => [
      spellObjects(edge),
      formatShare(edge.objects, objects),
      `${indentOf(depth, mark)}to ${edge.to}`,
      '',
      spellMoves([{ node: nodes[edge.to], edge }]),
    ]);
    depths[edge.to] = Math.min(depths[edge.to], depth);
    if (++came[edge.to] === arriving[edge.to]) ready.push(edge.to);
  };
  /** From the node on to where ways part, meet or end; then on from where all ways have met that parted here. */
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
        tell(() => nodeCells(visits, objects, indent, arriving[visits[0].node.id] > 1));
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
    `${type}: ${formatCount(objects)} ${objects === 1 ? 'object' : 'objects'}${otherObjects === 0 ? '' : ` and ${formatCount(otherObjects)} on other ways`}`,
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
function nodeCells(visits: readonly Visit[], all: number, indent: string, isMeeting: boolean): string[] {
  const [{ node, edge }] = visits;
  const objects = edge?.objects ?? node.objects;
  const about = 'intervals' in node ? '~' : '';
  const references = visits.reduce((sum, visit) => sum + visit.node.references, 0);
  const cycles = visits.reduce((sum, visit) => sum + (visit.node.averageLatencyCycles ?? 0) * visit.node.references, 0);
  return [
    spellObjects(edge ?? node),
    formatShare(objects, all),
    `${indent}${isMeeting ? `${node.id}: ` : ''}${spell(node)}`,
    briefPlace(node.file, node.line),
    spellMoves(visits),
    references === 0 ? '' : about + formatAverage(references / node.objects),
    references === 0 ? '' : about + formatCycles(cycles / references),
  ];
}

/** Of samples with its interval. */
function spellObjects({
  objects,
  intervals,
}: {
  readonly objects: number;
  readonly intervals?: { readonly objects: Interval | null };
}): string {
  return intervals === undefined ? formatCount(objects) : formatEstimate(objects, intervals.objects);
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
