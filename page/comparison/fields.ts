// Stage: HTML page. What changed of one type: the whole and its fields, their classes before and after.

import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import { SORT_NAMES } from '../../src/diff/rank.js';
import { nameColumn } from '../columns.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { spellName } from '../names.js';
import { buildTable } from '../table.js';
import { askedType, typeChoice } from '../type-choice.js';
import { countedColumns } from './change-columns.js';
import { comparisonPage } from './comparison-page.js';
import { askedMeasure, COUNT_MEASURES, measureChoice, rankRows } from './measures.js';
import { numbersChoice } from './numbers.js';
import { classesBeforeAfter } from './pair-charts.js';

const MOST_FIELDS = 12;

export const fields = comparisonPage({
  id: 'fields',
  title: 'Fields',
  group: 'Data',
  render({ diff, wholes, words, numbers, ask }) {
    if (wholes.length === 0) return [element('p', {}, 'Neither run referenced any type.')];
    const names = wholes.map(({ type }) => type);
    const type = askedType(words, names);
    const measure = askedMeasure(COUNT_MEASURES, words, diff);
    const whole = wholes.find((row) => row.type === type)!;
    const own = rankRows(diff.rows.filter((row) => row.type === type && row.field !== null), measure, numbers);
    const columns = [nameColumn<TypeChangeRow>('field', 'field', { nothing: '(the whole type)', width: 30 }), ...countedColumns(measure, numbers)];
    return [
      element('p', { class: 'lead' }, `Fields of one type by how much their ${measure.name} changed. Their numbers add up to at most those of the type: some references are to no field that has a name.`),
      element('div', { class: 'controls' }, typeChoice(names, type, (asked) => ask({ type: asked }), `change of ${SORT_NAMES[diff.sort]}`), measureChoice(COUNT_MEASURES, measure, (by) => ask({ by })), ...numbersChoice(diff, numbers, (asked) => ask({ numbers: asked }))),
      element('p', {}, element('a', { href: linkTo('objects', { type }) }, 'its objects →'), ...(diff.paths === null ? [] : [' ', element('a', { href: linkTo('paths', { type }) }, 'its paths →')])),
      classesBeforeAfter([whole, ...own], 'fields', measure.level ?? 'l1', numbers, 1 + MOST_FIELDS),
      buildTable(columns, [whole, ...own], { caption: `${spellName(type)} and its fields`, rows: 'rows', search: ({ field }) => field ?? '', rowClass: ({ field }) => (field === null ? 'whole' : null) }),
    ];
  },
});
