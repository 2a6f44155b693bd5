// Stage: HTML page. Why it missed: the classes of each type's and field's misses, stacked and as a table.

import { CLASSES, LEVELS, type LevelName } from '../../src/replay/machine.js';
import type { MissClassificationRow } from '../../src/views/miss-classification.js';
import { classesByType, LEVEL_NAMES } from '../charts.js';
import { CLASS_MEANINGS, CLASS_NAMES } from '../classes.js';
import { countColumn, nameColumn, shareColumn, type Column } from '../columns.js';
import { choice, element } from '../elements.js';
import { linkToType } from '../links.js';
import { buildTable } from '../table.js';
import type { Classified } from '../../src/views/level-misses.js';
import type { View } from '../../src/views/view.js';
import type { PageDefinition } from './page-definition.js';

const MOST_TYPES = 15;
const WHAT = [
  ['types', 'types'],
  ['fields', 'fields'],
  ['both', 'types and their fields'],
] as const;

/** What every row that is classified has. */
export function classColumns<Row extends Classified>(view: View<Row>, level: LevelName): Column<Row>[] {
  const name = LEVEL_NAMES[level];
  return [
    countColumn(`${name} misses`, `levels.${level}.misses`),
    shareColumn('of all', [`levels.${level}.misses`], [`totals.levels.${level}.misses`], view, {
      meaning: `of all ${name} misses`,
    }),
    ...CLASSES.map((one) =>
      countColumn<Row>(CLASS_NAMES[one], `levels.${level}.classes.${one}`, { meaning: CLASS_MEANINGS[one] }),
    ),
    ...(view.sampled === undefined
      ? []
      : [countColumn<Row>('unclear', `levels.${level}.unclassified`, { meaning: 'misses that no history explains' })]),
    countColumn('cold shared', `levels.${level}.compulsoryShared`, {
      meaning: 'compulsory misses on lines that another core had stored to',
    }),
    countColumn('references', ['references.loads', 'references.stores']),
    countColumn('miss cycles', 'missLatencyCycles', {
      meaning: 'estimated: the latency of accesses that missed the L1',
    }),
  ];
}

export function levelChoice(level: LevelName, act: (level: string) => void): HTMLElement {
  return choice(
    'level',
    LEVELS.map((one) => [one, LEVEL_NAMES[one]] as const),
    level,
    act,
  );
}

export function askedLevel(words: URLSearchParams): LevelName {
  return LEVELS.find((level) => level === words.get('level')) ?? 'l1';
}

export const missClasses: PageDefinition = {
  id: 'miss-classes',
  title: 'Miss classes',
  group: 'Data',
  needs: ['miss-classification'],
  async render({ report, words, go }) {
    const view = await report.view<View<MissClassificationRow>>('miss-classification');
    const level = askedLevel(words);
    const what = words.get('rows') ?? 'types';
    const rows = view.rows.filter(({ field }) => what === 'both' || (field === null) === (what === 'types'));
    const columns: Column<MissClassificationRow>[] = [
      nameColumn('type', 'type', { link: linkToType, width: what === 'types' ? 30 : 22 }),
      ...(what === 'types'
        ? []
        : [nameColumn<MissClassificationRow>('field', 'field', { width: 22, nothing: '(the whole type)' })]),
      ...classColumns(view, level),
    ];
    return [
      element(
        'p',
        { class: 'lead' },
        'Each miss has one class, the first that applies: ',
        ...CLASSES.flatMap((name, index) => [
          element('strong', {}, CLASS_NAMES[name]),
          `, ${CLASS_MEANINGS[name]}${index === CLASSES.length - 1 ? '.' : '; '}`,
        ]),
      ),
      element(
        'div',
        { class: 'controls' },
        levelChoice(level, (asked) => go({ level: asked, rows: what })),
        choice('rows', WHAT, what, (asked) => go({ level, rows: asked })),
      ),
      ...(view.sampled?.unknown.classes === undefined
        ? [classesByType(view, level, MOST_TYPES)]
        : [element('p', { class: 'note' }, `Classes: ${view.sampled.unknown.classes}.`)]),
      buildTable(columns, rows, {
        caption: `Classes of ${LEVEL_NAMES[level]} misses`,
        rows: what === 'both' ? 'types and fields' : what,
        search: ({ type, field }) => `${type} ${field ?? ''}`,
        sortedBy: what === 'types' && level === 'l1' ? 'levels.l1.misses' : undefined,
        rowClass: ({ field }) => (what === 'both' && field === null ? 'whole' : null),
      }),
    ];
  },
};
