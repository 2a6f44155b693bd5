// Stage: HTML page. A path in a line: where it begins, and its steps up to as many as a table has room for.

import type { PathPlace } from '../src/diff/path-changes.js';
import { element } from './elements.js';
import { nameElement } from './names.js';

const MOST_SHOWN_STEPS = 6;

/** The facts that every kind of step has. */
type Step = Pick<PathPlace, 'function' | 'coreChange' | 'cut'>;

/** Steps that all of several paths begin with, but the last of them. */
export function countAlike(rows: readonly { readonly steps: readonly Step[] }[]): number {
  if (rows.length < 2) return 0;
  const [{ steps }] = rows;
  const differs = steps.findIndex((step, at) =>
    rows.some((row) => row.steps[at]?.function !== step.function || row.steps[at].coreChange !== step.coreChange),
  );
  return Math.max(0, (differs === -1 ? steps.length : differs) - 1);
}

interface Word {
  readonly text: string;
  readonly kind: 'name' | 'arrow' | 'core-change' | 'count';
}

/** "main → build → use ⇒ drain": the second arrow is where the object changes core. */
function wordsOf(begin: string, steps: readonly Step[], alike: number): Word[] {
  const skipped = alike > 1 ? alike : 0;
  const shown = steps.slice(skipped, skipped + MOST_SHOWN_STEPS);
  const more = steps.length - skipped - shown.length;
  return [
    { text: begin, kind: 'name' },
    ...(skipped === 0 ? [] : [{ text: ` → (${skipped} steps alike)`, kind: 'count' } as const]),
    ...shown.flatMap(({ coreChange, cut, function: name }): Word[] => [
      { text: coreChange ? ' ⇒ ' : ' → ', kind: coreChange ? 'core-change' : 'arrow' },
      { text: cut ? '(further steps)' : nameOf(name), kind: 'name' },
    ]),
    ...(more > 0 ? [{ text: ` → ${more} more`, kind: 'count' } as const] : []),
  ];
}

export function spellPath(begin: string, steps: readonly Step[], alike: number): (Node | string)[] {
  return wordsOf(begin, steps, alike).map(({ text, kind }) =>
    kind === 'name'
      ? nameElement(text)
      : kind === 'count'
        ? text
        : element('span', { class: kind === 'core-change' ? kind : undefined }, text),
  );
}

/** The same, to sort by. */
export function pathText(begin: string, steps: readonly Step[], alike: number): string {
  return wordsOf(begin, steps, alike)
    .map(({ text }) => text)
    .join('');
}

export function nameOf(name: string | null): string {
  return name ?? '(unknown)';
}
