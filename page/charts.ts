// Stage: HTML page. Charts: Observable Plot draws, in a figure that says in words what it shows, anew when the width
// changes.

import { spellRow } from '../src/views/split-rows.js';
import * as Plot from '@observablehq/plot';
import { formatShare } from '../src/base/format-number.js';
import { CLASSES, LEVELS, type LevelName } from '../src/contract/machine.js';
import { spellValue } from '../src/report/spell-value.js';
import { share } from '../src/views/columns.js';
import type { MissClassification, SampledTypeMisses } from '../src/views/miss-classification.js';
import type { Sampled } from '../src/views/row-estimates.js';
import type { ViewTotals } from '../src/views/view.js';
import { element } from './elements.js';
import { linkTo } from './links.js';
import { briefName, spellName } from './names.js';
import { missesAt, spellAt } from './sampled.js';
import { LEVEL_NAMES } from '../src/views/class-names.js';
import { CLASS_COLOURS, CLASS_NAMES } from './classes.js';
import type { MissClassificationRow } from '../src/views/miss-rows.js';

export { LEVEL_NAMES };

export interface FigureWords {
  readonly title: string;
  /** For those who do not see it: what is on which axis, and what stands out. */
  readonly alternative: string;
  readonly note?: string;
}

export function figure(
  { title, alternative, note }: FigureWords,
  draw: (width: number) => Element,
  legend: Node | null = null,
): HTMLElement {
  const place = element('div', { class: 'chart' });
  const made = element(
    'figure',
    {},
    element('figcaption', {}, element('strong', {}, title), note === undefined ? null : ` ${note}`),
    legend,
    place,
  );
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(place.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    const chart = draw(width);
    describe(chart, `${title}. ${alternative}`);
    place.replaceChildren(chart);
  }).observe(place);
  return made;
}

/**
 * One picture with its words; where parts of it lead somewhere, the table below does so for those who use the keyboard.
 */
function describe(chart: Element, words: string): void {
  const links = chart.querySelectorAll('a');
  chart.setAttribute('role', links.length === 0 ? 'img' : 'group');
  chart.setAttribute('aria-label', words);
  for (const part of chart.querySelectorAll('g[aria-label]')) part.removeAttribute('aria-label');
  for (const link of links) {
    link.setAttribute('tabindex', '-1');
    link.setAttribute('aria-label', link.querySelector('title')?.textContent ?? words);
  }
}

/** Short forms of counts on an axis: 12k, 3.4M. */
export const AXIS_COUNTS = '~s';
/** Ticks at multiples of a power of two, which read well in KiB. */
export function byteTicks(most: number): number[] {
  const apart = Math.max(1, 2 ** Math.ceil(Math.log2(most / 5)));
  return Array.from({ length: Math.floor(most / apart) + 1 }, (_, index) => index * apart);
}

/** Below a chart whose axis has a label: the label stands under the ticks, not on them. */
export const LABELLED_AXIS_PIXELS = 40;

const LABEL_CHARACTERS = 34;
const CHARACTER_PIXELS = 6.6;

export interface Bar {
  /** The name of a type, or "before" and "after" if bars come in pairs. */
  readonly label: string;
  readonly href: string;
  readonly parts: readonly { readonly series: string; readonly size: number; readonly title: string }[];
}

export interface BarWords {
  readonly axis: string;
  readonly spell?: (size: number) => string;
  readonly ticks?: readonly number[];
  /** In the order in which they are stacked. */
  readonly series: readonly (readonly [name: string, colour: string])[];
  readonly barPixels?: number;
}

/** One under the other; null is a gap. */
export function drawBars(
  bars: readonly (Bar | null)[],
  { axis, spell, ticks, series, barPixels = 24 }: BarWords,
): (width: number) => Element {
  const cells = bars.flatMap((bar, row) =>
    (bar?.parts ?? []).filter(({ size }) => size > 0).map((part) => ({ ...part, row, href: bar!.href })),
  );
  const longest = Math.max(
    4,
    ...bars.map((bar) => Math.min(LABEL_CHARACTERS, bar === null ? 0 : spellName(bar.label).length)),
  );
  const label = (row: number, width: number): string => {
    const bar = bars[row];
    return bar === null
      ? ''
      : briefName(bar.label, Math.min(LABEL_CHARACTERS, Math.floor((width * 0.4) / CHARACTER_PIXELS)));
  };
  return (width) =>
    Plot.plot({
      width,
      marginLeft: Math.min(width * 0.4, longest * CHARACTER_PIXELS + 16),
      marginTop: 4,
      marginBottom: LABELLED_AXIS_PIXELS,
      height: bars.length * barPixels + 52,
      x: {
        label: axis,
        tickFormat: spell ?? AXIS_COUNTS,
        grid: true,
        ticks: ticks ?? Math.max(2, Math.floor(width / 110)),
      },
      y: {
        label: null,
        domain: bars.map((_, row) => row),
        tickFormat: (row: number) => label(row, width),
        tickSize: 0,
      },
      color: { domain: series.map(([name]) => name), range: series.map(([, colour]) => colour) },
      marks: [
        Plot.barX(cells, {
          y: 'row',
          x: 'size',
          fill: 'series',
          title: 'title',
          href: 'href',
          order: series.map(([name]) => name),
          insetTop: 2,
          insetBottom: 2,
        }),
        Plot.ruleX([0]),
      ],
    });
}

export const CLASS_SERIES = CLASSES.map((name) => [name, CLASS_COLOURS[name]] as const);

/** A bar for each type, of its misses by class. */
export function classesByType(
  view: MissClassification | SampledTypeMisses,
  level: LevelName,
  most: number,
): HTMLElement {
  const rows: readonly (MissClassificationRow | Sampled<MissClassificationRow>)[] = view.rows;
  const missesOf = ({ levels }: Pick<Sampled<MissClassificationRow>, 'levels'>): number => levels[level].misses ?? 0;
  const types = rows.filter((row) => row.field === null && missesOf(row) > 0);
  const shown = [...types].sort((a, b) => missesOf(b) - missesOf(a)).slice(0, most);
  const misses = `levels.${level}.misses`;
  const bars = shown.map(
    (row): Bar => ({
      label: spellRow(row),
      href: linkTo('struct-layout', { type: row.type }),
      parts: CLASSES.map((name) => ({
        series: name,
        // A number that samples cannot say is null.
        size: row.levels[level].classes[name] ?? 0,
        title:
          `${spellName(spellRow(row))}\n${CLASS_NAMES[name]}: ${spellAt(row, `levels.${level}.classes.${name}`)} of ` +
          `${spellAt(row, misses)} ${LEVEL_NAMES[level]} misses`,
      })),
    }),
  );
  const ofAll = share<MissClassificationRow | Sampled<MissClassificationRow>>('of all', misses, {
    paths: [`totals.${misses}`],
    envelope: view,
  });
  const [first] = shown;
  return figure(
    {
      title: `${LEVEL_NAMES[level]} misses by type and class`,
      note:
        types.length > shown.length ? `The ${shown.length} types with most of ${types.length} that missed.` : undefined,
      alternative:
        first === undefined
          ? 'Nothing missed.'
          : `Bars by type, longest first: ${spellName(spellRow(first))} has ` +
            `${spellValue(ofAll, ofAll.value(first))} of ` +
            `${spellValue({ unit: 'count' }, missesAt(level, view.totals))} misses. The table below has every number.`,
    },
    drawBars(bars, { axis: `${LEVEL_NAMES[level]} misses`, series: CLASS_SERIES }),
    classLegend(),
  );
}

/** A chart of each level's misses, divided by class. */
export function classesByLevel(totals: ViewTotals): HTMLElement {
  const levels = LEVELS.filter((level) => totals.levels[level].misses > 0);
  const cells = levels.flatMap((level) =>
    CLASSES.map((name) => {
      const { classes, misses } = totals.levels[level];
      return {
        level: LEVEL_NAMES[level],
        class: name,
        share: classes[name] / misses,
        title:
          `${LEVEL_NAMES[level]}, ${CLASS_NAMES[name]}: ${classes[name].toLocaleString('en')} (` +
          `${formatShare(classes[name], misses)} of its misses)`,
      };
    }),
  );
  const words = levels.map((level) => {
    const { classes, misses } = totals.levels[level];
    return `${LEVEL_NAMES[level]}: ${CLASSES.filter((name) => classes[name] > 0)
      .map((name) => `${CLASS_NAMES[name]} ${formatShare(classes[name], misses)}`)
      .join(', ')}`;
  });
  return figure(
    { title: 'Classes of the misses of each level', alternative: `${words.join('. ')}.` },
    (width) =>
      Plot.plot({
        width,
        marginLeft: 40,
        marginTop: 4,
        height: levels.length * 34 + 40,
        x: { label: null, percent: true, tickFormat: (percent: number) => `${percent}%`, grid: true },
        y: { label: null, domain: levels.map((level) => LEVEL_NAMES[level]), tickSize: 0 },
        color: { domain: [...CLASSES], range: CLASSES.map((name) => CLASS_COLOURS[name]) },
        marks: [
          Plot.barX(cells, {
            y: 'level',
            x: 'share',
            fill: 'class',
            title: 'title',
            order: [...CLASSES],
            insetTop: 3,
            insetBottom: 3,
          }),
        ],
      }),
    classLegend(),
  );
}

export function classLegend(): HTMLElement {
  return colourLegend(CLASSES.map((name) => [CLASS_NAMES[name], CLASS_COLOURS[name]]));
}

/** The colours of types in a chart, in the order in which they are stacked; page.css defines them. */
export const SERIES_COLOURS = Array.from({ length: 7 }, (_, index) => `var(--series-${index})`);

export function colourLegend(entries: readonly (readonly [name: string, colour: string])[]): HTMLElement {
  return element(
    'ul',
    { class: 'legend', 'aria-label': 'colours' },
    ...entries.map(([name, colour]) =>
      element(
        'li',
        {},
        element('span', { class: 'swatch', style: { background: colour }, 'aria-hidden': true }),
        element('bdi', {}, spellName(name)),
      ),
    ),
  );
}
