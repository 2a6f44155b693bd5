// Stage: HTML page. A view's own columns as columns of a table: values spelled, names that lead somewhere.

import { spellValue } from '../src/report/spell-value.js';
import { briefSite } from '../src/views/sites.js';
import { sortKey, type Column as ViewColumn, type Unit as ViewUnit, type Value } from '../src/views/columns.js';
import type { Column } from './columns.js';
import { element } from './elements.js';
import { linkToSite, linkToType } from './links.js';
import { briefSiteElement, nameElement } from './names.js';
import type { Unit } from './units.js';
import { spellAverage } from './words.js';

/** By a column's id: where its cells lead. */
export type Links<Row> = Readonly<Record<string, (row: Row) => string>>;

/** How each kind is sorted and spelled, and how wide it is where it is no number. */
const KINDS: Readonly<Record<ViewUnit, readonly [unit: Unit, width: number]>> = {
  count: ['count', 11],
  bytes: ['bytes', 11],
  cycles: ['average', 9],
  average: ['average', 11],
  nanoseconds: ['time', 9],
  share: ['share', 9],
  of: ['words', 12],
  range: ['words', 14],
  bars: ['words', 20],
  name: ['name', 30],
  type: ['name', 30],
  site: ['name', 20],
  words: ['words', 14],
  flag: ['words', 8],
  flags: ['words', 20],
};

/** By a column's id: how its cells are drawn, if not as their unit says. */
export type Cells<Row> = Readonly<Record<string, (row: Row) => Node>>;

export function toPageColumns<Row>(
  columns: readonly ViewColumn<Row>[],
  links: Links<Row> = {},
  cells: Cells<Row> = {},
): Column<Row>[] {
  return columns
    .filter(({ where }) => where !== 'text')
    .map((one) => ({ ...toPageColumn(one, links[one.id]), ...(one.id in cells && { cell: cells[one.id] }) }));
}

function toPageColumn<Row>(column: ViewColumn<Row>, link: ((row: Row) => string) | undefined): Column<Row> {
  const { id, heading, pageHeading = heading, unit, tip, meaning, nothing = '-' } = column;
  const [own, usual] = KINDS[unit];
  const width = column.width ?? usual;
  return {
    id,
    heading: pageHeading,
    meaning: tip ?? meaning,
    unit: own,
    width,
    nothing,
    ...(unit === 'site' && { text: (row) => briefSite((column.value(row) ?? nothing) as string) }),
    ...(unit === 'words' && { text: (row) => spell(unit, column.value(row), nothing) }),
    value: (row) => column.sortKey?.(row) ?? sortKey(column.value(row)),
    cell: (row) => {
      const value = column.value(row);
      if (own === 'name') return nameCell(value, unit, width, nothing, link?.(row));
      if (unit === 'share') return shareCell(value);
      return spell(unit, value, nothing);
    },
  };
}

function nameCell(value: Value, unit: ViewUnit, width: number, nothing: string, href: string | undefined): Node {
  if (typeof value !== 'string') return element('span', { class: 'nothing' }, nothing);
  const spelled = unit === 'site' ? briefSiteElement(value, width) : nameElement(value);
  const target = href ?? (unit === 'type' ? linkToType(value) : unit === 'site' ? linkToSite(value) : undefined);
  return target === undefined ? spelled : element('a', { href: target }, spelled);
}

/** With a bar as long as the share. */
function shareCell(value: Value): Node | string {
  if (value === '') return '';
  const spelled = spell('share', value, '-');
  const ratio = Number(sortKey(value) ?? 0);
  return element('span', { class: 'share', style: { '--share': String(Math.min(1, ratio)) } }, spelled);
}

/** As the text does, but exact averages of a column all have one decimal. */
function spell(unit: ViewUnit, value: Value, nothing: string): string {
  return typeof value === 'number' && (unit === 'cycles' || unit === 'average')
    ? spellAverage(value)
    : spellValue({ unit, nothing }, value);
}
