// Stage: HTML page. Why it missed, before and after: the classes of each type's and field's misses.

import { CLASSES } from '../../src/replay/machine.js';
import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import { LEVEL_NAMES } from '../charts.js';
import { CLASS_MEANINGS, CLASS_NAMES } from '../classes.js';
import { beforeAfterColumns, changeColumn, nameColumn, type Column } from '../columns.js';
import { choice, element } from '../elements.js';
import { linkTo } from '../links.js';
import { askedLevel, levelChoice } from '../pages/miss-classes.js';
import { buildTable } from '../table.js';
import { comparisonPage } from './comparison-page.js';
import { COUNT_MEASURES, rankRows } from './measures.js';
import { numbersChoice, spellPer } from './numbers.js';
import { classesBeforeAfter } from './pair-charts.js';

const MOST_TYPES = 12;
const WHAT = [['types', 'types'], ['fields', 'fields']] as const;

export const classes = comparisonPage({
  id: 'miss-classes',
  title: 'Miss classes',
  group: 'Data',
  render({ diff, wholes, words, numbers, ask }) {
    const level = askedLevel(words);
    const what = words.get('rows') === 'fields' ? 'fields' : 'types';
    const measure = COUNT_MEASURES.find((one) => one.level === level)!;
    const three = (heading: string, path: string, meaning: string): Column<TypeChangeRow>[] => [
      ...beforeAfterColumns<TypeChangeRow>([`${heading} before`, 'after'], numbers.at(path), numbers.unit, { meaning }),
      changeColumn('change', numbers.at(path), numbers.unit, { meaning: `of ${heading}: after minus before` }),
    ];
    const columns: Column<TypeChangeRow>[] = [
      nameColumn('type', 'type', { link: (type) => linkTo('fields', { type }), width: what === 'types' ? 30 : 22 }),
      ...(what === 'types' ? [] : [nameColumn<TypeChangeRow>('field', 'field', { width: 22 })]),
      ...three(`${LEVEL_NAMES[level]} misses`, `levels.${level}.misses`, 'of all classes'),
      ...CLASSES.flatMap((name) => three(CLASS_NAMES[name], `levels.${level}.classes.${name}`, CLASS_MEANINGS[name])),
    ];
    return [
      element('p', { class: 'lead' }, 'Each miss has one class, so that the classes of a row add up to its misses, before, after and change alike. What changed most stands first.'),
      element('div', { class: 'controls' }, levelChoice(level, (asked) => ask({ level: asked })), choice('rows', WHAT, what, (asked) => ask({ rows: asked })), ...numbersChoice(diff, numbers, (asked) => ask({ numbers: asked }))),
      classesBeforeAfter(rankRows(wholes, measure, numbers), 'types', level, numbers, MOST_TYPES),
      buildTable(columns, rankRows(what === 'types' ? wholes : diff.rows.filter(({ field }) => field !== null), measure, numbers), {
        caption: `Classes of ${LEVEL_NAMES[level]} misses${spellPer(numbers)}, before and after`,
        rows: what,
        search: ({ type, field }) => `${type} ${field ?? ''}`,
      }),
    ];
  },
});
