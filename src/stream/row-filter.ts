// Stage: command line -> stream. The words of --where: which rows go on.

import { DprofError } from '../base/dprof-error.js';
import { closestNames } from '../base/closest-names.js';
import {
  columnCalled,
  KINDS,
  STREAM_COLUMNS,
  type ColumnName,
  type StreamColumn,
  type Value,
} from './stream-columns.js';

/** Rows of which `isTrue` of the column's value. */
export interface Condition {
  readonly column: ColumnName;
  /** As it was typed: '=', '!=', '<', '<=', '>' or '>='. */
  readonly sign: string;
  readonly asked: string;
  readonly isTrue: (value: Value) => boolean;
}

type Numeric = number | bigint;
const COMPARISONS: Readonly<Record<string, (a: Numeric, b: Numeric) => boolean>> = {
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
    const bound = numberAsked(column, asked);
    if (compares === undefined) {
      checkValue(column, asked);
      const isAsked = (value: Value): boolean =>
        isNumeric(value) ? asked !== '' && value === bound : (value ?? '') === asked;
      return { column, sign, asked, isTrue: sign === '=' ? isAsked : (value) => !isAsked(value) };
    }
    if (asked === '' || Number.isNaN(Number(asked)))
      throw new DprofError(
        `--where: '${asked}' is no number`,
        `${sign} compares numbers; = and != compare names, too`,
        2,
      );
    return { column, sign, asked, isTrue: (value) => isNumeric(value) && compares(value, bound) };
  });
}

function isNumeric(value: Value): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** As the column's values are: exact, where they have more bits than JavaScript's numbers. */
export function numberAsked(column: ColumnName, asked: string): Numeric {
  const { kind }: StreamColumn = STREAM_COLUMNS[column];
  const number = Number(asked);
  if (kind !== 'u64' || !Number.isInteger(number)) return number;
  return /^\s*(0x)?[0-9a-f]+\s*$/i.test(asked) ? BigInt(asked) : BigInt(number);
}

/** A value that the column never has would give no rows, and no word about it. Empty: none. */
function checkValue(column: ColumnName, asked: string): void {
  const { kind, words }: StreamColumn = STREAM_COLUMNS[column];
  const known = column === 'kind' ? KINDS : words;
  if (asked === '') return;
  if (kind !== 'words' && Number.isNaN(Number(asked)))
    throw new DprofError(`--where: ${column} is a number, not '${asked}'`, `for example --where ${column}=64`, 2);
  if (known !== undefined && !known.includes(asked))
    throw new DprofError(
      `--where: ${column} is never '${asked}'`,
      `it is ${known.join(', ')}; nearest: ${closestNames(asked, known, 1)[0]}`,
      2,
    );
}
