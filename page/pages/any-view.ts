// Stage: HTML page. A view that has no page of its own: its table, with the notes that the text has.

import { tableOf, type AnyView, type ViewName } from '../../src/views/views.js';
import { element } from '../elements.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import { viewsWithoutPage } from './other-views.js';
import type { PageDefinition } from './page-definition.js';

/** `pages`: those that views have. */
export function pagesOfOthers(pages: readonly PageDefinition[]): PageDefinition[] {
  return viewsWithoutPage(pages.flatMap(({ id, needs }) => [id, ...needs])).map(pageOf);
}

function isRow(line: unknown): line is object {
  return typeof line === 'object' && line !== null && !Array.isArray(line);
}

function pageOf(name: ViewName): PageDefinition {
  return {
    id: name,
    title: name[0].toUpperCase() + name.slice(1).replaceAll('-', ' '),
    group: 'More',
    needs: [name],
    async render({ report }) {
      const { title, columns, lines, notes, remarks = [] } = tableOf(name, await report.view<AnyView>(name), Infinity);
      const rows = lines.filter(isRow);
      return [
        element(
          'p',
          { class: 'lead' },
          `${title[0].toUpperCase()}${title.slice(1)}. ${[...notes, ...remarks].join(' ')}`,
        ),
        buildTable<object>(toPageColumns(columns), rows, { caption: title, rows: 'rows' }),
      ];
    },
  };
}
