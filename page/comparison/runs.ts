// Stage: HTML page. The two runs side by side, and loudly what is not alike in how they were made.

import type { Diff, DiffSide } from '../../src/diff/diff.js';
import { formatCount, formatShare, plural } from '../../src/base/format-number.js';
import { describeMachine } from '../../src/report/machine-line.js';
import { describeWork } from '../../src/report/work-line.js';
import { element, tableHead } from '../elements.js';
import { labelledList } from '../pages/overview.js';
import { spellName } from '../names.js';
import { comparisonPage } from './comparison-page.js';

const MOST_MARKS = 12;

export const runs = comparisonPage({
  id: 'runs',
  title: 'The two runs',
  group: 'Report',
  saysDifferences: true,
  render: ({ diff }) => [
    ...(diff.madeDifferently.length === 0
      ? [
          element(
            'p',
            { class: 'lead' },
            'The runs were made alike: the same machine, schedule, threads, window and paths. What changed is ' +
              'the program, or what it was given to do.',
          ),
        ]
      : []),
    ...differences(diff),
    ...(diff.per === null ? [] : [element('h2', {}, 'Work'), labelledList([['per', describeWork(diff.per)]])]),
    element('h2', {}, 'Side by side'),
    sideBySide(diff),
  ],
});

/** Each with what it does to the numbers; nothing where the runs were made alike. */
export function differences({ madeDifferently }: Diff): HTMLElement[] {
  if (madeDifferently.length === 0) return [];
  const caption = 'What is not alike in how the runs were made';
  return [
    element(
      'section',
      { class: 'different', 'aria-label': caption },
      element(
        'p',
        {},
        element('strong', {}, 'DIFFERENT'),
        ` Not only the program: the runs were made differently in ${plural(madeDifferently.length, 'way')}, ` +
          'and changes may come from there.',
      ),
      table(
        caption,
        ['what', 'before', 'after', 'what that means'],
        madeDifferently.map(({ what, before, after, meaning }) => ({
          cells: [what, before, after, meaning],
          isOther: true,
        })),
      ),
    ),
  ];
}

const FACTS: readonly (readonly [label: string, tell: (side: DiffSide) => string])[] = [
  ['file', ({ name }) => name],
  ['program', ({ command }) => command.join(' ')],
  ['ended', ({ ended, truncated }) => `${ended}${truncated ? '; TRUNCATED' : ''}`],
  ['machine', ({ machine }) => describeMachine(machine)],
  ['threads', ({ threads }) => formatCount(threads)],
  ['schedule', ({ schedule }) => schedule],
  [
    'window',
    ({ window }) =>
      window === undefined
        ? 'the whole run'
        : `${window.from?.asked ?? 'the beginning'} to ${window.to?.asked ?? 'the end'}`,
  ],
  [
    'marks',
    ({ marks }) =>
      marks.length === 0
        ? 'none'
        : `${marks
            .slice(0, MOST_MARKS)
            .map(({ name, times }) => `${name}: ${formatCount(times)}`)
            .join(', ')}${marks.length > MOST_MARKS ? `, and ${formatCount(marks.length - MOST_MARKS)} more` : ''}`,
  ],
  [
    'references',
    ({ totals }) =>
      `${formatCount(totals.references)} (${plural(totals.loads, 'load')}, ${plural(totals.stores, 'store')})`,
  ],
  ['instructions of replay time', ({ totals }) => formatCount(totals.instructions)],
  [
    'order-bound transfers',
    ({ orderBound: { transfers, orderBoundTransfers } }) =>
      transfers === 0
        ? 'no line moved between cores'
        : `${formatShare(orderBoundTransfers, transfers)} of ${formatCount(transfers)}: their order is the ` +
          'recorded one',
  ],
];

function sideBySide({ before, after }: Diff): HTMLElement {
  return table(
    'The runs side by side',
    ['', 'before', 'after'],
    FACTS.map(([label, tell]) => ({
      cells: [label, tell(before), tell(after)],
      isOther: tell(before) !== tell(after),
    })),
  );
}

function table(
  caption: string,
  headings: readonly string[],
  rows: readonly { readonly cells: readonly string[]; readonly isOther: boolean }[],
): HTMLElement {
  return element(
    'table',
    { class: 'plain wrapped' },
    element('caption', { class: 'unseen' }, caption),
    tableHead(headings, () => false),
    element(
      'tbody',
      {},
      ...rows.map(({ cells: [label, ...cells], isOther }) =>
        element(
          'tr',
          { class: isOther ? 'other' : undefined },
          element('th', { scope: 'row' }, element('bdi', {}, spellName(label))),
          ...cells.map((cell) => element('td', {}, element('bdi', {}, spellName(cell)))),
        ),
      ),
    ),
  );
}
