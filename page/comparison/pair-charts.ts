// Stage: HTML page. Bars in pairs: of each type one of the run before, and under it one of the run after.

import { CLASSES, type LevelName } from '../../src/contract/machine.js';
import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import { formatBytes } from '../../src/base/format-number.js';
import {
  byteTicks,
  classLegend,
  CLASS_SERIES,
  colourLegend,
  drawBars,
  figure,
  LEVEL_NAMES,
  type Bar,
} from '../charts.js';
import { CLASS_NAMES } from '../classes.js';
import { linkTo } from '../links.js';
import { spellName } from '../names.js';
import type { ObjectsMeasure, RowWithObjects } from './measures.js';
import { spellPer, type Numbers } from './numbers.js';

const SIDES = ['before', 'after'] as const;
type Side = (typeof SIDES)[number];
const BAR_PIXELS = 16;
const PAIRS = 'Of each pair the upper bar is before, the lower one after.';
const SIDE_SERIES = [
  ['before', 'var(--other)'],
  ['after', 'var(--accent)'],
] as const;

/** The bars of all pairs, with a gap between two pairs. */
function pairBars<Row extends TypeChangeRow>(
  rows: readonly Row[],
  page: string,
  partsOf: (row: Row, side: Side) => Bar['parts'],
): (Bar | null)[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [null]),
    ...SIDES.map(
      (side): Bar => ({
        label: side === 'before' ? (row.field ?? row.type) : 'after',
        href: linkTo(page, { type: row.type }),
        parts: partsOf(row, side),
      }),
    ),
  ]);
}

/** `rows` in the order of the bars: types, or fields of one. */
export function classesBeforeAfter(
  rows: readonly TypeChangeRow[],
  what: string,
  level: LevelName,
  numbers: Numbers,
  most: number,
): HTMLElement {
  const changed = rows.filter((row) => SIDES.some((side) => row.levels[level].misses[side] > 0));
  const shown = changed.slice(0, most);
  const axis = `${LEVEL_NAMES[level]} misses${spellPer(numbers)}`;
  const bars = pairBars(shown, 'fields', (row, side) =>
    CLASSES.map((name) => {
      const size = numbers.of(row.levels[level].classes[name])[side];
      return {
        series: name,
        size,
        title:
          `${spellName(row.field ?? row.type)}, ${side}\n${CLASS_NAMES[name]}: ${numbers.spell(size)} of ` +
          `${numbers.spell(numbers.of(row.levels[level].misses)[side])} ${axis}`,
      };
    }),
  );
  const [first] = shown;
  const words = (row: TypeChangeRow): string =>
    SIDES.map((side) => `${numbers.spell(numbers.of(row.levels[level].misses)[side])} ${side}`).join(', ');
  return figure(
    {
      title: `${axis} by class, before and after`,
      note:
        `${PAIRS}` +
        (changed.length > shown.length
          ? ` The ${shown.length} ${what} that changed most of ${changed.length} that ` + 'missed.'
          : ''),
      alternative:
        first === undefined
          ? 'Nothing missed.'
          : `Bars in pairs, ${what} that changed most first: ${spellName(first.field ?? first.type)} has ` +
            `${words(first)}. The tables have every number.`,
    },
    drawBars(bars, { axis, series: CLASS_SERIES, barPixels: BAR_PIXELS }),
    classLegend(),
  );
}

export function objectsBeforeAfter(
  rows: readonly RowWithObjects[],
  { name, read, spell, unit }: ObjectsMeasure,
  most: number,
): HTMLElement {
  const changed = rows.filter(({ objects }) => (read(objects).change ?? 1) !== 0);
  const shown = changed.slice(0, most);
  const bars = pairBars(shown, 'objects', ({ type, objects }, side) => {
    const size = read(objects)[side];
    return size === null ? [] : [{ series: side, size, title: `${spellName(type)}, ${side}: ${spell(size)}` }];
  });
  const largest = Math.max(0, ...shown.flatMap(({ objects }) => SIDES.map((side) => read(objects)[side] ?? 0)));
  const [first] = shown;
  return figure(
    {
      title: `${name[0].toUpperCase()}${name.slice(1)} before and after`,
      note:
        `${PAIRS}` +
        `${changed.length > shown.length ? ` The ${shown.length} types that changed most of ${changed.length}.` : ''}`,
      alternative:
        first === undefined
          ? 'Nothing changed.'
          : `Bars in pairs, types that changed most first: ${spellName(first.type)} has ` +
            `${SIDES.map((side) => `${spell(read(first.objects)[side] ?? 0)} ${side}`).join(', ')}. The tables ` +
            'have every number.',
    },
    drawBars(bars, {
      axis: name,
      series: SIDE_SERIES,
      barPixels: BAR_PIXELS,
      ...(unit === 'bytes' && { spell: formatBytes, ticks: byteTicks(largest) }),
    }),
    colourLegend(SIDE_SERIES),
  );
}
