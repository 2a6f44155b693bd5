// Stage: HTML page. Charts: Observable Plot draws, in a figure that says in words what it shows, anew when the width changes.

import * as Plot from '@observablehq/plot';
import { formatShare } from '../src/report/format-number.js';
import { CLASSES, LEVELS, type LevelName } from '../src/replay/machine.js';
import type { MissClassificationRow } from '../src/views/miss-classification.js';
import type { View, ViewTotals } from '../src/views/view.js';
import { element } from './elements.js';
import { linkTo } from './links.js';
import { briefName, spellName } from './names.js';
import { CLASS_COLOURS, CLASS_NAMES } from './classes.js';

export const LEVEL_NAMES: Record<LevelName, string> = { l1: 'L1', l2: 'L2', llc: 'LLC' };

export interface FigureWords {
  readonly title: string;
  /** For those who do not see it: what is on which axis, and what stands out. */
  readonly alternative: string;
  readonly note?: string;
}

export function figure({ title, alternative, note }: FigureWords, draw: (width: number) => Element, legend: Node | null = null): HTMLElement {
  const place = element('div', { class: 'chart' });
  const made = element('figure', {}, element('figcaption', {}, element('strong', {}, title), note === undefined ? null : ` ${note}`), legend, place);
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(place.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    const chart = draw(width);
    chart.setAttribute('role', 'img');
    chart.setAttribute('aria-label', `${title}. ${alternative}`);
    place.replaceChildren(chart);
  }).observe(place);
  return made;
}

/** Short forms of counts on an axis: 12k, 3.4M. */
export const AXIS_COUNTS = '~s';
const LABEL_CHARACTERS = 34;
const CHARACTER_PIXELS = 6.6;

interface StackCell {
  readonly row: string;
  readonly class: string;
  readonly misses: number;
  readonly title: string;
  readonly href: string;
}

/** A bar for each type, of its misses by class. */
export function classesByType(view: View<MissClassificationRow>, level: LevelName, most: number): HTMLElement {
  const types = view.rows.filter(({ field, levels }) => field === null && levels[level].misses > 0);
  const shown = [...types].sort((a, b) => b.levels[level].misses - a.levels[level].misses).slice(0, most);
  const cells = shown.flatMap(({ type, levels }) =>
    CLASSES.map(
      (name): StackCell => ({
        row: type,
        class: name,
        misses: levels[level].classes[name],
        title: `${spellName(type)}\n${CLASS_NAMES[name]}: ${levels[level].classes[name].toLocaleString('en')} of ${levels[level].misses.toLocaleString('en')} ${LEVEL_NAMES[level]} misses`,
        href: linkTo('struct-layout', { type }),
      }),
    ),
  ).filter(({ misses }) => misses > 0);
  const longest = Math.max(4, ...shown.map(({ type }) => Math.min(LABEL_CHARACTERS, spellName(type).length)));
  const total = view.totals.levels[level].misses;
  const [first] = shown;
  return figure(
    {
      title: `${LEVEL_NAMES[level]} misses by type and class`,
      note: types.length > shown.length ? `The ${shown.length} types with most of ${types.length} that missed.` : undefined,
      alternative: first === undefined ? 'Nothing missed.' : `Bars by type, longest first: ${spellName(first.type)} has ${formatShare(first.levels[level].misses, total)} of ${total.toLocaleString('en')} misses. The table below has every number.`,
    },
    (width) =>
      Plot.plot({
        width,
        marginLeft: Math.min(width * 0.4, longest * CHARACTER_PIXELS + 16),
        marginTop: 4,
        height: shown.length * 24 + 44,
        x: { label: `${LEVEL_NAMES[level]} misses`, tickFormat: AXIS_COUNTS, grid: true, ticks: Math.max(2, Math.floor(width / 110)) },
        y: { label: null, domain: shown.map(({ type }) => type), tickFormat: (type: string) => briefName(type, Math.min(LABEL_CHARACTERS, Math.floor((width * 0.4) / CHARACTER_PIXELS))), tickSize: 0 },
        color: { domain: [...CLASSES], range: CLASSES.map((name) => CLASS_COLOURS[name]) },
        marks: [Plot.barX(cells, { y: 'row', x: 'misses', fill: 'class', title: 'title', href: 'href', order: [...CLASSES], insetTop: 2, insetBottom: 2 }), Plot.ruleX([0])],
      }),
    classLegend(),
  );
}

/** Of each level, which part of its misses is of which class. */
export function classesByLevel(totals: ViewTotals): HTMLElement {
  const levels = LEVELS.filter((level) => totals.levels[level].misses > 0);
  const cells = levels.flatMap((level) =>
    CLASSES.map((name) => {
      const { classes, misses } = totals.levels[level];
      return { level: LEVEL_NAMES[level], class: name, share: classes[name] / misses, title: `${LEVEL_NAMES[level]}, ${CLASS_NAMES[name]}: ${classes[name].toLocaleString('en')} (${formatShare(classes[name], misses)} of its misses)` };
    }),
  );
  const words = levels.map((level) => {
    const { classes, misses } = totals.levels[level];
    return `${LEVEL_NAMES[level]}: ${CLASSES.filter((name) => classes[name] > 0).map((name) => `${CLASS_NAMES[name]} ${formatShare(classes[name], misses)}`).join(', ')}`;
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
        marks: [Plot.barX(cells, { y: 'level', x: 'share', fill: 'class', title: 'title', order: [...CLASSES], insetTop: 3, insetBottom: 3 })],
      }),
    classLegend(),
  );
}

export function classLegend(): HTMLElement {
  return colourLegend(CLASSES.map((name) => [CLASS_NAMES[name], CLASS_COLOURS[name]]));
}

/** Of types in a chart, in the order in which they are stacked: defined in page.css. */
export const SERIES_COLOURS = Array.from({ length: 7 }, (_, index) => `var(--series-${index})`);

export function colourLegend(entries: readonly (readonly [name: string, colour: string])[]): HTMLElement {
  return element('ul', { class: 'legend', 'aria-label': 'colours' }, ...entries.map(([name, colour]) => element('li', {}, element('span', { class: 'swatch', style: { background: colour }, 'aria-hidden': true }), element('bdi', {}, spellName(name)))));
}
