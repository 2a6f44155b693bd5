// Stage: command line -> stream. The words of --where: which rows go on.

import { DprofError } from '../base/dprof-error.js';
import { columnCalled, type ColumnName, type Value } from './stream-columns.js';

/** Rows of which `isTrue` of the column's value. */
export interface Condition {
  readonly column: ColumnName;
  /** As it was typed: '=', '!=', '<', '<=', '>' or '>='. */
  readonly sign: string;
  readonly asked: string;
  readonly isTrue: (value: Value) => boolean;
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** 'kind=store', 'type!=struct node', 'address>=0x5000'; all of them hold. */
export function parseConditions(words: readonly string[]): Condition[] {
  return words.map((text): Condition => {
    const match = /^\s*(\w+)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*$/.exec(text);
    if (match === null)
      throw new DprofError(
        `--where: '${text}' is not COLUMN=VALUE`,
        "for example --where kind=store, --where 'address>=0x5000'",
        2,
      );
    const [, name, sign, asked] = match;
    const column = columnCalled(name, '--where');
    const compares = COMPARISONS[sign];
    if (compares === undefined) {
      const isAsked = (value: Value): boolean =>
        typeof value === 'number' ? asked !== '' && value === Number(asked) : (value ?? '') === asked;
      return { column, sign, asked, isTrue: sign === '=' ? isAsked : (value) => !isAsked(value) };
    }
    const bound = Number(asked);
    if (asked === '' || Number.isNaN(bound))
      throw new DprofError(
        `--where: '${asked}' is no number`,
        `${sign} compares numbers; = and != compare names, too`,
        2,
      );
    return { column, sign, asked, isTrue: (value) => typeof value === 'number' && compares(value, bound) };
  });
}
