// Stage: HTML page. Advice: what `dprof advise` found and tried, a section for each finding.

import type { AdviceJson } from '../../src/advise/advice-schema.js';
import { formatCount, formatShare } from '../../src/base/format-number.js';
import type { PackedAdvice } from '../../src/html/html-report.js';
import { commandOf, ratioOf, runLines, titleOf } from '../../src/report/advice-words.js';
import { bestTriedOf, costliestOf, isOfUse, leftOutOf } from '../../src/report/left-out-words.js';
import type { SampledView, View } from '../../src/views/view.js';
import { commandElement } from '../advice/command.js';
import { allTogether, findingSection, SOME_TRACE } from '../advice/finding.js';
import { sourceLinks, spellWords, type SourceLinks } from '../advice/spelled-words.js';
import { element, sideways, tableHead } from '../elements.js';
import { spellName } from '../names.js';
import { labelledList } from './overview.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'advice';

export const advice: PageDefinition = {
  id: VIEW,
  title: 'Advice',
  group: 'Report',
  needs: [VIEW],
  async render({ report, pages }) {
    const [all, view, linkOf] = await Promise.all([
      report.envelope<PackedAdvice>(VIEW),
      report.envelope<View<unknown> | SampledView<unknown>>('data-profile'),
      sourceLinks(report),
    ]);
    const types = report.typesOf('data-profile');
    const context = { advice: all, linkOf, lineBytes: view.machine.lineBytes, pages, types };
    const left = spellWords(leftOutOf(all.findings.length, all.left, all), linkOf);
    const isCalm = all.findings.length === 0;
    return [
      element(
        'p',
        { class: 'lead' },
        'What to change in the program, and what it would bring. Each change was made on the recorded run, which was ' +
          'replayed with it: the same instructions, other addresses. Estimated cycles are latencies of a simulated ' +
          'machine: their ratio is no ratio of run times.',
      ),
      ...differences(all, view),
      ...(isCalm ? [calm(left)] : []),
      ...(isCalm ? [...best(all, linkOf), ...costliest(all, linkOf)] : []),
      labelledList(runLines(all)),
      ...(all.findings.length > 1 ? [element('h2', {}, 'Findings'), summary(all, linkOf)] : []),
      ...all.findings.map((finding, index) => findingSection(finding, index, context)),
      ...allTogether(context),
      ...(isCalm ? [] : [element('h2', {}, 'Left out'), element('p', {}, ...left), ...costliest(all, linkOf)]),
    ];
  },
};

function calm(words: readonly (Node | string)[]): HTMLElement {
  return element(
    'section',
    { class: 'takeaway', 'aria-label': 'What to take away' },
    element('p', { class: 'sentence' }, ...words),
  );
}

function costliest(all: AdviceJson, linkOf: SourceLinks): HTMLElement[] {
  const items = costliestOf(all.left, all).map((words) => element('li', {}, ...spellWords(words, linkOf)));
  return items.length === 0 ? [] : [element('ul', {}, ...items)];
}

/** If nothing is serious: what came nearest of all that was tried. */
function best(all: AdviceJson, linkOf: SourceLinks): HTMLElement[] {
  if (!all.bestTried) return [];
  return [
    element('p', {}, ...spellWords(bestTriedOf(all), linkOf)),
    ...(isOfUse(all.bestTried) ? [commandElement(commandOf(all.trace ?? SOME_TRACE, all.bestTried.options))] : []),
  ];
}

/** The file of advice and the report are made one after the other, maybe of two runs or with other flags. */
function differences(
  { command, cycles, instructions }: AdviceJson,
  view: View<unknown> | SampledView<unknown>,
): HTMLElement[] {
  if (view.sampled !== undefined) return [];
  const [name = '', ...words] = view.command;
  const own = [name.slice(name.lastIndexOf('/') + 1), ...words].join(' ');
  const { totals } = view;
  const said = [
    ...(own === command ? [] : [`the program was ${spellName(command)} there and is ${spellName(own)} here`]),
    ...(totals.instructions === instructions
      ? []
      : [`${formatCount(instructions)} instructions there, ${formatCount(totals.instructions)} here`]),
    ...(totals.missLatencyCycles === cycles
      ? []
      : [`${formatCount(cycles)} estimated cycles there, ${formatCount(totals.missLatencyCycles)} here`]),
  ];
  if (said.length === 0) return [];
  const text = `The advice is of another run or another replay than the other pages: ${said.join('; ')}.`;
  return [element('p', { class: 'note' }, element('bdi', {}, text))];
}

function summary({ findings }: AdviceJson, linkOf: SourceLinks): HTMLElement {
  const headings = ['', 'finding', 'of the estimated cycles', 'with the change'];
  const table = element(
    'table',
    { class: 'plain fitting' },
    element('caption', { class: 'unseen' }, 'Findings'),
    tableHead(headings, (index) => index >= 2),
    element(
      'tbody',
      {},
      ...findings.map((finding, index) =>
        element(
          'tr',
          {},
          element('td', { class: 'number' }, `${index + 1}.`),
          element('th', { scope: 'row' }, ...spellWords(titleOf(finding), linkOf)),
          element('td', { class: 'number' }, formatShare(finding.cyclesShare, 1)),
          element('td', { class: 'number' }, finding.predicted === null ? '-' : ratioOf(finding.predicted.cycles)),
        ),
      ),
    ),
  );
  return sideways('Findings', table);
}
