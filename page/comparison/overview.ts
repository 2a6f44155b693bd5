// Stage: HTML page. The overview of a comparison: the sentence to take away, what differs about the runs, the totals,
// the types that changed most.

import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { takeawaySection } from '../pages/overview.js';
import { numbersChoice } from './choices.js';
import { comparisonPage } from './comparison-page.js';
import { COUNT_MEASURES, rankRows } from './measures.js';
import { classesBeforeAfter } from './pair-charts.js';
import { differences } from './runs.js';
import { mostChanged, takeAwayChange } from './takeaway.js';
import { totalsTable } from './totals.js';

const MOST_TYPES = 8;

export const overview = comparisonPage({
  id: 'overview',
  title: 'What changed',
  group: 'Report',
  saysDifferences: true,
  async render({ diff, fieldsOf, numbers, ask }) {
    const first = mostChanged(diff);
    const ofLevel = COUNT_MEASURES.find(({ level }) => level === diff.level)!;
    return [
      takeawaySection(takeAwayChange(diff, first === null ? [] : await fieldsOf(first.type))),
      ...differences(diff),
      classesBeforeAfter(rankRows(diff.rows, ofLevel, numbers), 'types', diff.level, numbers, MOST_TYPES),
      element('p', {}, element('a', { href: linkTo('types') }, 'every type →')),
      element('h2', {}, 'All types'),
      element('div', { class: 'controls' }, ...numbersChoice(diff, numbers, (asked) => ask({ numbers: asked }))),
      totalsTable(diff, numbers),
    ];
  },
});
