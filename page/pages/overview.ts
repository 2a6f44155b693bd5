// Stage: HTML page. The overview: the sentence to take away, the totals, the types with most misses, the run.

import { formatCount, formatShare, plural } from '../../src/base/format-number.js';
import type { PackedAdvice } from '../../src/html/html-report.js';
import { estimateOf } from '../../src/base/estimate.js';
import { formatEstimatedShare } from '../../src/base/format-estimate.js';
import { sampledRunLines } from '../../src/report/sampled-lines.js';
import { runLines } from '../../src/report/run-lines.js';
import { LEVELS } from '../../src/contract/machine.js';
import type { DataProfile, SampledDataProfile } from '../../src/views/data-profile.js';
import type { MissClassification, SampledTypeMisses } from '../../src/views/miss-classification.js';
import { intervalAt } from '../../src/views/row-estimates.js';
import type { Sharing } from '../../src/views/sharing-rows.js';
import type { SampledView, View, ViewTotals } from '../../src/views/view.js';
import { firstFindingSection } from '../advice/first-finding.js';
import { sourceLinks } from '../advice/spelled-words.js';
import { classesByLevel, classesByType, LEVEL_NAMES } from '../charts.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import { takeAway, type Takeaway, type Words } from '../takeaway.js';
import type { Report } from '../report.js';
import type { PageDefinition } from './page-definition.js';

/** Wider than any window: lines break where the page does. */
const UNBROKEN = 400;
const MOST_TYPES = 12;

export const overview: PageDefinition = {
  id: 'overview',
  title: 'Overview',
  group: 'Report',
  needs: ['data-profile'],
  async render({ report, pages }) {
    const profile = await report.view<DataProfile | SampledDataProfile>('data-profile');
    if (profile.sampled !== undefined)
      return sampledOverview(profile, await report.view<SampledTypeMisses>('miss-classification'));
    const [classes, sharing] = await Promise.all([
      report.view<MissClassification>('miss-classification'),
      report.view<Sharing>('sharing'),
    ]);
    return [
      takeawaySection(takeAway(profile, classes, sharing, pages)),
      ...(await adviceSection(report)),
      numbers(profile.totals),
      ...(profile.totals.levels.l1.misses === 0
        ? []
        : [classesByType(classes, profile.level, MOST_TYPES), classesByLevel(profile.totals)]),
      element('h2', {}, 'The run'),
      runFacts(profile),
    ];
  },
};

async function adviceSection(report: Report): Promise<HTMLElement[]> {
  if (!report.has('advice')) return [];
  const advice = await report.envelope<PackedAdvice>('advice');
  return [firstFindingSection(advice, await sourceLinks(report))];
}

function sampledOverview(profile: SampledDataProfile, classes: SampledTypeMisses): Node[] {
  const [worst] = profile.rows;
  // If the samples say nothing of misses, this is undefined.
  const ofL1Misses = intervalAt(worst, 'levels.l1.misses/totals.levels.l1.misses');
  const misses = profile.totals.levels.l1.misses;
  const own = worst === undefined ? 0 : (worst.misses.l1.loads ?? 0) + (worst.misses.l1.stores ?? 0);
  const isKnown = misses !== null && misses > 0 && own > 0;
  const isClassified = profile.sampled.unknown.classes === undefined;
  return [
    element(
      'section',
      { class: 'takeaway', 'aria-label': 'What to take away' },
      element(
        'p',
        { class: 'sentence' },
        ...(isKnown
          ? [
              nameElement(worst.type),
              ` takes ${formatEstimatedShare(estimateOf(own / misses, ofL1Misses))} of the L1 misses that were ` +
                'sampled.',
            ]
          : [misses === null ? 'No sample says whether it missed the L1.' : 'No sample missed the L1.']),
      ),
    ),
    ...(isKnown && isClassified ? [classesByType(classes, 'l1', MOST_TYPES)] : []),
    element('h2', {}, 'The run'),
    runFacts(profile),
  ];
}

function spell(words: Words): (Node | string)[] {
  return words.map((word) => (typeof word === 'string' ? word : nameElement(word.name)));
}

export function takeawaySection({ sentence, further, next }: Takeaway): HTMLElement {
  const link =
    next === null
      ? null
      : element(
          'p',
          {},
          element(
            'a',
            { class: 'next', href: linkTo(next.page, next.type === null ? {} : { type: next.type }) },
            `${next.label} →`,
          ),
        );
  return element(
    'section',
    { class: 'takeaway', 'aria-label': 'What to take away' },
    element('p', { class: 'sentence' }, ...spell(sentence)),
    ...further.map((words) => element('p', {}, ...spell(words))),
    link,
  );
}

function numbers(totals: ViewTotals): HTMLElement {
  const looked = {
    l1: [totals.references, 'references'],
    l2: [totals.levels.l1.misses, 'L1 misses'],
    llc: [totals.levels.l2.misses, 'L2 misses'],
  } as const;
  const tiles: [label: string, value: string, more: string, path: string][] = [
    [
      'references',
      formatCount(totals.references),
      `${plural(totals.loads, 'load')}, ${plural(totals.stores, 'store')}`,
      'totals.references',
    ],
    ...LEVELS.map((level): [string, string, string, string] => [
      `${LEVEL_NAMES[level]} misses`,
      formatCount(totals.levels[level].misses),
      `${formatShare(totals.levels[level].misses, looked[level][0])} of ${looked[level][1]}`,
      `totals.levels.${level}.misses`,
    ]),
    [
      'invalidations',
      formatCount(totals.invalidations),
      `${plural(totals.upgrades, 'upgrade')}, ${plural(totals.writeBacks, 'write-back')}`,
      'totals.invalidations',
    ],
    ['instructions', formatCount(totals.instructions), 'of replay time', 'totals.instructions'],
  ];
  return element(
    'dl',
    { class: 'tiles' },
    ...tiles.map(([label, value, more, path]) =>
      element(
        'div',
        {},
        element('dt', {}, label),
        element('dd', { class: 'value', 'data-path': path }, value),
        element('dd', { class: 'more' }, more),
      ),
    ),
  );
}

export function runFacts(view: View<unknown> | SampledView<unknown>): HTMLElement {
  return labelledList(view.sampled === undefined ? runLines(view, UNBROKEN) : sampledRunLines(view, UNBROKEN));
}

export function labelledList(lines: readonly (readonly [label: string, text: string])[]): HTMLElement {
  return element(
    'dl',
    { class: 'labelled' },
    ...lines.flatMap(([label, text]) => [
      element('dt', {}, label),
      element('dd', {}, element('bdi', {}, spellName(text))),
    ]),
  );
}
