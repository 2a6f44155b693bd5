// Stage: HTML page. The changes of types, a row for each.

import { hasChanged } from '../../src/diff/changed.js';
import { nameColumn } from '../columns.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { buildTable } from '../table.js';
import { countedColumns } from './change-columns.js';
import { measureChoice, numbersChoice } from './choices.js';
import { comparisonPage } from './comparison-page.js';
import { askedMeasure, COUNT_MEASURES, rankRows } from './measures.js';
import { spellPer } from './numbers.js';
import { plural } from '../../src/base/format-number.js';

export const types = comparisonPage({
  id: 'types',
  title: 'Types',
  group: 'Data',
  render({ diff, words, numbers, ask }) {
    const { rows } = diff;
    const measure = askedMeasure(COUNT_MEASURES, words, diff);
    return [
      element(
        'p',
        { class: 'lead' },
        `Types by how much their ${measure.name}${spellPer(numbers)} changed, whichever way: ` +
          `${plural(rows.filter(hasChanged).length, 'type')} of ${rows.length} changed at all. A heading sorts ` +
          'by its numbers, signs included; a type leads to its fields.',
      ),
      element(
        'div',
        { class: 'controls' },
        measureChoice(COUNT_MEASURES, measure, (by) => ask({ by })),
        ...numbersChoice(diff, numbers, (asked) => ask({ numbers: asked })),
      ),
      buildTable(
        [
          nameColumn('type', 'type', { link: (type) => linkTo('fields', { type }), width: 30 }),
          ...countedColumns(measure, numbers),
        ],
        rankRows(rows, measure, numbers),
        {
          caption: `Types by change of ${measure.name}${spellPer(numbers)}`,
          rows: 'types',
          search: ({ type }) => type,
        },
      ),
    ];
  },
});
