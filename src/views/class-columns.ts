// Stage: profile -> views. The classes of misses as columns: what each is called, and means.

import type { LevelName, MissClass } from '../contract/machine.js';
import { CLASS_NAMES, LEVEL_NAMES } from './class-names.js';
import { count, type Column, type ColumnWords } from './columns.js';
import type { SampledView, View } from './view.js';

/** The notes of the text. */
const notesOf = (level: LevelName): Readonly<Partial<Record<MissClass, string>>> => ({
  compulsory: "this core's first reference to the line.",
  'true-sharing': 'another core stored to these bytes since.',
  'false-sharing': 'another core stored to other bytes of the line since.',
  conflict: `a fully associative ${LEVEL_NAMES[level]} would have hit.`,
});

export const CLASS_MEANINGS: Readonly<Record<MissClass, string>> = {
  compulsory: 'the core had never referenced the line before, so that no cache of any size would have had it',
  'true-sharing': 'another core had stored to the very bytes since, so that the data had to move between the cores',
  'false-sharing':
    'another core had stored to other bytes of the same line since: the data need not have moved, it only lies ' +
    'too close',
  conflict: 'the line was thrown out although the cache had room in other sets: too many lines fall into few sets',
  capacity: 'more other lines were used since than the cache holds',
};

export function classColumn<Row>(
  one: MissClass,
  level: LevelName,
  view: View<unknown> | SampledView<unknown>,
  words: ColumnWords = {},
): Column<Row> {
  return count(CLASS_NAMES[one], `levels.${level}.classes.${one}`, {
    tip: CLASS_MEANINGS[one],
    all: view.totals.levels[level].classes[one],
    ...words,
  });
}

/** In a narrow text. */
export function briefClass(one: MissClass): string {
  return one === 'compulsory' ? 'compuls.' : one.replace('-sharing', ' sh.');
}

/** In the miss classification, where the name is brief too. */
export function namedClassColumn<Row>(
  one: MissClass,
  level: LevelName,
  view: View<unknown> | SampledView<unknown>,
): Column<Row> {
  const meaning = view.sampled === undefined ? notesOf(level)[one] : one === 'conflict' ? CROWDED : undefined;
  const isBrief = one.endsWith('-sharing');
  const brief = briefClass(one);
  return classColumn(one, level, view, {
    brief,
    ...(meaning !== undefined && { meaning, ...(isBrief && { briefMeaning: `${CLASS_NAMES[one]}, ${meaning}` }) }),
  });
}

const CROWDED =
  "of what no other core caused, the share of the type's lines that lie in crowded sets of the simulated L1.";
