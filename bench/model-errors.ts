// Stage: bench. Measured blocks and what a model predicts -> how wrong it is, by category, and where it is most wrong.
import type { BlockAnswer } from '../src/blocks/block.js';
import { rankCorrelation } from '../src/hardware/validate/rank-correlation.js';
import { CATEGORIES, categoryOf } from './block-categories.js';
import { spellTable } from './spell-table.js';
import { formatPercent, median } from './statistics.js';

const WORST = 8;

export interface Pair {
  readonly answer: BlockAnswer;
  readonly measured: number;
  readonly predicted: number;
  readonly error: number;
}

/** Blocks that were measured, and of which the model says something. */
export function pairsOf(answers: readonly BlockAnswer[], predictions: readonly (number | undefined)[]): Pair[] {
  return answers.flatMap((answer, index): Pair[] => {
    const [measured, predicted] = [answer.cycles, predictions[index]];
    if (measured === null || measured <= 0 || predicted === undefined) return [];
    return [{ answer, measured, predicted, error: (predicted - measured) / measured }];
  });
}

export function modelTable(pairs: readonly Pair[]): string {
  const row = (name: string, some: readonly Pair[]): string[] => [
    name,
    String(some.length),
    formatPercent(
      some.reduce((sum, { error }) => sum + Math.abs(error), 0),
      some.length,
    ),
    some.length === 0 ? '' : formatPercent(median(some.map(({ error }) => Math.abs(error))), 1),
    some.length === 0 ? '' : formatPercent(median(some.map(({ error }) => error)), 1),
    rankCorrelation(
      some.map(({ measured }) => measured),
      some.map(({ predicted }) => predicted),
    )?.toFixed(3) ?? '',
  ];
  return spellTable(
    ['blocks', 'number', 'mean absolute error', 'median of it', 'median error, signed', "Spearman's correlation"],
    [
      ...CATEGORIES.map((name) =>
        row(
          name,
          pairs.filter(({ answer }) => categoryOf(answer.assembly) === name),
        ),
      ),
      row('all', pairs),
    ],
  );
}

export function worstTable(pairs: readonly Pair[], model: string): string {
  const worst = [...pairs].sort((a, b) => Math.abs(b.error) - Math.abs(a.error)).slice(0, WORST);
  const rows = worst.map(({ answer, measured, predicted }) => [
    `\`${answer.assembly.slice(0, 3).join('; ').trim().replaceAll(/\s+/g, ' ')}\``,
    String(answer.assembly.length),
    measured.toFixed(2),
    predicted.toFixed(2),
  ]);
  return spellTable(['block, its first instructions', 'instructions', 'measured', model], rows);
}
