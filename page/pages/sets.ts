// Stage: HTML page. Associativity sets, as DProf's Figure 1: how many lines each set was given, by all and by one type,
// and who is in a set.

import type { WorkingSet, WorkingSetRow } from '../../src/views/working-set-rows.js';
import * as Plot from '@observablehq/plot';
import { formatCount, formatShare } from '../../src/base/format-number.js';
import type { LevelName } from '../../src/contract/machine.js';
import { TYPE_IN_SETS_COLUMNS, typesInSets, type LevelSets } from '../../src/views/set-use.js';
import { AXIS_COUNTS, figure, LABELLED_AXIS_PIXELS, LEVEL_NAMES } from '../charts.js';
import { choice, element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import { buildTable } from '../table.js';
import { askedType, typeChoice } from '../type-choice.js';
import { toPageColumns } from '../view-columns.js';
import { askedLevel, levelChoice } from './miss-classes.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'working-set';
const MOST_OVERFULL = 40;

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export const sets: PageDefinition = {
  id: 'sets',
  title: 'Associativity sets',
  group: 'Caches',
  needs: [VIEW],
  async render({ report, words, go }) {
    const view = await report.view<WorkingSet>(VIEW);
    const level = askedLevel(words, view.level);
    const whole = view.sets[level];
    const types = view.rows.filter((row) => row.linesPerSet[level].some((lines) => lines > 0)).map(({ type }) => type);
    if (types.length === 0) return [element('p', {}, 'No line of an object was referenced.')];
    const type = askedType(words, types);
    const row = view.rows.find((one) => one.type === type)!;
    const bins = row.linesPerSet[level].length;
    const bin = Math.min(bins - 1, Math.max(0, Number(words.get('bin') ?? fullest(row, level)) || 0));
    const asked = (more: Readonly<Record<string, string>>): void =>
      go({ level, type, ...(words.has('bin') && { bin: String(bin) }), ...more });
    return [
      element(
        'p',
        { class: 'lead' },
        `A line can lie in one set only, which has ${whole.ways} ways. Lines are distinct ones of objects, ` +
          'counted over the whole run: where few sets are given most of them, they throw each other out while ' +
          'other sets stand empty.',
      ),
      element(
        'div',
        { class: 'controls' },
        levelChoice(level, (one) => asked({ level: one, bin: '0' })),
      ),
      wholeFigure(whole, level),
      facts(whole),
      element('h2', {}, 'One type'),
      element(
        'div',
        { class: 'controls' },
        typeChoice(types, type, (one) => asked({ type: one })),
      ),
      typeFacts(row, level, whole),
      ...(['linesPerSet', 'objectsPerSet', 'missesPerSet'] as const).map((what) => typeFigure(row, level, what, whole)),
      element('h2', {}, 'One set'),
      element(
        'div',
        { class: 'controls' },
        choice(
          whole.setsPerBin === 1 ? 'set' : 'sets',
          Array.from({ length: bins }, (_, one) => [String(one), spellBin(one, whole)] as const),
          String(bin),
          (one) => asked({ bin: one }),
        ),
      ),
      setTable(view, level, bin, whole),
    ];
  },
};

function fullest(row: WorkingSetRow, level: LevelName): number {
  const lines = row.linesPerSet[level];
  return lines.indexOf(Math.max(...lines));
}

function spellBin(bin: number, { setsPerBin, sets: all }: LevelSets): string {
  return setsPerBin === 1 ? String(bin) : `${bin * setsPerBin} to ${Math.min(all, (bin + 1) * setsPerBin) - 1}`;
}

/** A histogram of all sets. A bar of several sets shows the fullest of them. */
function wholeFigure({ linesPerSet, setsPerBin, ways, sets: all }: LevelSets, level: LevelName): HTMLElement {
  const bars = Array.from({ length: Math.ceil(all / setsPerBin) }, (_, bin): Bar => {
    const own = linesPerSet.slice(bin * setsPerBin, (bin + 1) * setsPerBin);
    return { from: bin * setsPerBin, to: bin * setsPerBin + own.length, count: Math.max(...own) };
  });
  const worst = bars.reduce((most, bar) => (bar.count > most.count ? bar : most));
  return figure(
    {
      title: `Lines of all objects by set of the ${LEVEL_NAMES[level]}`,
      note:
        setsPerBin === 1
          ? `The line across: ${ways} ways.`
          : `The fullest of ${setsPerBin} sets to a bar; the line across: ${ways} ways.`,
      alternative:
        `Distinct lines by set, ${formatCount(all)} sets of ${ways} ways: most, ${formatCount(worst.count)}, in ` +
        `set ${worst.from}${setsPerBin === 1 ? '' : ' or one of its neighbours'}.`,
    },
    (width) => histogram(bars, width, all, 'lines', [Plot.ruleY([ways], { stroke: 'var(--warm)', strokeWidth: 2 })]),
  );
}

function typeFigure(
  row: WorkingSetRow,
  level: LevelName,
  what: 'linesPerSet' | 'objectsPerSet' | 'missesPerSet',
  { setsPerBin, sets: all, ways }: LevelSets,
): HTMLElement {
  const noun = { linesPerSet: 'lines', objectsPerSet: 'objects', missesPerSet: 'misses' }[what];
  const bars = row[what][level].map(
    (count, bin): Bar => ({ from: bin * setsPerBin, to: Math.min(all, (bin + 1) * setsPerBin), count }),
  );
  const worst = bars.reduce((most, bar) => (bar.count > most.count ? bar : most));
  return figure(
    {
      title: `${noun[0].toUpperCase()}${noun.slice(1)} of ${spellName(row.type)} by set`,
      note: setsPerBin === 1 ? undefined : `${setsPerBin} sets to a bar.`,
      alternative:
        `Most, ${formatCount(worst.count)}, in set ${worst.from}${setsPerBin === 1 ? '' : ' and its neighbours'}` +
        `. The table below lists one set's types.`,
    },
    (width) =>
      histogram(
        bars,
        width,
        all,
        noun,
        what === 'linesPerSet' && setsPerBin === 1
          ? [Plot.ruleY([ways], { stroke: 'var(--warm)', strokeWidth: 2 })]
          : [],
      ),
  );
}

function histogram(
  bars: readonly Bar[],
  width: number,
  all: number,
  noun: string,
  more: readonly Plot.Markish[],
): Element {
  return Plot.plot({
    width,
    height: 180,
    marginLeft: 52,
    marginBottom: LABELLED_AXIS_PIXELS,
    x: { label: 'set', domain: [0, all], tickFormat: AXIS_COUNTS },
    y: { label: noun, tickFormat: AXIS_COUNTS, grid: true, ticks: 4 },
    marks: [
      Plot.rectY(bars, {
        x1: 'from',
        x2: 'to',
        y: 'count',
        fill: 'var(--accent)',
        inset: 0,
        title: ({ from, to, count }: Bar) =>
          `${to - from === 1 ? `set ${from}` : `sets ${from} to ${to - 1}`}: ${formatCount(count)} ${noun}`,
      }),
      ...more,
      Plot.ruleY([0]),
    ],
  });
}

function facts({ sets: all, unused, overfull, ways, linesPerSet }: LevelSets): HTMLElement {
  const shown = overfull
    .slice(0, MOST_OVERFULL)
    .map((set) => `${set} (${formatCount(linesPerSet[set])})`)
    .join(', ');
  return element(
    'dl',
    { class: 'labelled' },
    element('dt', {}, 'unused sets'),
    element('dd', {}, `${formatCount(unused)} of ${formatCount(all)} (${formatShare(unused, all)})`),
    element('dt', {}, 'overfull sets'),
    element(
      'dd',
      {},
      overfull.length === 0
        ? `none was given more than ${ways} lines`
        : `${formatCount(overfull.length)} of ${formatCount(all)} (${formatShare(overfull.length, all)}) were ` +
            `given more lines than their ${ways} ways: ${shown}${overfull.length > MOST_OVERFULL ? ', …' : ''}`,
    ),
  );
}

function typeFacts(row: WorkingSetRow, level: LevelName, { sets: all, setsPerBin }: LevelSets): HTMLElement {
  const [least, most] = setsPerBin === 1 ? ['', ''] : ['at least ', 'at most '];
  return element(
    'dl',
    { class: 'labelled' },
    element('dt', {}, 'unused sets'),
    element(
      'dd',
      {},
      `${least}${formatCount(row.unusedSets[level])} of ${formatCount(all)} were given no line of `,
      nameElement(row.type),
    ),
    element('dt', {}, 'reachable sets'),
    element(
      'dd',
      {},
      `${most}${formatCount(row.reachableSets[level])}: where its objects could lie, as they are aligned`,
    ),
  );
}

function setTable({ rows }: WorkingSet, level: LevelName, bin: number, whole: LevelSets): HTMLElement {
  const columns = toPageColumns(TYPE_IN_SETS_COLUMNS, {
    type: (row) => linkTo('sets', { level, type: row.type, bin: String(bin) }),
  });
  return buildTable(columns, typesInSets(rows, level, bin), {
    caption: `Types in ${whole.setsPerBin === 1 ? 'set' : 'sets'} ${spellBin(bin, whole)}`,
    rows: 'types',
    search: ({ type }) => type,
    sortedBy: 'lines',
    height: 12,
  });
}
