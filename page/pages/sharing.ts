// Stage: HTML page. Sharing: which access keeps missing because of which store by another core.

import type { Sharing, SharingRow } from '../../src/views/sharing.js';
import { countColumn, nameColumn, shareColumn, siteColumn, wordsColumn, type Column } from '../columns.js';
import { CLASS_NAMES } from '../classes.js';
import { button, element } from '../elements.js';
import { linkToSite, linkToType } from '../links.js';
import { nameElement } from '../names.js';
import { buildTable } from '../table.js';
import type { PageDefinition } from './page-definition.js';

const RELATION_NAMES: Record<SharingRow['relation'], string> = {
  'same-object': 'same object',
  'same-type': 'two objects of a type',
  'two-types': 'two types',
  recycled: 'recycled memory',
};

type Side = 'missed' | 'writer';

function dataColumns(side: Side, words: string): Column<SharingRow>[] {
  return [
    nameColumn(`${words}: type`, `${side}.type`, { link: linkToType, width: 18 }),
    nameColumn('field', `${side}.field`, { width: 10 }),
    siteColumn('at', `${side}.site`, { link: linkToSite, width: 16 }),
  ];
}

function codeColumns(side: Side, words: string): Column<SharingRow>[] {
  return [
    nameColumn(`${words} by`, `${side}.function`, { width: 20, meaning: 'the function that made the access' }),
    siteColumn('allocated at', `${side}.allocatedAt`, {
      link: linkToSite,
      width: 18,
      meaning: 'where the object was allocated, or the variable is declared',
    }),
    nameColumn('variable', `${side}.variable`, { width: 14 }),
  ];
}

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
    const columns: Column<SharingRow>[] = [
      wordsColumn('class', 'class', (row) => CLASS_NAMES[row.class], { width: 13 }),
      countColumn('L1 misses', 'misses'),
      shareColumn(
        'of sharing',
        ['misses'],
        ['totals.levels.l1.classes.true-sharing', 'totals.levels.l1.classes.false-sharing'],
        view,
        { meaning: 'of all L1 misses by sharing' },
      ),
      wordsColumn('relation', 'relation', (row) => RELATION_NAMES[row.relation], { width: 18 }),
      ...dataColumns('missed', 'missed'),
      ...dataColumns('writer', 'stored'),
      ...codeColumns('missed', 'missed'),
      ...codeColumns('writer', 'stored'),
    ];
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
      buildTable(columns, rows, {
        caption: 'Sharing pairs',
        rows: 'pairs',
        search: ({ missed, writer }) => [missed, writer].map((side) => Object.values(side).join(' ')).join(' '),
        sortedBy: 'misses',
      }),
    ];
  },
};
