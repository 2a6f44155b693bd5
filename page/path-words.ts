// Stage: HTML page. A path in a line: where it begins, and its steps up to as many as a table has room for.

import type { PathPlace } from '../src/diff/path-changes.js';
import { element } from './elements.js';
import { nameElement } from './names.js';

const MOST_SHOWN_STEPS = 6;

/** What every step has, whatever else is told of it. */
type Step = Pick<PathPlace, 'function' | 'coreChange' | 'cut'>;

/** Steps that all of several paths begin with, but the last of them. */
export function countAlike(rows: readonly { readonly steps: readonly Step[] }[]): number {
  if (rows.length < 2) return 0;
  const [{ steps }] = rows;
  const differs = steps.findIndex((step, at) => rows.some((row) => row.steps[at]?.function !== step.function || row.steps[at].coreChange !== step.coreChange));
  return Math.max(0, (differs === -1 ? steps.length : differs) - 1);
}

/** "main → build → use ⇒ drain": the second arrow is where the object changes core. */
export function spellPath(begin: string, steps: readonly Step[], alike: number): (Node | string)[] {
  const skipped = alike > 1 ? alike : 0;
  const shown = steps.slice(skipped, skipped + MOST_SHOWN_STEPS);
  const more = steps.length - skipped - shown.length;
  return [
    nameElement(begin),
    ...(skipped === 0 ? [] : [` → (${skipped} steps alike)`]),
    ...shown.flatMap((step) => [element('span', { class: step.coreChange ? 'core-change' : undefined }, step.coreChange ? ' ⇒ ' : ' → '), nameElement(step.cut ? '(further steps)' : nameOf(step.function))]),
    ...(more > 0 ? [` → ${more} more`] : []),
  ];
}

export function textOf(parts: readonly (Node | string)[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.textContent)).join('');
}

export function nameOf(name: string | null): string {
  return name ?? '(unknown)';
}
