// Stage: views -> text. Prose that fits the width.

import { spellVisibly } from './visible-text.js';

export type Labelled = readonly [label: string, text: string];

const LABEL = 13;
/** For text that nobody asked to fit a width: 132 with the indent of notes. */
const PROSE_WIDTH = 130;

/** Label and text in two columns, the text wrapped at blanks. */
export function renderLabelled(lines: readonly Labelled[], width: number): string {
  const room = proseWidth(width) - LABEL;
  return lines
    .flatMap(([label, text]) =>
      wrap(spellVisibly(text), room).map((part, index) => (index === 0 ? label : '').padEnd(LABEL) + part),
    )
    .join('\n');
}

export function proseWidth(width: number): number {
  return Number.isFinite(width) ? width : PROSE_WIDTH;
}

export function wrap(text: string, asked: number): string[] {
  const width = proseWidth(asked);
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    if (last >= 0 && lines[last].length + 1 + word.length <= width) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** "double[] u (adi.c:12)", "struct node (a/util.c:3, 16 bytes)": the place behind the name. */
const PLACE = / \([^()]*:\d+[^()]*\)$/;
/** "yte)": less of a place tells nothing. */
const LEAST_OF_PLACE = 4;
/** Of "list.c:12", and of "u (list.c:12)". */
const LINE_AT_END = /:\d+\)?$/;

/**
 * "struct a_very_long_name" as "struct a_v…name": both ends tell more than the beginning alone. Of a line no digit is
 * lost: "allocate.c:1234" as "allo…:1234". A place in the source goes before the name: "double[] work (main.c:12)" as
 * "double[] work (…c:12)", or as "double[] work…".
 */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const line = LINE_AT_END.exec(text)?.[0].length ?? 0;
  const name = text.replace(PLACE, '');
  const room = length - name.length - ' (…'.length;
  if (name !== text && room >= Math.max(LEAST_OF_PLACE, line)) return `${name} (…${text.slice(-room)}`;
  if (name !== text && name.length <= length) return name.length < length ? `${name}…` : name;
  const tail = line > 0 && line + 2 <= length ? line : Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** "3: 15,861  1: 13,…" */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
