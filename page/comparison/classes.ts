// Stage: HTML page. Why it missed, before and after: the classes of each type's misses.

import { CLASSES, type LevelName } from '../../src/contract/machine.js';
import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import { LEVEL_NAMES } from '../charts.js';
import { CLASS_MEANINGS, CLASS_NAMES } from '../classes.js';
import { beforeAfterColumns, changeColumn, nameColumn, type Column } from '../columns.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { askedLevel, levelChoice } from '../pages/miss-classes.js';
import { buildTable } from '../table.js';
import { numbersChoice } from './choices.js';
import { comparisonPage } from './comparison-page.js';
import { COUNT_MEASURES, rankRows } from './measures.js';
import { spellPer, type Numbers } from './numbers.js';
import { classesBeforeAfter } from './pair-charts.js';

const MOST_TYPES = 12;

/** All misses of the level, then those of each class: before, after, change. */
export function classColumns(level: LevelName, { at, unit }: Numbers): Column<TypeChangeRow>[] {
  const three = (heading: string, path: string, meaning: string): Column<TypeChangeRow>[] => [
    ...beforeAfterColumns<TypeChangeRow>([`${heading} before`, 'after'], at(path), unit, { meaning }),
    changeColumn('change', at(path), unit, { meaning: `of ${heading}: after minus before` }),
  ];
  return [
    ...three(`${LEVEL_NAMES[level]} misses`, `levels.${level}.misses`, 'of all classes'),
    ...CLASSES.flatMap((name) => three(CLASS_NAMES[name], `levels.${level}.classes.${name}`, CLASS_MEANINGS[name])),
  ];
}

export const classes = comparisonPage({
  id: 'miss-classes',
  title: 'Miss classes',
  group: 'Data',
  render({ diff, words, numbers, ask }) {
    const level = askedLevel(words, diff.level);
    const rows = rankRows(diff.rows, COUNT_MEASURES.find((one) => one.level === level)!, numbers);
    return [
      element(
        'p',
        { class: 'lead' },
        'Each miss has one class, so that the classes of a row add up to its misses, before, after and change ' +
          'alike. What changed most stands first; a type leads to its fields.',
      ),
      element(
        'div',
        { class: 'controls' },
        levelChoice(level, (asked) => ask({ level: asked })),
        ...numbersChoice(diff, numbers, (asked) => ask({ numbers: asked })),
      ),
      classesBeforeAfter(rows, 'types', level, numbers, MOST_TYPES),
      buildTable(
        [
          nameColumn('type', 'type', { link: (type) => linkTo('fields', { type }), width: 30 }),
          ...classColumns(level, numbers),
        ],
        rows,
        {
          caption: `Classes of ${LEVEL_NAMES[level]} misses${spellPer(numbers)}, before and after`,
          rows: 'types',
          search: ({ type }) => type,
        },
      ),
    ];
  },
});
