// Stage: HTML page. The changes of one type: the whole and its fields, their classes before and after.

import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import { SORT_NAMES } from '../../src/diff/rank.js';
import { LEVEL_NAMES } from '../charts.js';
import { nameColumn } from '../columns.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { spellName } from '../names.js';
import { buildTable } from '../table.js';
import { askedType, typeChoice } from '../type-choice.js';
import { countedColumns } from './change-columns.js';
import { classColumns } from './classes.js';
import { measureChoice, numbersChoice } from './choices.js';
import { comparisonPage } from './comparison-page.js';
import { askedMeasure, COUNT_MEASURES, rankRows } from './measures.js';
import { classesBeforeAfter } from './pair-charts.js';

const MOST_FIELDS = 12;
/** The most rows in sight. */
const MOST_ROWS = 16;

export const fields = comparisonPage({
  id: 'fields',
  title: 'Fields',
  group: 'Data',
  async render({ diff, fieldsOf, words, numbers, ask }) {
    if (diff.rows.length === 0) return [element('p', {}, 'Neither run referenced any type.')];
    const names = diff.rows.map(({ type }) => type);
    const type = askedType(words, names);
    const measure = askedMeasure(COUNT_MEASURES, words, diff);
    const whole = diff.rows.find((row) => row.type === type)!;
    const own = rankRows(await fieldsOf(type), measure, numbers);
    const level = measure.level ?? 'l1';
    const rows = [whole, ...own];
    const name = nameColumn<TypeChangeRow>('field', 'field', { nothing: '(the whole type)', width: 30 });
    const table = {
      rows: 'rows',
      rowClass: ({ field }: TypeChangeRow): string | null => (field === null ? 'whole' : null),
      height: MOST_ROWS,
    };
    return [
      element(
        'p',
        { class: 'lead' },
        `Fields of one type by how much their ${measure.name} changed. Their numbers add up to at most those ` +
          'of the type: some references are to no field that has a name.',
      ),
      element(
        'div',
        { class: 'controls' },
        typeChoice(names, type, (asked) => ask({ type: asked }), `change of ${SORT_NAMES[diff.sort]}`),
        measureChoice(COUNT_MEASURES, measure, (by) => ask({ by })),
        ...numbersChoice(diff, numbers, (asked) => ask({ numbers: asked })),
      ),
      element(
        'p',
        {},
        element('a', { href: linkTo('objects', { type }) }, 'its objects →'),
        ...(diff.paths === null ? [] : [' ', element('a', { href: linkTo('paths', { type }) }, 'its paths →')]),
      ),
      classesBeforeAfter(rows, 'fields', level, numbers, 1 + MOST_FIELDS),
      buildTable([name, ...countedColumns(measure, numbers)], rows, {
        caption: `${spellName(type)} and its fields`,
        search: ({ field }) => field ?? '',
        ...table,
      }),
      element('h2', {}, `Classes of their ${LEVEL_NAMES[level]} misses`),
      buildTable([name, ...classColumns(level, numbers)], rows, {
        caption: `Classes of ${LEVEL_NAMES[level]} misses, ${spellName(type)} and its fields`,
        ...table,
      }),
    ];
  },
});
