// Stage: patch. Changes of a text: none lies over another.

import { Refusal } from './refusal.js';

export interface Edit {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((a, b) => a.begin - b.begin || a.end - b.end);
  let [changed, at] = ['', 0];
  for (const { begin, end, text: own } of sorted) {
    if (begin < at) throw new Refusal('two changes lie in one another: a struct in a struct');
    changed += text.slice(at, begin) + own;
    at = end;
  }
  return changed + text.slice(at);
}

/** Where a place of the text is when the edits are applied. */
export function placeAfter(edits: readonly Edit[], offset: number): number {
  return edits
    .filter(({ begin }) => begin < offset)
    .reduce((place, { begin, end, text }) => place + text.length - (end - begin), offset);
}
