// Stage: HTML page. What a change would bring: estimated cycles before and after as bars, with the range over all
// schedules; and these and the misses of each level as a table, with the cycles on other machines.

import * as Plot from '@observablehq/plot';
import type { PredictionJson } from '../../src/advise/advice-schema.js';
import { formatCount } from '../../src/base/format-number.js';
import { LEVELS } from '../../src/contract/machine.js';
import { rangeOf, ratioOf, runTimeOf } from '../../src/report/advice-words.js';
import { AXIS_COUNTS, figure, LABELLED_AXIS_PIXELS, LEVEL_NAMES } from '../charts.js';
import { element, sideways, tableHead } from '../elements.js';
import { spellName } from '../names.js';

const SERIES = [
  ['before', 'var(--other)'],
  ['after', 'var(--accent)'],
] as const;
const BAR_PIXELS = 28;
const LABEL_PIXELS = 52;
const DIGIT_PIXELS = 7.5;

interface BeforeAfter {
  readonly before: number;
  readonly after: number;
}

/** `subject`: what is changed, in words. */
export function predictionFigure(subject: string, prediction: PredictionJson): HTMLElement {
  const { cycles } = prediction;
  const isOneSchedule = cycles.low === cycles.high;
  const range = isOneSchedule ? '' : ` (${formatCount(cycles.low)} to ${formatCount(cycles.high)} under all schedules)`;
  const bars = SERIES.map(([side]) => ({
    side,
    cycles: cycles[side],
    end: side === 'after' ? Math.max(cycles.after, cycles.high) : cycles.before,
    text: formatCount(cycles[side]),
    title: `${side}: ${formatCount(cycles[side])} estimated cycles${side === 'after' ? range : ''}`,
  }));
  const longest = Math.max(...bars.map(({ text }) => text.length));
  const made = figure(
    {
      title: `Estimated cycles before and after: ${ratioOf(cycles)}`,
      note: `${runTimeOf(prediction)}${rangeOf(prediction)}`.trim(),
      alternative:
        `Two bars, of ${subject}: ${formatCount(cycles.before)} estimated cycles before, ` +
        `${formatCount(cycles.after)} after${range}. The table below has every number.`,
    },
    (width) =>
      Plot.plot({
        width,
        height: SERIES.length * BAR_PIXELS + LABELLED_AXIS_PIXELS + 8,
        marginLeft: LABEL_PIXELS,
        marginRight: longest * DIGIT_PIXELS + 8,
        marginTop: 4,
        marginBottom: LABELLED_AXIS_PIXELS,
        x: {
          label: 'estimated cycles',
          domain: [0, Math.max(1, ...bars.map(({ end }) => end))],
          tickFormat: AXIS_COUNTS,
          grid: true,
          ticks: Math.max(2, Math.floor(width / 130)),
        },
        y: { label: null, domain: SERIES.map(([side]) => side), tickSize: 0 },
        color: { domain: SERIES.map(([side]) => side), range: SERIES.map(([, colour]) => colour) },
        marks: [
          Plot.barX(bars, { y: 'side', x: 'cycles', fill: 'side', title: 'title', insetTop: 3, insetBottom: 3 }),
          ...(isOneSchedule ? [] : rangeMarks(cycles)),
          Plot.text(bars, { y: 'side', x: 'end', text: 'text', textAnchor: 'start', dx: 6, fill: 'currentColor' }),
          Plot.ruleX([0]),
        ],
      }),
  );
  made.classList.add('prediction');
  return made;
}

/** On a lighter ground, so that it is seen on the bar too. */
function rangeMarks({ low, high }: PredictionJson['cycles']): Plot.Markish[] {
  const line = { y: 'side', x1: 'low', x2: 'high' } as const;
  const range = [{ side: 'after', low, high }];
  const ends = [low, high].map((cycles) => ({ side: 'after', cycles }));
  return [
    Plot.link(range, { ...line, stroke: 'var(--ground)', strokeWidth: 5 }),
    Plot.link(range, { ...line, stroke: 'var(--ink)', strokeWidth: 1.5 }),
    Plot.tickX(ends, { x: 'cycles', y: 'side', stroke: 'var(--ink)', strokeWidth: 1.5, insetTop: 8, insetBottom: 8 }),
  ];
}

/** `path`: where the JSON has it. `machines`: names, that of the prediction first. */
export function predictionTable(
  subject: string,
  { cycles, misses, machines: onMachines }: PredictionJson,
  machines: readonly string[],
  path: string,
): HTMLElement {
  const row = (heading: Node | string, counts: BeforeAfter, at: string): HTMLElement =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, heading),
      ...(['before', 'after'] as const).map((side) =>
        element('td', { class: 'number', 'data-path': `${path}.${at}.${side}` }, formatCount(counts[side])),
      ),
      element('td', { class: 'number' }, counts.before === 0 ? '-' : ratioOf(counts)),
    );
  const others = onMachines.slice(1).map((counts, index) => {
    const name = machines[index + 1] ?? `machine ${index + 2}`;
    return row(element('bdi', {}, 'estimated cycles on ', spellName(name)), counts, `machines.${index + 1}`);
  });
  const table = element(
    'table',
    { class: 'plain fitting' },
    element('caption', { class: 'unseen' }, `Predicted for ${subject}`),
    tableHead(['', 'before', 'after', 'after : before'], (index) => index > 0),
    element(
      'tbody',
      {},
      row('estimated cycles', cycles, 'cycles'),
      ...LEVELS.map((level) => row(`${LEVEL_NAMES[level]} misses`, misses[level], `misses.${level}`)),
      ...others,
    ),
  );
  return sideways(`Predicted for ${subject}`, table);
}
