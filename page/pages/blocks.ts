// Stage: HTML page. Blocks of the program's machine code: where its time goes, computing or waiting for misses; of one
// block its bytes, and the command that runs it alone.

import { BOUNDS, blockColumns, describeCoverage, describeTime } from '../../src/report/block-words.js';
import { plural } from '../../src/base/format-number.js';
import type { AnnotatedSource } from '../../src/views/annotated-source.js';
import type { BlockPart, BlockRow, Blocks } from '../../src/views/blocks.js';
import { commandElement } from '../advice/command.js';
import { blockPlot } from '../block-plot.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import type { Report } from '../report.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import { spellAverage } from '../words.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'blocks';
const SOURCE = 'annotated-source';

export const blocks: PageDefinition = {
  id: VIEW,
  title: 'Machine code',
  group: 'Code',
  needs: [VIEW],
  async render({ report, words }) {
    const view = await report.view<Blocks>(VIEW);
    const lead = element('p', { class: 'lead' }, `Where the time goes: ${describeTime(view)}.`);
    const counted = element('p', { class: 'count' }, `Counted: ${describeCoverage(view)}.`);
    if (view.rows.length === 0) return [lead, counted, element('p', {}, 'No block of the program ran.')];
    const chosen = view.rows.find((row) => keyOf(row) === words.get('block'));
    return [
      lead,
      blockPlot(view, linkOf),
      ...(chosen === undefined ? [] : blockDetail(chosen)),
      blockTable(view, chosen, await sourcesOf(report)),
      counted,
    ];
  },
};

/** Files may have blocks at the same address. */
function keyOf({ module, address }: BlockRow): string {
  return `${module} ${address}`;
}

function linkOf(row: BlockRow): string {
  return linkTo(VIEW, { block: keyOf(row) });
}

function blockTable(view: Blocks, chosen: BlockRow | undefined, sources: readonly string[]): HTMLElement {
  const columns = toPageColumns(
    blockColumns(view),
    { function: linkOf },
    {
      site: ({ site }) => siteCell(site, sources),
    },
  );
  return buildTable(columns, view.rows, {
    caption: 'Blocks and innermost loops of machine code by estimated cycles',
    rows: 'blocks',
    search: ({ function: own, site, type, bound }) => [own, site, type, bound].join(' '),
    sortedBy: 'cycles/all',
    rowClass: (row) => (row === chosen ? 'asked' : null),
  });
}

/** Files of the pages of source. */
async function sourcesOf(report: Report): Promise<readonly string[]> {
  return report.has(SOURCE) ? (await report.envelope<AnnotatedSource>(SOURCE)).files.map(({ file }) => file) : [];
}

/** "list.c:12", which leads to its line if one file alone is called so. */
function siteCell(site: string, sources: readonly string[]): Node {
  const [, name, line] = /^(.*):(\d+)$/.exec(site) ?? [];
  const files = sources.filter((file) => file === name || file.endsWith(`/${name}`));
  return files.length === 1
    ? element('a', { href: linkTo('source', { file: files[0], line }) }, nameElement(site))
    : nameElement(site);
}

/** Of a loop, each of its blocks. */
function blockDetail(row: BlockRow): HTMLElement[] {
  const { function: own, site, module, bound, parts } = row;
  const what = parts.length > 0 ? `The loop of ${parts.length} blocks` : row.isLoop ? 'The loop' : 'The block';
  return [
    element('h2', {}, `${what} at `, nameElement(site), ' in ', nameElement(own)),
    element('p', {}, `${bound}: ${BOUNDS[bound]}. In `, nameElement(module), '.'),
    ...(parts.length > 0 ? parts : [row]).flatMap(partDetail),
  ];
}

function partDetail(part: BlockPart): HTMLElement[] {
  const { site, address, executions, computeCycles, waitCycles, code, assembly, stretches } = part;
  const cycles = `${spellAverage(computeCycles)} cycles computing and ${spellAverage(waitCycles)} waiting`;
  return [
    element('p', {}, nameElement(site), ` (${address}), ${plural(executions, 'time')}: ${cycles}.`),
    element('pre', {}, element('code', {}, assembly.length > 0 ? assembly.map(spellName).join('\n') : code)),
    ...(stretches.length > 0 ? [commandElement(`dprof block --hex ${stretches.join(' ')}`)] : []),
  ];
}
