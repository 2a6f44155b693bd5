// Stage: HTML page. The advice in a few sentences, for the overview: its first finding, and where the others are.

import type { AdviceJson } from '../../src/advise/advice-schema.js';
import { plural } from '../../src/base/format-number.js';
import { cyclesGainOf, sharesOf, titleOf, type Words } from '../../src/report/advice-words.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { spellWords, type SourceLinks } from './spelled-words.js';

export function firstFinding(advice: AdviceJson): Words {
  const { findings } = advice;
  const [first] = findings;
  if (first === undefined) return ['Advice: nothing serious.'];
  const { change, predicted } = first;
  return [
    findings.length === 1 ? 'Advice: ' : `Advice, the first of ${plural(findings.length, 'finding')}: `,
    ...titleOf(first),
    `, ${sharesOf(first, advice)}. What to do: `,
    { prose: change?.text ?? first.advice ?? '' },
    '.',
    ...(predicted === null ? [] : [` It brings: ${cyclesGainOf(predicted)}.`]),
  ];
}

export function firstFindingSection(advice: AdviceJson, linkOf: SourceLinks): HTMLElement {
  const label = advice.findings.length === 0 ? 'Advice: what was tried' : 'Advice: what to change, and what it brings';
  return element(
    'section',
    { class: 'takeaway', 'aria-label': 'Advice' },
    element('p', {}, ...spellWords(firstFinding(advice), linkOf)),
    element('p', {}, element('a', { class: 'next', href: linkTo('advice') }, `${label} →`)),
  );
}
