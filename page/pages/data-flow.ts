// Stage: HTML page. Data flow: of one type the graph of all its objects' paths, from allocation to end.

import type { DataFlowNode, DataFlowRow, SampledDataFlowRow } from '../../src/views/data-flow-rows.js';
import type { DataFlow, SampledDataFlow } from '../../src/views/data-flow.js';
import { edgeColumns, nodeColumns } from '../../src/views/data-flow-lines.js';
import { formatCount } from '../../src/base/format-number.js';
import { button, element } from '../elements.js';
import { flowNotes } from '../flow-notes.js';
import { drawFlow, mainFlow, nodeLabel } from '../flow-graph.js';
import { linkTo, linkToSite } from '../links.js';
import { spellName } from '../names.js';
import { buildTable } from '../table.js';
import { askedType, typeChoice } from '../type-choice.js';
import { toPageColumns } from '../view-columns.js';
import type { PageDefinition } from './page-definition.js';

type AnyRow = DataFlowRow | SampledDataFlowRow;

const VIEW = 'data-flow';
/** More boxes than these are unreadable, and would take long to lay out. */
const MOST_NODES = 80;
const ZOOM = 1.25;

export const dataFlow: PageDefinition = {
  id: 'data-flow',
  title: 'Data flow',
  group: 'Flow',
  needs: [VIEW],
  async render({ report, words, go, pages }) {
    const types = report.typesOf(VIEW);
    if (types.length === 0) return [element('p', {}, 'No object of this run was referenced.')];
    const type = askedType(words, types);
    const [{ flow }, [row]] = await Promise.all([
      report.envelope<DataFlow | SampledDataFlow>(VIEW),
      report.rowsOf<AnyRow>(VIEW, type),
    ]);
    const shown = mainFlow(row, MOST_NODES);
    const label =
      `Data flow of ${spellName(type)}: ${formatCount(shown.nodes.length)} functions and ` +
      `${formatCount(shown.edges.length)} ways between them. The tables below list all.`;
    const graph = drawFlow(shown, {
      label,
      linkTo: ({ file, line }) => (file === null ? null : linkToSite(`${file}:${line}`)),
    });
    const less =
      shown.nodes.length < row.nodes.length
        ? ` The picture has the ${shown.nodes.length} of ${formatCount(row.nodes.length)} functions that most ` +
          'objects came through; the tables have all.'
        : '';
    return [
      element(
        'p',
        { class: 'lead' },
        'From the allocation of its objects to their end. Darker boxes: references take longer. Thicker lines: ' +
          `more objects. Bold lines in colour: objects change core. A box leads to its line in the source.${less}`,
      ),
      ...flowNotes(flow),
      element(
        'div',
        { class: 'controls' },
        typeChoice(types, type, (asked) => go({ type: asked })),
        zoomControls(graph),
        ...(pages.includes('path-traces')
          ? [element('a', { href: linkTo('path-traces', { type }) }, 'its paths, one by one →')]
          : []),
      ),
      element(
        'figure',
        { class: 'graph' },
        element(
          'div',
          { class: 'graph-scroller', tabindex: 0, role: 'region', 'aria-label': `Graph of ${spellName(type)}` },
          graph,
        ),
      ),
      element('h2', {}, 'Functions'),
      nodeTable(row, type),
      element('h2', {}, 'Ways'),
      edgeTable(row, type),
    ];
  },
};

function zoomControls(graph: SVGSVGElement): HTMLElement {
  const [width, height] = ['width', 'height'].map((side) => Number(graph.getAttribute(side)));
  let scale = 1;
  const zoom = (to: number): void => {
    scale = to;
    graph.setAttribute('width', String(Math.round(width * scale)));
    graph.setAttribute('height', String(Math.round(height * scale)));
  };
  return element(
    'div',
    { class: 'control' },
    button('−', () => zoom(scale / ZOOM), { 'aria-label': 'smaller' }),
    button('+', () => zoom(scale * ZOOM), { 'aria-label': 'larger' }),
    button('fit', () => zoom(Math.min(1, graph.parentElement!.clientWidth / width)), { title: 'as wide as the page' }),
  );
}

function nodeTable({ nodes }: AnyRow, type: string): HTMLElement {
  return buildTable(toPageColumns(nodeColumns()), nodes, {
    caption: `Functions that objects of ${spellName(type)} came through`,
    rows: 'functions',
    search: nodeLabel,
    height: 12,
  });
}

function edgeTable({ nodes, edges }: AnyRow, type: string): HTMLElement {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const end = (id: DataFlowNode['id']): string => nodeLabel(byId.get(id)!);
  return buildTable(toPageColumns(edgeColumns(end)), edges, {
    caption: `Ways that objects of ${spellName(type)} took`,
    rows: 'ways',
    search: ({ from, to }) => `${end(from)} ${end(to)}`,
    height: 12,
  });
}
