// Stage: HTML page. Shared variables, as DINAMITE finds them: where several threads refer to one address about equally
// often.

import { plural } from '../../src/base/format-number.js';
import { sharedVariableColumns, type SharedVariables } from '../../src/views/shared-variables.js';
import { element } from '../elements.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'shared-variables';

export const sharedVariables: PageDefinition = {
  id: VIEW,
  title: 'Shared variables',
  group: 'Cores',
  needs: [VIEW],
  async render({ report }) {
    const view = await report.view<SharedVariables>(VIEW);
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
      buildTable(toPageColumns(sharedVariableColumns(view)), view.rows, {
        caption: 'Shared variables',
        rows: 'rows',
        search: ({ variable, type, file }) => `${variable} ${type} ${file ?? ''}`,
        sortedBy: 'totalcount',
      }),
    ];
  },
};
