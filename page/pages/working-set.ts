// Stage: HTML page. The working set: what lives and what of it lies in the caches, over the run and by type; of one
// type its lifetimes and paths.

import type {
  PerLevel,
  SampledWorkingSet,
  SampledWorkingSetRow,
  WorkingSet,
  WorkingSetRow,
} from '../../src/views/working-set-rows.js';
import * as Plot from '@observablehq/plot';
import { formatBytes, formatCount, plural } from '../../src/base/format-number.js';
import { LEVELS } from '../../src/contract/machine.js';
import { walkedPathColumns, workingSetColumns } from '../../src/views/working-set-tables.js';
import {
  AXIS_COUNTS,
  byteTicks,
  colourLegend,
  figure,
  LABELLED_AXIS_PIXELS,
  LEVEL_NAMES,
  SERIES_COLOURS,
} from '../charts.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import { spellAt, spellSum } from '../sampled.js';
import { askedType, typeChoice } from '../type-choice.js';
import type { PageDefinition } from './page-definition.js';

type AnyView = WorkingSet | SampledWorkingSet;
type AnyRow = WorkingSetRow | SampledWorkingSetRow;

const VIEW = 'working-set';
/** The most types in a chart; the others together are one more. */
const MOST_TYPES = 7;
const OTHERS = 'other types';

export const workingSet: PageDefinition = {
  id: 'working-set',
  title: 'Working set',
  group: 'Caches',
  needs: [VIEW],
  async render({ report, words, go, pages }) {
    const view = await report.view<AnyView>(VIEW);
    const rows: readonly AnyRow[] = view.rows;
    const type = askedType(
      words,
      rows.map((row) => row.type),
    );
    const row = rows.find((one) => one.type === type)!;
    const columns = toPageColumns<AnyRow>(workingSetColumns(view), {
      type: (one) => linkTo('working-set', { type: one.type }),
    });
    return [
      element(
        'p',
        { class: 'lead' },
        'How much of each type is alive, how long it lives, and how much of it the caches hold on average. ',
        ...(view.sampled === undefined
          ? ['Lines of freed objects are under ', nameElement('(freed)'), '.']
          : ['Objects and bytes were counted; lines are simulated, and removed at the free.']),
      ),
      timelineFigure(view),
      ...(rows[0].averageResidentBytes === null ? [] : [residencyFigure(view)]),
      buildTable(columns, rows, {
        caption: 'Working set, a row for each type',
        rows: 'types',
        search: (one) => one.type,
        rowClass: (one) => (one.type === type ? 'asked' : null),
        height: 14,
      }),
      element('h2', {}, 'One type'),
      element(
        'div',
        { class: 'controls' },
        typeChoice(
          rows.map((one) => one.type),
          type,
          (asked) => go({ type: asked }),
        ),
        ...(pages.includes('sets') ? [element('a', { href: linkTo('sets', { type }) }, 'its sets →')] : []),
      ),
      ...(row.lives === 0
        ? [element('p', {}, 'No object of it lived.')]
        : [
            ...(row.lifetimesLog2 === null ? [] : [lifetimeFigure(row)]),
            ...(row.paths.length === 0 ? [] : [pathTable(row, view.sampled !== undefined)]),
          ]),
    ];
  },
};

/** The largest by `size`, and what the rest adds up to. */
function split(rows: readonly AnyRow[], size: (row: AnyRow) => number): { shown: AnyRow[]; others: AnyRow[] } {
  const sorted = rows.filter((row) => size(row) > 0).sort((a, b) => size(b) - size(a));
  return { shown: sorted.slice(0, MOST_TYPES), others: sorted.slice(MOST_TYPES) };
}

function add(rows: readonly AnyRow[], value: (row: AnyRow) => number): number {
  return rows.reduce((sum, row) => sum + value(row), 0);
}

interface Series {
  readonly name: string;
  readonly rows: readonly AnyRow[];
  readonly colour: string;
}

function seriesOf(rows: readonly AnyRow[], size: (row: AnyRow) => number): Series[] {
  const { shown, others } = split(rows, size);
  return [
    ...shown.map((row, index) => ({ name: row.type, rows: [row], colour: SERIES_COLOURS[index] })),
    ...(others.length === 0 ? [] : [{ name: OTHERS, rows: others, colour: 'var(--other)' }]),
  ];
}

function partOf(view: AnyView): [time: number, unit: string] {
  return view.sampled === undefined
    ? [view.timelinePartInstructions, 'instructions']
    : [view.timelinePartNanoseconds, 'nanoseconds'];
}

function timelineFigure(view: AnyView): HTMLElement {
  const rows: readonly AnyRow[] = view.rows;
  const [part, unit] = partOf(view);
  const series = seriesOf(rows, (row) => row.averageLiveBytes ?? 0);
  const parts = rows[0].timeline.length;
  const points = series.flatMap(({ name, rows: own }) =>
    Array.from({ length: parts + 1 }, (_, at) => ({
      name,
      time: at * part,
      bytes: add(own, (row) => row.timeline[Math.min(at, parts - 1)]),
    })),
  );
  const totals = Array.from({ length: parts }, (_, at) => add(rows, (row) => row.timeline[at]));
  const peak = totals.indexOf(Math.max(...totals));
  return figure(
    {
      title: 'Live bytes over the run',
      note: `Averages over ${parts} equal parts of it.`,
      alternative:
        `Live bytes by type against ${unit}, stacked: most in part ${peak + 1} of ${parts}, ` +
        `${formatBytes(totals[peak])}; at the end ${formatBytes(totals[parts - 1])}.`,
    },
    (width) =>
      Plot.plot({
        width,
        height: 250,
        marginLeft: 64,
        marginBottom: LABELLED_AXIS_PIXELS,
        x: { label: unit, tickFormat: AXIS_COUNTS, domain: [0, part * parts] },
        y: { label: 'live bytes', tickFormat: formatBytes, grid: true, ticks: byteTicks(Math.max(...totals)) },
        color: { domain: series.map(({ name }) => name), range: series.map(({ colour }) => colour) },
        marks: [
          Plot.areaY(points, {
            x: 'time',
            y: 'bytes',
            fill: 'name',
            order: series.map(({ name }) => name),
            title: ({ name }: (typeof points)[number]) => spellName(name),
            curve: 'step-after',
          }),
          Plot.ruleY([0]),
        ],
      }),
    colourLegend(series.map(({ name, colour }) => [name, colour])),
  );
}

/** Samples say it only if the working set was simulated. */
function residentBytes({ averageResidentBytes }: AnyRow, level: keyof PerLevel<number>): number {
  return averageResidentBytes?.[level] ?? 0;
}

function residencyFigure(view: AnyView): HTMLElement {
  const { machine } = view;
  const rows: readonly AnyRow[] = view.rows;
  const series = seriesOf(rows, (row) => residentBytes(row, 'l2'));
  const sizes = { l1: machine.l1.sizeBytes, l2: machine.l2.sizeBytes, llc: machine.llc.sizeBytes };
  const cells = LEVELS.flatMap((level) => {
    const whole = add(rows, (row) => residentBytes(row, level));
    return series.map(({ name, rows: own }) => {
      const bytes = add(own, (row) => residentBytes(row, level));
      const spelled =
        own.length === 1 ? spellAt(own[0], `averageResidentBytes.${level}`, 'bytes') : spellSum(bytes, view, 'bytes');
      return {
        level: LEVEL_NAMES[level],
        name,
        share: whole === 0 ? 0 : bytes / whole,
        title: `${LEVEL_NAMES[level]}, ${spellName(name)}: ${spelled} on average`,
      };
    });
  });
  const words = LEVELS.map(
    (level) =>
      `${LEVEL_NAMES[level]}: ${spellSum(
        add(rows, (row) => residentBytes(row, level)),
        view,
        'bytes',
      )} in use on average, of ${formatBytes(sizes[level])} for each`,
  );
  return figure(
    {
      title: 'What the caches hold',
      note: `On average over the run. ${words.join('; ')}.`,
      alternative: `${words.join('. ')}. The table below says it by type.`,
    },
    (width) =>
      Plot.plot({
        width,
        marginLeft: 40,
        marginTop: 4,
        height: LEVELS.length * 34 + 40,
        x: { label: null, percent: true, tickFormat: (percent: number) => `${percent}%`, grid: true },
        y: { label: null, domain: LEVELS.map((level) => LEVEL_NAMES[level]), tickSize: 0 },
        color: { domain: series.map(({ name }) => name), range: series.map(({ colour }) => colour) },
        marks: [
          Plot.barX(cells, {
            y: 'level',
            x: 'share',
            fill: 'name',
            title: 'title',
            order: series.map(({ name }) => name),
            insetTop: 3,
            insetBottom: 3,
          }),
        ],
      }),
    colourLegend(series.map(({ name, colour }) => [name, colour])),
  );
}

function lifetimeFigure({ type, lifetimesLog2, lives, averageLifetimeInstructions }: WorkingSetRow): HTMLElement {
  const bars = lifetimesLog2.map((count, log) => ({ from: log, to: log + 1, count }));
  const most = bars.reduce((best, bar) => (bar.count > best.count ? bar : best), bars[0]);
  const power = (log: number): string => formatCount(2 ** log);
  return figure(
    {
      title: `Lifetimes of ${spellName(type)}`,
      note:
        averageLifetimeInstructions === null
          ? undefined
          : `${plural(lives, 'life')} of ${plural(Math.round(averageLifetimeInstructions), 'instruction')} on average.`,
      alternative:
        `Lives by their length, in powers of two of instructions: most, ${formatCount(most?.count ?? 0)}, of ` +
        `${power(most?.from ?? 0)} to ${power(most?.to ?? 0)}.`,
    },
    (width) =>
      Plot.plot({
        width,
        height: 200,
        marginLeft: 52,
        marginBottom: LABELLED_AXIS_PIXELS,
        x: {
          label: 'instructions',
          domain: [0, Math.max(1, lifetimesLog2.length)],
          tickFormat: (log: number) => Plot.formatNumber('en')(2 ** log),
          ticks: Math.min(lifetimesLog2.length, Math.floor(width / 90)),
        },
        y: { label: 'lives', tickFormat: AXIS_COUNTS, grid: true, ticks: 4 },
        marks: [
          Plot.rectY(bars, {
            x1: 'from',
            x2: 'to',
            y: 'count',
            fill: 'var(--accent)',
            insetLeft: 1,
            title: ({ from, to, count }: (typeof bars)[number]) =>
              `${power(from)} to ${power(to)} instructions: ${plural(count, 'life')}`,
          }),
          Plot.ruleY([0]),
        ],
      }),
  );
}

function pathTable({ type, paths }: AnyRow, isSampled: boolean): HTMLElement {
  return buildTable(toPageColumns(walkedPathColumns(isSampled)), paths, {
    caption: `Paths that objects of ${spellName(type)} took`,
    rows: 'paths',
    search: ({ functions }) => functions.join(' '),
    height: 10,
  });
}
