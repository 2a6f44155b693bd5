// Stage: HTML page. Why it missed: the classes of each type's and field's misses, stacked and as a table.

import { CLASSES, LEVELS, type LevelName } from '../../src/contract/machine.js';
import { classesByType, LEVEL_NAMES } from '../charts.js';
import { CLASS_MEANINGS, CLASS_NAMES } from '../classes.js';
import { column, name, type Column as ViewColumn } from '../../src/views/columns.js';
import type { MissClassification, SampledTypeMisses } from '../../src/views/miss-classification.js';
import { mostMissesColumn } from '../../src/views/most-misses.js';
import { missColumns } from '../../src/views/miss-columns.js';
import type { Sampled } from '../../src/views/row-estimates.js';
import { spellRow } from '../../src/views/split-rows.js';
import { choice, element } from '../elements.js';
import { linkToType } from '../links.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import type { PageDefinition } from './page-definition.js';
import type { MissClassificationRow } from '../../src/views/miss-rows.js';

const MOST_TYPES = 15;
const WHAT = [
  ['types', 'types'],
  ['fields', 'fields'],
  ['both', 'types and their fields'],
] as const;

export function levelChoice(level: LevelName, act: (level: string) => void): HTMLElement {
  return choice(
    'level',
    LEVELS.map((one) => [one, LEVEL_NAMES[one]] as const),
    level,
    act,
  );
}

export function askedLevel(words: URLSearchParams, usual: LevelName = 'l1'): LevelName {
  return LEVELS.find((level) => level === words.get('level')) ?? usual;
}

/** The column that rows are sorted by already. */
function usualOrder({ sampled }: AnyView, level: LevelName): string | undefined {
  if (sampled === undefined) return 'missLatencyCycles';
  return level === 'l1' ? 'levels.l1.misses' : undefined;
}

/** Two columns of names leave less room, and classes must be there together. */
function classesFirst<Column extends { readonly id: string }>(columns: readonly Column[]): Column[] {
  const isCost = ({ id }: Column): boolean => id.startsWith('missLatencyCycles');
  return [...columns.filter((one) => !isCost(one)), ...columns.filter(isCost)];
}

/** Behind the classes. */
function withMostAt(view: AnyView, columns: readonly ViewColumn<Row>[]): ViewColumn<Row>[] {
  if (view.sampled !== undefined) return [...columns];
  const at = columns.findIndex(({ id }) => id.endsWith('.compulsoryShared'));
  return [...columns.slice(0, at), mostMissesColumn<Row>(), ...columns.slice(at)];
}

type AnyView = MissClassification | SampledTypeMisses;
type Row = MissClassificationRow | Sampled<MissClassificationRow>;

export const missClasses: PageDefinition = {
  id: 'miss-classes',
  title: 'Miss classes',
  group: 'Data',
  needs: ['miss-classification'],
  async render({ report, words, go }) {
    const view = await report.view<AnyView>('miss-classification');
    const level = askedLevel(words, view.level);
    const what = words.get('rows') ?? 'types';
    const all: readonly Row[] = view.rows;
    const rows = all.filter(({ field }) => what === 'both' || (field === null) === (what === 'types'));
    const misses = missColumns(view, level);
    const columns = toPageColumns<Row>(
      [
        column('type', 'type', 'type', spellRow, { width: what === 'types' ? 30 : 22 }),
        ...(what === 'types' ? [] : [name<Row>('field', 'field', { width: 16, nothing: '(the whole type)' })]),
        ...withMostAt(view, what === 'types' ? misses : classesFirst(misses)),
      ],
      { type: ({ type }) => linkToType(type) },
    );
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
        search: (row) => `${spellRow(row)} ${row.field ?? ''}`,
        sortedBy: what === 'types' ? usualOrder(view, level) : undefined,
        rowClass: ({ field }) => (what === 'both' && field === null ? 'whole' : null),
      }),
    ];
  },
};
