// Stage: HTML page. A type's data flow as a graph: dagre lays it out, boxes are darker where references take longer,
// edges thicker where more objects went, and bold in another colour where objects changed core.

import { graphlib, layout } from '@dagrejs/dagre';
import { curveBasis, line } from 'd3';
import { formatCount, formatCycles, plural } from '../src/base/format-number.js';
import { spellValue } from '../src/report/spell-value.js';
import { countObjects } from '../src/views/data-flow-lines.js';
import { about, spellAt } from './sampled.js';
import { svgElement } from './elements.js';
import { briefName, spellName } from './names.js';
import type { DataFlowEdge, DataFlowNode } from '../src/views/data-flow-rows.js';

const LABEL_CHARACTERS = 30;
const CHARACTER_PIXELS = 7.3;
const BOX_HEIGHT = 40;
const MARGIN = 16;
/** The distance between an edge and the number beside it. */
const LABEL_GAP = 8;

export interface Flow {
  readonly nodes: readonly DataFlowNode[];
  readonly edges: readonly DataFlowEdge[];
}

/** The main part of a large graph: the nodes of the edges that most objects took. */
export function mainFlow({ nodes, edges }: Flow, mostNodes: number): Flow {
  if (nodes.length <= mostNodes) return { nodes, edges };
  const kept = new Set<DataFlowNode['id']>();
  for (const { from, to } of [...edges].sort((a, b) => b.objects - a.objects)) {
    if (kept.size + Number(!kept.has(from)) + Number(!kept.has(to)) > mostNodes) continue;
    kept.add(from).add(to);
  }
  return {
    nodes: nodes.filter(({ id }) => kept.has(id)),
    edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  };
}

const KIND_WORDS = { allocation: 'allocated', free: 'freed', end: 'ended', step: '' } as const;
const END_WORDS = { alive: 'alive at the end', freed: 'freed', ended: 'ended' } as const;

export function nodeLabel({ kind, function: name, variable, end, cut }: DataFlowNode): string {
  if (kind === 'step') return cut ? '(further steps)' : (name ?? '(unknown)');
  if (kind === 'allocation' && variable !== null) return `variable ${variable}`;
  const words = kind === 'end' && end !== null ? END_WORDS[end] : KIND_WORDS[kind];
  return name === null ? words : `${words} by ${name}`;
}

export interface GraphWords {
  readonly label: string;
  readonly linkTo: (node: DataFlowNode) => string | null;
}

export function drawFlow({ nodes, edges }: Flow, { label, linkTo }: GraphWords): SVGSVGElement {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 44, marginx: MARGIN, marginy: MARGIN });
  for (const node of nodes)
    graph.setNode(String(node.id), {
      width: Math.max(90, briefName(nodeLabel(node), LABEL_CHARACTERS).length * CHARACTER_PIXELS + 24),
      height: BOX_HEIGHT,
    });
  edges.forEach((edge, index) =>
    graph.setEdge(
      String(edge.from),
      String(edge.to),
      { width: formatCount(edge.objects).length * 7 + 2 * LABEL_GAP, height: 12, labelpos: 'c' },
      String(index),
    ),
  );
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const slowest = Math.max(1, ...nodes.map(({ averageLatencyCycles }) => averageLatencyCycles ?? 0));
  const most = Math.max(1, ...edges.map(({ objects }) => objects));
  const svg = svgElement('svg', {
    viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
    class: 'flow',
    role: 'group',
    'aria-label': label,
  });
  svg.append(svgElement('defs', {}, arrow('arrow', 'plain-arrow'), arrow('arrow-core', 'core-arrow')));
  edges.forEach((edge, index) =>
    svg.append(drawEdge(edge, graph.edge(String(edge.from), String(edge.to), String(index)) as LaidOutEdge, most)),
  );
  for (const node of nodes)
    svg.append(drawNode(node, graph.node(String(node.id)) as LaidOutNode, slowest, linkTo(node)));
  return svg;
}

interface LaidOutNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface LaidOutEdge {
  readonly x: number;
  readonly y: number;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

function arrow(id: string, kind: string): SVGElement {
  return svgElement(
    'marker',
    {
      id,
      viewBox: '0 0 10 10',
      refX: 9,
      refY: 5,
      markerWidth: 9,
      markerHeight: 9,
      markerUnits: 'userSpaceOnUse',
      orient: 'auto',
    },
    svgElement('path', { d: 'M0 1 L10 5 L0 9 z', class: kind }),
  );
}

const curve = line<{ x: number; y: number }>(
  (point) => point.x,
  (point) => point.y,
).curve(curveBasis);

/** "2 objects"; of samples "~200 -69+41% objects". */
function spellObjects(part: DataFlowEdge | DataFlowNode): string {
  return plural(part.objects, 'object', () => spellValue({ unit: 'count' }, countObjects(part)));
}

function drawEdge(edge: DataFlowEdge, { x, y, points }: LaidOutEdge, most: number): SVGElement {
  const { objects, coreChanges, averageLatencyCycles } = edge;
  const thickness = 1 + 5 * (Math.log1p(objects) / Math.log1p(most)) ** 2;
  const changes = coreChanges > 0;
  const words =
    `${spellObjects(edge)}${changes ? `, ${spellAt(edge, 'coreChanges')} of them to another core` : ''}` +
    `${averageLatencyCycles == null ? '' : `, ${spellAt(edge, 'averageLatencyCycles', 'cycles')} cycles a reference`}`;
  return svgElement(
    'g',
    { class: changes ? 'edge core' : 'edge' },
    svgElement('title', {}, words),
    svgElement('path', {
      d: curve([...points]),
      'stroke-width': changes ? thickness + 1 : thickness,
      'marker-end': `url(#${changes ? 'arrow-core' : 'arrow'})`,
    }),
    svgElement('text', { x: x + LABEL_GAP, y: y + 4 }, about(edge) + formatCount(objects)),
  );
}

function drawNode(
  node: DataFlowNode,
  { x, y, width, height }: LaidOutNode,
  slowest: number,
  target: string | null,
): SVGElement {
  const heat = (node.averageLatencyCycles ?? 0) / slowest;
  const label = nodeLabel(node);
  const words =
    `${spellName(label)}: ${spellObjects(node)}, ` +
    `${plural(node.references, 'reference', () => spellAt(node, 'references'))}, ` +
    `${spellAt(node, 'averageLatencyCycles', 'cycles')} cycles on average`;
  const box = [
    svgElement('title', {}, words),
    svgElement('rect', {
      x: x - width / 2,
      y: y - height / 2,
      width,
      height,
      rx: node.kind === 'step' ? 3 : 18,
      style: { '--heat-share': `${Math.round(70 * heat)}%` },
    }),
    svgElement('text', { x, y: y - 3, 'text-anchor': 'middle', class: 'label' }, briefName(label, LABEL_CHARACTERS)),
    svgElement(
      'text',
      { x, y: y + 13, 'text-anchor': 'middle', class: 'more' },
      about(node) +
        (node.averageLatencyCycles === null
          ? plural(node.objects, 'object')
          : `${formatCycles(node.averageLatencyCycles)} cycles`),
    ),
  ];
  return target === null
    ? svgElement('g', { class: 'node' }, ...box)
    : svgElement('a', { class: 'node', href: target }, ...box);
}
