// Stage: HTML page. A view's own columns as columns of a table: values spelled, names that lead somewhere.

import { isEstimate, type Estimate } from '../src/base/estimate.js';
import { formatEstimate, formatEstimatedBytes, formatEstimatedShare, formatMean } from '../src/base/format-estimate.js';
import { formatBytes, formatCount, formatRange, formatShare } from '../src/base/format-number.js';
import type { Column as ViewColumn, Share, Unit as ViewUnit, Value } from '../src/views/columns.js';
import type { CellValue, Column } from './columns.js';
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
  nanoseconds: ['average', 11],
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

export function toPageColumns<Row>(columns: readonly ViewColumn<Row>[], links: Links<Row> = {}): Column<Row>[] {
  return columns.filter(({ where }) => where !== 'text').map((one) => toPageColumn(one, links[one.id]));
}

function toPageColumn<Row>(column: ViewColumn<Row>, link: ((row: Row) => string) | undefined): Column<Row> {
  const { id, heading, unit, tip, meaning, nothing = '-' } = column;
  const [own, usual] = KINDS[unit];
  const width = column.width ?? usual;
  return {
    id,
    heading,
    meaning: tip ?? meaning,
    unit: own,
    width,
    nothing,
    value: (row) => sortKey(column.value(row)),
    cell: (row) => {
      const value = column.value(row);
      if (own === 'name') return nameCell(value, unit, width, nothing, link?.(row));
      if (unit === 'share') return shareCell(value);
      return spell(unit, value, nothing);
    },
  };
}

/** The key that a table sorts the value by. */
function sortKey(value: Value): CellValue {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : '';
  if (isEstimate(value)) return value.value;
  if ('whole' in value) return ratioOf(value);
  return 'minimum' in value ? value.median : value.join(' ');
}

function ratioOf({ part, whole }: Share): number | null {
  return whole === 0 ? null : part / whole;
}

function nameCell(value: Value, unit: ViewUnit, width: number, nothing: string, href: string | undefined): Node {
  if (typeof value !== 'string') return element('span', { class: 'nothing' }, nothing);
  const spelled = unit === 'site' ? briefSiteElement(value, width) : nameElement(value);
  const target = href ?? (unit === 'type' ? linkToType(value) : unit === 'site' ? linkToSite(value) : undefined);
  return target === undefined ? spelled : element('a', { href: target }, spelled);
}

/** With a bar as long as the share. */
function shareCell(value: Value): Node | string {
  const spelled = spell('share', value, '-');
  const ratio = Number(sortKey(value) ?? 0);
  return element('span', { class: 'share', style: { '--share': String(Math.min(1, ratio)) } }, spelled);
}

const NUMBERS: Readonly<
  Partial<Record<ViewUnit, readonly [exact: (value: number) => string, drawn: (value: Estimate) => string]>>
> = {
  count: [formatCount, formatEstimate],
  bytes: [formatBytes, formatEstimatedBytes],
  cycles: [spellAverage, formatMean],
  average: [spellAverage, formatMean],
  nanoseconds: [spellAverage, formatMean],
};

function spell(unit: ViewUnit, value: Value, nothing: string): string {
  if (value === null) return nothing;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : '';
  if (typeof value === 'number') return NUMBERS[unit]?.[0](value) ?? String(value);
  if (isEstimate(value)) return unit === 'share' ? formatEstimatedShare(value) : NUMBERS[unit]![1](value);
  if ('minimum' in value) return formatRange(value);
  if ('whole' in value)
    return unit === 'of'
      ? `${formatCount(value.part)} of ${formatCount(value.whole)}`
      : formatShare(value.part, value.whole);
  return value.join(' ');
}
