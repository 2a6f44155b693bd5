// Stage: HTML page. The limits of the numbers: what they are exact for, and what they do not cover; the typing ledger,
// the machine, the definitions.

import { sampledCoverageLines } from '../../src/report/sampled-lines.js';
import { coverageLines } from '../../src/report/run-lines.js';
import { TYPING_GROUP_NAMES } from '../../src/report/typing-groups.js';
import { CLASSES } from '../../src/contract/machine.js';
import { RULES, type TypingRule } from '../../src/contract/result.js';
import { TYPING_GROUPS, type TypingCounts } from '../../src/views/typing-ledger.js';
import type { SampledView, View } from '../../src/views/view.js';
import { CLASS_MEANINGS, CLASS_NAMES } from '../classes.js';
import { element, tableHead } from '../elements.js';
import { spellPart, spellSum } from '../sampled.js';
import { labelledList, runFacts } from './overview.js';
import type { PageDefinition } from './page-definition.js';

const RULE_NAMES: Record<TypingRule, string> = {
  object: 'the type that the object was declared or allocated with',
  descriptor: 'the struct that the access itself names',
  vote: 'the struct that most references to the object named',
  behind: 'the bytes of an object behind the struct that it was allocated for',
  beside: 'the bytes of an object beside the struct of its vote',
  pool: 'the allocation site of memory in which accesses name several structs',
  site: 'the place where the object was allocated',
  variable: 'the variable',
  scalar: 'a scalar type only',
  untyped: 'nothing is known',
};

export const about: PageDefinition = {
  id: 'about',
  title: 'What is exact',
  group: 'Report',
  needs: ['data-profile'],
  async render({ report }) {
    const view = await report.envelope<View<unknown> | SampledView<unknown>>('data-profile');
    return [
      element(
        'p',
        { class: 'lead' },
        view.sampled === undefined
          ? 'Every access was recorded and every one replayed: nothing here is sampled. What that makes exact, ' +
              'and for what, is below.'
          : 'Numbers are estimates from samples, each with its interval; counts of objects are exact. What no ' +
              'sample can say is listed below.',
      ),
      labelledList(
        (view.sampled === undefined ? coverageLines(view) : sampledCoverageLines(view)).filter(
          ([label]) => label !== 'typed by',
        ),
      ),
      element('h2', {}, 'Typing ledger'),
      ledger(view),
      element('h2', {}, 'The run'),
      runFacts(view),
      element('h2', {}, 'Classes of misses'),
      element(
        'p',
        {},
        'For a reference by a core to a line that misses at a level, exactly one class, the first that ' +
          'applies; they sum up to the misses of the level.',
      ),
      labelledList(CLASSES.map((name) => [CLASS_NAMES[name], CLASS_MEANINGS[name]] as const)),
    ];
  },
};

function ledger(view: View<unknown> | SampledView<unknown>): HTMLElement {
  const { references, l1Misses } = view.typing;
  const row = (label: string, get: (counts: TypingCounts) => number, path: string, kind: string): HTMLElement =>
    element(
      'tr',
      { class: kind },
      element('th', { scope: 'row' }, label),
      ...(
        [
          ['references', references],
          ['l1Misses', l1Misses],
        ] as const
      ).flatMap(([name, counts]) => [
        element('td', { class: 'number', 'data-path': `typing.${name}.${path}` }, spellSum(get(counts), view, 'count')),
        element('td', { class: 'number' }, spellPart(get(counts), counts.of, view)),
      ]),
    );
  return element(
    'table',
    { class: 'plain' },
    element('caption', { class: 'unseen' }, 'How references and L1 misses got their type'),
    tableHead(['typed by', 'references', 'of all', 'L1 misses', 'of all'], (index) => index > 0),
    element(
      'tbody',
      {},
      ...TYPING_GROUPS.map((group) =>
        row(TYPING_GROUP_NAMES[group], (counts) => counts.groups[group], `groups.${group}`, 'whole'),
      ),
      element('tr', { class: 'between' }, element('th', { scope: 'rowgroup', colspan: 5 }, 'the same, by rule')),
      ...RULES.map((rule) => row(RULE_NAMES[rule], (counts) => counts.rules[rule], `rules.${rule}`, 'part')),
    ),
  );
}
