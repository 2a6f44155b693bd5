// Stage: HTML page. What pages of a profile from samples say besides: that they are sampled.

import { describeSamples } from '../src/report/sampled-lines.js';
import type { SamplingFacts } from '../src/profile/sampled.js';
import { element } from './elements.js';

/** "~" before a number of a part of a graph from samples. */
export function about(part: object): string {
  return 'intervals' in part ? '~' : '';
}

export function sampledNotice({ sampled }: { readonly sampled?: SamplingFacts }): HTMLElement | null {
  if (sampled === undefined) return null;
  return element(
    'p',
    { class: 'note sampled' },
    element('strong', {}, 'Sampled. '),
    `${describeSamples(sampled)}. Every number with ~ is an estimate, ± is its ` +
      `${Math.round(100 * sampled.confidence)} % interval; - is what no sample can say.`,
  );
}
