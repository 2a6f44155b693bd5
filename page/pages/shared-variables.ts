// Stage: HTML page. Shared variables, as DINAMITE finds them: where several threads refer to one address about equally
// often.

import { formatCount, plural } from '../../src/base/format-number.js';
import type { SharedVariableRow, SharedVariables } from '../../src/views/shared-variables.js';
import { countColumn, nameColumn, siteColumn, wordsColumn, type Column } from '../columns.js';
import { element } from '../elements.js';
import { linkToSite, linkToType } from '../links.js';
import { buildTable } from '../table.js';
import { busiestFirst } from '../threads.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'shared-variables';

interface Placed extends SharedVariableRow {
  readonly site: string | null;
}

export const sharedVariables: PageDefinition = {
  id: VIEW,
  title: 'Shared variables',
  group: 'Cores',
  needs: [VIEW],
  async render({ report }) {
    const view = await report.view<SharedVariables>(VIEW);
    const rows = view.rows.map(
      (row): Placed => ({ ...row, site: row.file === null ? null : `${row.file}:${row.line}` }),
    );
    const columns: Column<Placed>[] = [
      nameColumn('variable', 'variable', { width: 36 }),
      nameColumn('type', 'type', { link: linkToType, width: 26 }),
      siteColumn('at', 'site', { link: linkToSite, width: 26 }),
      countColumn('accesses', 'totalcount'),
      countColumn('threads', 'threadcount'),
      wordsColumn(
        'threads',
        'by thread',
        ({ threads }) =>
          busiestFirst(threads)
            .map(([thread, count]) => `${thread}: ${formatCount(count)}`)
            .join(', '),
        { width: 44, meaning: 'accesses by thread, the busiest first' },
      ),
    ];
    return [
      element(
        'p',
        { class: 'lead' },
        'Addresses that several threads refer to, of which the busiest has less than twice as many accesses as ' +
          'the next one, by source line and variable.',
      ),
      ...(view.addresses.isFull
        ? [
            element(
              'p',
              { class: 'note' },
              `There was room for ${plural(view.addresses.mostCounts, 'count')} only: addresses that needed ` +
                `more are left out whole, with ${plural(view.addresses.uncounted, 'access')}.`,
            ),
          ]
        : []),
      buildTable(columns, rows, {
        caption: 'Shared variables',
        rows: 'rows',
        search: ({ variable, type, file }) => `${variable} ${type} ${file ?? ''}`,
        sortedBy: 'totalcount',
      }),
    ];
  },
};
