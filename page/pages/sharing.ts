// Stage: HTML page. Sharing: which access keeps missing because of which store by another core.

import { allPairs, sharingColumns } from '../../src/views/sharing-columns.js';
import type { Sharing } from '../../src/views/sharing-rows.js';
import { button, element } from '../elements.js';
import { nameElement } from '../names.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import type { PageDefinition } from './page-definition.js';

export const sharing: PageDefinition = {
  id: 'sharing',
  title: 'Sharing pairs',
  group: 'Cores',
  needs: ['sharing'],
  async render({ report, words, go }) {
    const view = await report.view<Sharing>('sharing');
    const type = words.get('type');
    const rows =
      type === null
        ? view.rows
        : view.rows.filter(({ missed, writer }) => missed.type === type || writer.type === type);
    return [
      element(
        'p',
        { class: 'lead' },
        'Left what missed, right the store by another core that came last before it. ',
        allPairs(view) === 0
          ? 'No L1 miss of this run is by sharing.'
          : 'True sharing moves data that is needed; false sharing moves a line because of its neighbours; cold ' +
              'sharing is the first reference of a core to a line that another core had stored to, and is counted ' +
              'as compulsory elsewhere.',
      ),
      ...(type === null
        ? []
        : [
            element(
              'p',
              { class: 'controls' },
              'Only pairs that concern ',
              nameElement(type),
              ' ',
              button('show all', () => go({})),
            ),
          ]),
      buildTable(toPageColumns(sharingColumns(view)), rows, {
        caption: 'Sharing pairs',
        rows: 'pairs',
        search: ({ missed, writer }) => [missed, writer].map((side) => Object.values(side).join(' ')).join(' '),
        sortedBy: 'misses',
      }),
    ];
  },
};
