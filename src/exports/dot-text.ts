// Stage: exports. Graphviz DOT: a graph of boxes and arrows to its text, names quoted.

import { spellVisibly } from '../report/visible-text.js';

export interface DotNode {
  readonly id: string;
  /** Lines of its label. */
  readonly label: readonly string[];
  readonly tooltip?: string;
  /** 0: white, 1: the darkest. */
  readonly shade: number;
  readonly shape?: 'box' | 'ellipse';
}

export interface DotEdge {
  readonly from: string;
  readonly to: string;
  readonly label: readonly string[];
  /** 0 to 1 of the thickest. */
  readonly weight: number;
  readonly isBold?: boolean;
  readonly colour?: string;
}

export interface DotGraph {
  readonly title: string;
  readonly nodes: readonly DotNode[];
  readonly edges: readonly DotEdge[];
}

const THICKEST = 6;

/** Several graphs are clusters of one. */
export function* writeDot(graphs: readonly DotGraph[]): Generator<string> {
  yield 'digraph dprof {\n  rankdir=TB;\n  node [shape=box, style=filled, fontname="sans-serif"];\n  edge ' +
    '[fontname="sans-serif", fontsize=10];\n';
  for (const [index, { title, nodes, edges }] of graphs.entries()) {
    const id = (own: string): string => quote([`${index}/${own}`]);
    yield `  subgraph cluster_${index} {\n    label=${quote([title])};\n`;
    for (const { id: own, label, tooltip, shade, shape = 'box' } of nodes) {
      const fill = Math.round(255 - 175 * Math.min(1, Math.max(0, shade)));
      const hex = fill.toString(16).padStart(2, '0');
      yield `    ${id(own)} [shape=${shape}, label=${quote(label)}, fillcolor="#ff${hex}${hex}"` +
        `${tooltip === undefined ? '' : `, tooltip=${quote([tooltip])}`}];\n`;
    }
    for (const { from, to, label, weight, isBold = false, colour } of edges) {
      const style = isBold ? ', style=bold' : '';
      yield `    ${id(from)} -> ${id(to)} [label=${quote(label)}, penwidth=` +
        `${(1 + (THICKEST - 1) * weight).toFixed(2)}${style}${colour === undefined ? '' : `, color="${colour}"`}` +
        `];\n`;
    }
    yield '  }\n';
  }
  yield '}\n';
}

/**
 * A name's own backslashes and quotes are escaped; lines are ours. Graphviz reads &lt; as HTML does, so an ampersand is
 * spelled too.
 */
function quote(lines: readonly string[]): string {
  return (
    '"' +
    lines
      .map((line) => spellVisibly(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;'))
      .join('\\n') +
    '"'
  );
}
