// Stage: HTML page. Paths of objects that appeared, vanished, or are taken more or less often; and one of them, step by
// step.

import { foldRepeats } from '../../src/views/fold-repeats.js';
import type { PathChange, PathPlace } from '../../src/diff/path-changes.js';
import { formatCount, plural } from '../../src/base/format-number.js';
import {
  beforeAfterColumns,
  changeColumn,
  flagColumn,
  nameColumn,
  siteColumn,
  wordsColumn,
  type Column,
} from '../columns.js';
import { choice, element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import { countAlike, nameOf, pathText, spellPath } from '../path-words.js';
import { buildTable } from '../table.js';
import { numbersChoice } from './choices.js';
import { comparisonPage } from './comparison-page.js';
import { spellPer, type Numbers } from './numbers.js';

const KINDS = ['changed', 'appeared', 'vanished', 'both', 'all'] as const;
type Kind = (typeof KINDS)[number];

export const paths = comparisonPage({
  id: 'paths',
  title: 'Paths',
  group: 'Objects',
  async render({ diff, paths: read, words, numbers, ask }) {
    if (diff.paths === null)
      return [
        element(
          'p',
          {},
          'The runs have no paths that could be compared: they were replayed with --no-flow, or with paths by ' +
            'something else.',
        ),
      ];
    const { livesOnOtherPaths } = diff.paths;
    const rows = await read();
    const type = words.get('type');
    const own = type === null ? rows : rows.filter((row) => row.type === type);
    const isOf = (row: PathChange, kind: Kind): boolean => {
      const isOther = numbers.of(row.frequency).change !== 0;
      return kind === 'all' || (kind === 'changed' ? isOther : row.presence === kind && isOther);
    };
    const kind = KINDS.find((one) => one === words.get('which')) ?? 'changed';
    const spelled: Record<Kind, string> = {
      changed: 'all that changed',
      appeared: 'appeared',
      vanished: 'vanished',
      both: 'more or less often',
      all: 'all paths',
    };
    const shown = rankPaths(
      own.filter((row) => isOf(row, kind)),
      numbers,
    );
    const chosen = rows[Number(words.get('path') ?? NaN)] ?? shown[0];
    return [
      element(
        'p',
        { class: 'lead' },
        'Paths of objects from their allocation to their end, by the change of how many lives took them' +
          `${spellPer(numbers)}. A double arrow is where the object changes core. Two paths are one if all but ` +
          'their numbers is the same.',
      ),
      ...(livesOnOtherPaths.before + livesOnOtherPaths.after === 0
        ? []
        : [
            element(
              'p',
              { class: 'note' },
              'On paths beyond --most-paths, which are not compared: ' +
                `${plural(livesOnOtherPaths.before, 'life')} before, ${formatCount(livesOnOtherPaths.after)} ` +
                'after.',
            ),
          ]),
      element(
        'div',
        { class: 'controls' },
        choice(
          'paths',
          KINDS.map(
            (one) => [one, `${spelled[one]} (${formatCount(own.filter((row) => isOf(row, one)).length)})`] as const,
          ),
          kind,
          (which) => ask({ which }),
        ),
        ...numbersChoice(diff, numbers, (asked) => ask({ numbers: asked })),
        ...(type === null
          ? []
          : [
              element(
                'span',
                {},
                'of ',
                nameElement(type),
                ' only; ',
                element('a', { href: linkTo('paths', { which: kind }) }, 'of all types'),
              ),
            ]),
      ),
      pathTable(shown, rows, numbers, words, chosen),
      ...(chosen === undefined ? [] : pathDetail(chosen)),
    ];
  },
});

/** Their order in the comparison is by what it is per; where numbers are as counted, by those. */
function rankPaths(rows: readonly PathChange[], numbers: Numbers): PathChange[] {
  const size = ({ frequency }: PathChange): number => Math.abs(numbers.of(frequency).change);
  return [...rows].sort((a, b) => size(b) - size(a));
}

function pathTable(
  rows: readonly PathChange[],
  all: readonly PathChange[],
  { at, unit }: Numbers,
  words: URLSearchParams,
  chosen: PathChange | undefined,
): HTMLElement {
  const places = new Map(all.map((row, index) => [row, index]));
  const byType = new Map<string, PathChange[]>();
  for (const row of rows) {
    const own = byType.get(row.type);
    if (own === undefined) byType.set(row.type, [row]);
    else own.push(row);
  }
  const alike = new Map([...byType].map(([type, own]) => [type, countAlike(own)]));
  const told = (row: PathChange): [string, readonly PathPlace[], number] => [
    beginOf(row),
    row.steps,
    alike.get(row.type)!,
  ];
  const columns: Column<PathChange>[] = [
    {
      id: 'path',
      heading: 'path',
      unit: 'name',
      width: 58,
      value: (row) => pathText(...told(row)),
      cell: (row) =>
        element(
          'a',
          { href: linkTo('paths', { ...Object.fromEntries(words), path: String(places.get(row)) }) },
          ...spellPath(...told(row)),
        ),
    },
    nameColumn('type', 'type', { width: 20 }),
    wordsColumn('presence', 'in', ({ presence }) => (presence === 'both' ? '' : presence), {
      width: 9,
      meaning: 'appeared: only in the run after; vanished: only in the one before',
    }),
    ...beforeAfterColumns<PathChange>(['lives before', 'after'], at('frequency'), unit, {
      meaning: 'lives of objects that took this path',
    }),
    changeColumn('change', at('frequency'), unit, { meaning: 'of lives: after minus before' }),
    ...beforeAfterColumns<PathChange>(['lifetime before', 'after'], 'averageLifetimeInstructions', 'average', {
      meaning: 'average, in instructions of replay time',
    }),
    wordsColumn('end', 'ended', ({ end }) => end, {
      width: 8,
      meaning: 'freed; alive at the end of the run; or ended otherwise, with its frame or its thread',
    }),
  ];
  return buildTable(columns, rows, {
    caption: 'Paths by change of the lives that took them',
    rows: 'paths',
    search: ({ type, steps }) => `${type} ${steps.map((step) => step.function ?? '').join(' ')}`,
    rowClass: (row) => (row === chosen ? 'asked' : null),
    startAt: chosen === undefined ? undefined : rows.indexOf(chosen),
    height: 12,
  });
}

function beginOf({ variable, allocatedBy }: PathChange): string {
  return variable ?? nameOf(allocatedBy);
}

interface StepRow extends PathPlace {
  /** For the first step of a repeated stretch: the number of repetitions. */
  readonly times: string;
  readonly site: string | null;
}

function pathDetail(row: PathChange): Node[] {
  const { type, variable, allocatedBy, end, freedBy, freedOnAnotherCore } = row;
  const steps = foldRepeats(row.steps, isSameStep).flatMap(({ times, items }) =>
    items.map(
      ([step], index): StepRow => ({
        ...step,
        times: times === 1 ? '' : index === 0 ? spellTimes(times, items.length) : '',
        site: step.file === undefined || step.file === null ? null : `${step.file}:${step.line}`,
      }),
    ),
  );
  const columns: Column<StepRow>[] = [
    nameColumn('function', 'function', { width: 40, nothing: '(unknown)' }),
    flagColumn('core change', 'coreChange', { width: 11 }),
    ...(steps.some(({ times }) => times !== '')
      ? [
          wordsColumn<StepRow>('times', 'again', ({ times }) => times, {
            width: 22,
            meaning: 'this step and those that follow it come again so often',
          }),
        ]
      : []),
    ...(steps.some(({ site }) => site !== null) ? [siteColumn<StepRow>('at', 'site', { width: 24 })] : []),
    ...(steps.some(({ cut }) => cut)
      ? [flagColumn<StepRow>('cut', 'cut', { meaning: 'it stands for all further steps' })]
      : []),
  ];
  const begin =
    variable !== null
      ? ['The variable ', nameElement(variable)]
      : allocatedBy === null
        ? ['It begins']
        : ['Allocated by ', nameElement(allocatedBy)];
  const ends = {
    freed: [', freed by ', nameElement(nameOf(freedBy)), freedOnAnotherCore ? ' on another core' : ''],
    alive: [', alive at the end of the run'],
    ended: [', ended with its frame, its thread or its memory'],
  };
  return [
    element('h2', {}, 'One path of ', nameElement(type)),
    element('p', {}, ...begin, ...ends[end], '.'),
    buildTable(columns, steps, { caption: `Steps of a path of ${spellName(type)}`, rows: 'steps', height: 12 }),
  ];
}

function spellTimes(times: number, length: number): string {
  return `${formatCount(times)} x${length === 1 ? '' : `, with the next ${length - 1}`}`;
}

function isSameStep(a: PathPlace, b: PathPlace): boolean {
  return (
    a.function === b.function &&
    a.file === b.file &&
    a.line === b.line &&
    a.coreChange === b.coreChange &&
    a.cut === b.cut
  );
}
