// Stage: HTML page. The sums of all types of two runs, side by side.

import type { AverageChange, BeforeAfter, CountChange } from '../../src/diff/change.js';
import type { Diff } from '../../src/diff/diff.js';
import { formatBytes, formatRate } from '../../src/base/format-number.js';
import { CLASSES, LEVELS } from '../../src/contract/machine.js';
import { LEVEL_NAMES } from '../charts.js';
import { CLASS_NAMES } from '../classes.js';
import { changeElement } from '../columns.js';
import { element, sideways, tableHead } from '../elements.js';
import { spellRatio } from '../words.js';
import { spellPer, type Numbers } from './numbers.js';

interface Total {
  readonly label: string;
  readonly path: string;
  readonly value: BeforeAfter | AverageChange;
  readonly spell: (value: number) => string;
  readonly unit: string;
  /** One of several that add up to the row above. */
  readonly isPart?: boolean;
}

/** Totals that samples cannot say. */
const ONLY_REPLAYED: readonly string[] = ['invalidations', 'instructions'];

export function totalsTable({ totals, before, after }: Diff, numbers: Numbers): HTMLElement {
  const count = (label: string, path: string, value: CountChange, isPart = false): Total => ({
    label,
    path: numbers.at(`totals.${path}`),
    value: numbers.of(value),
    spell: numbers.spell,
    unit: numbers.unit,
    isPart,
  });
  const isSampled = before.sampled !== undefined || after.sampled !== undefined;
  const all: Total[] = [
    count('references', 'references', totals.references),
    ...LEVELS.flatMap((level) => [
      count(`${LEVEL_NAMES[level]} misses`, `levels.${level}.misses`, totals.levels[level].misses),
      ...CLASSES.map((name) => ({ name, change: totals.levels[level].classes[name] }))
        .filter(({ change }) => change.before > 0 || change.after > 0)
        .map(({ name, change }) => count(CLASS_NAMES[name], `levels.${level}.classes.${name}`, change, true)),
    ]),
    count("served by another core's cache", 'cacheToCache', totals.cacheToCache),
    count('invalidations', 'invalidations', totals.invalidations),
    count('latency, cycles', 'latencyCycles', totals.latencyCycles),
    count('of what missed the L1', 'missLatencyCycles', totals.missLatencyCycles, true),
    count('instructions of replay time', 'instructions', totals.instructions),
    count('objects that ever lived', 'objects', totals.objects),
    {
      label: 'live objects, on average',
      path: 'totals.averageLiveObjects',
      value: totals.averageLiveObjects,
      spell: formatRate,
      unit: 'rate',
    },
    {
      label: 'bytes of live objects, on average',
      path: 'totals.workingSetBytes',
      value: totals.workingSetBytes,
      spell: formatBytes,
      unit: 'bytes',
    },
  ];
  const rows = isSampled ? all.filter(({ path }) => !ONLY_REPLAYED.some((name) => path.includes(`.${name}`))) : all;
  const caption = `All types before and after${spellPer(numbers)}`;
  const table = element(
    'table',
    { class: 'plain' },
    element('caption', { class: 'unseen' }, caption),
    tableHead(['all types', 'before', 'after', 'change', 'after : before'], (index) => index > 0),
    element('tbody', {}, ...rows.map(totalRow)),
  );
  return sideways(caption, table);
}

function totalRow({ label, path, value, spell, unit, isPart = false }: Total): HTMLElement {
  const { before, after, change } = value;
  const cell = (side: string, text: Node | string, own: string): HTMLElement =>
    element('td', { class: 'number', 'data-path': `${path}.${side}`, 'data-unit': own }, text);
  return element(
    'tr',
    { class: isPart ? 'part' : 'whole' },
    element('th', { scope: 'row' }, label),
    cell('before', before === null ? '-' : spell(before), unit),
    cell('after', after === null ? '-' : spell(after), unit),
    cell('change', changeElement(change, spell), `${unit}-change`),
    element(
      'td',
      { class: 'number' },
      spellRatio(before === null || after === null || before === 0 ? null : after / before),
    ),
  );
}
