// Stage: HTML page. The data profile: a row for each type.

import { dataProfileColumns, type DataProfile, type SampledDataProfile } from '../../src/views/data-profile.js';
import { spellOrder } from '../../src/views/sort-rows.js';
import { spellRow } from '../../src/views/split-rows.js';
import { element } from '../elements.js';
import { linkToType } from '../links.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import type { PageDefinition } from './page-definition.js';

export const dataProfile: PageDefinition = {
  id: 'data-profile',
  title: 'Data profile',
  group: 'Data',
  needs: ['data-profile'],
  async render({ report }) {
    const view = await report.view<DataProfile | SampledDataProfile>('data-profile');
    return [
      element(
        'p',
        { class: 'lead' },
        `Types by ${spellOrder(view)}: how often each was referenced, what missed, who served it, and how much of ` +
          'it was alive. A heading sorts; a type leads to its fields.',
      ),
      buildTable(toPageColumns(dataProfileColumns(view), { type: ({ type }) => linkToType(type) }), view.rows, {
        caption: 'Data profile, a row for each type',
        rows: 'types',
        search: spellRow,
        sortedBy: view.sampled === undefined ? 'missLatencyCycles' : 'misses.l1.loads+misses.l1.stores',
      }),
    ];
  },
};
