// Stage: HTML page. The types that take lines from others, by eviction or by invalidation, and the sets in which they
// do.

import * as Plot from '@observablehq/plot';
import type { LevelName } from '../../src/contract/machine.js';
import { takerColumns, type TakerRow, type TakerView } from '../../src/views/takers.js';
import { AXIS_COUNTS, figure, LABELLED_AXIS_PIXELS, LEVEL_NAMES } from '../charts.js';
import { element } from '../elements.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import { askedLevel, levelChoice } from './miss-classes.js';
import type { PageDefinition } from './page-definition.js';

function takerPage(id: 'evictions' | 'invalidations', title: string, group: string, lead: string): PageDefinition {
  return {
    id,
    title,
    group,
    needs: [id],
    async render({ report, words, go }) {
      const view = await report.view<TakerView>(id);
      const level = askedLevel(words, view.rows.some((row) => row.level === view.level) ? view.level : 'l1');
      const rows = view.rows.filter((row) => row.level === level);
      const columns = toPageColumns(takerColumns(view, id, level));
      return [
        element('p', { class: 'lead' }, lead),
        element(
          'div',
          { class: 'controls' },
          levelChoice(level, (asked) => go({ level: asked })),
        ),
        ...(rows.length === 0 ? [] : [setsFigure(id, rows, level)]),
        buildTable(columns, rows, {
          caption: `${title}, ${LEVEL_NAMES[level]}`,
          rows: 'pairs',
          search: ({ taker, owner }) => `${taker} ${owner}`,
          sortedBy: 'count',
        }),
      ];
    },
  };
}

/** All pairs of the level together. */
function setsFigure(id: string, rows: readonly TakerRow[], level: LevelName): HTMLElement {
  const { perBin, of } = rows[0].sets;
  const bins = rows[0].bins.map((_, bin) => ({
    from: bin * perBin,
    to: Math.min(of, (bin + 1) * perBin),
    lines: rows.reduce((sum, row) => sum + row.bins[bin], 0),
  }));
  const worst = bins.reduce((most, bin) => (bin.lines > most.lines ? bin : most));
  return figure(
    {
      title: `${id === 'evictions' ? 'Evictions' : 'Invalidations'} by set of the ${LEVEL_NAMES[level]}`,
      note: perBin === 1 ? undefined : `${perBin} sets to a bar.`,
      alternative: `Lines by set, ${of} sets: most in set ${worst.from}, ${worst.lines.toLocaleString('en')} lines.`,
    },
    (width) =>
      Plot.plot({
        width,
        height: 190,
        marginLeft: 52,
        marginBottom: LABELLED_AXIS_PIXELS,
        x: { label: 'set', domain: [0, of] },
        y: { label: 'lines', tickFormat: AXIS_COUNTS, grid: true, ticks: 4 },
        marks: [
          Plot.rectY(bins, {
            x1: 'from',
            x2: 'to',
            y: 'lines',
            fill: 'var(--accent)',
            inset: 0,
            title: ({ from, to, lines }: (typeof bins)[number]) =>
              `${to - from === 1 ? `set ${from}` : `sets ${from} to ${to - 1}`}: ${lines.toLocaleString('en')} lines`,
          }),
          Plot.ruleY([0]),
        ],
      }),
  );
}

export const evictions = takerPage(
  'evictions',
  'Evictions',
  'Caches',
  'Whose reference made whose line leave the cache: types that meet here compete for it.',
);
export const invalidations = takerPage(
  'invalidations',
  'Invalidations',
  'Cores',
  'Whose store took whose line out of another core: what moves between cores.',
);
