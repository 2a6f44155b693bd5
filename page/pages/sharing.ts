// Stage: HTML page. Sharing: which access keeps missing because of which store by another core.

import { sharingColumns, type Sharing } from '../../src/views/sharing.js';
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
    const classes = view.totals.levels.l1.classes;
    return [
      element(
        'p',
        { class: 'lead' },
        'Left what missed, right the store by another core that came last before it. ',
        classes['true-sharing'] + classes['false-sharing'] === 0
          ? 'No L1 miss of this run is by sharing.'
          : 'True sharing moves data that is needed; false sharing moves a line because of its neighbours.',
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
