// Stage: HTML page. The choices of a comparison's reader: the number that rows are ranked by, and whether numbers are
// per unit of work.

import type { Diff } from '../../src/diff/diff.js';
import { choice } from '../elements.js';
import { AS_COUNTED, askedNumbers, spellPer, type Numbers } from './numbers.js';

export function measureChoice(
  measures: readonly { readonly id: string; readonly name: string }[],
  asked: { readonly id: string },
  act: (by: string) => void,
): HTMLElement {
  return choice(
    'by change of',
    measures.map(({ id, name }) => [id, name] as const),
    asked.id,
    act,
  );
}

/** The choice of numbers; empty if there is none. */
export function numbersChoice(diff: Diff, numbers: Numbers, act: (numbers: string) => void): HTMLElement[] {
  if (diff.per === null) return [];
  const perWork = spellPer(askedNumbers(diff, new URLSearchParams())).trim();
  return [
    choice(
      'numbers',
      [
        ['work', perWork],
        [AS_COUNTED, 'as counted'],
      ],
      numbers.isPerWork ? 'work' : AS_COUNTED,
      act,
    ),
  ];
}
