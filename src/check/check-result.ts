// Stage: check. The outcome of `dprof check`, exactly the JSON of --format json: `dprof.check/1`, docs/check.md.

import type { FindingJson } from '../advise/advice-schema.js';
import type { CheckedProgram } from './check-file.js';
import type { SourceLine, Verdict } from './judge.js';
import { MEASURES } from './measures.js';
import type { Range } from './range.js';
import type { Place } from './yaml-file.js';

export interface StatementResult {
  /** As it is written. */
  readonly text: string;
  readonly kind: 'limit' | 'baseline';
  readonly status: Verdict['status'];
  readonly subject: string;
  readonly measure: string;
  readonly per: string | null;
  readonly unit: string;
  /** Lowest and highest over the orders of threads. */
  readonly value: Range;
  /** A limit's bound, or the baseline's number. */
  readonly against: Range;
  readonly place: Place;
  /** Of a failed one: where most of it happens; null: no debug information says it. */
  readonly at: SourceLine | null;
  readonly because: readonly string[];
}

export interface ProgramResult {
  readonly name: string;
  readonly command: readonly string[];
  /** error: it could not be built, run or replayed, and nothing is known of its statements. */
  readonly status: 'passed' | 'failed' | 'error';
  /** In the file. */
  readonly place: Place;
  /** null with an error, as `trace`. */
  readonly machine: string | null;
  readonly schedules: number;
  readonly references: number;
  /** It was not run again, as nothing that it depends on has changed. */
  readonly kept: boolean;
  readonly trace: string | null;
  readonly statements: readonly StatementResult[];
  /** What dprof advise says of the types that failed. */
  readonly advice: readonly FindingJson[];
  /** The page of --html; null: none was asked for, or it passed. */
  readonly page: string | null;
  readonly error: ProgramError | null;
}

export interface ProgramError {
  readonly message: string;
  readonly hint: string;
}

export interface CheckResult {
  readonly schema: 'dprof.check/1';
  readonly file: string;
  readonly status: 'passed' | 'failed';
  readonly programs: readonly ProgramResult[];
}

export function statementResult({ statement, status, value, against, at, because }: Verdict): StatementResult {
  const { text, kind, subject, measure, per, isShare, place } = statement;
  const unit = isShare ? '%' : MEASURES[measure].unit.replace('?', '');
  return {
    text,
    kind,
    status,
    subject: subject.kind === 'run' || subject.kind === 'type' ? subject.name : `${subject.kind} ${subject.name}`,
    measure,
    per: per === undefined ? null : `${per.count === 1 ? '' : `${per.count} `}${per.name ?? per.of}`,
    unit: per === undefined ? unit : '',
    value,
    against,
    place,
    at,
    because,
  };
}

/** The program has failed if one of its statements has. */
export function programResult(
  { name, run, place }: CheckedProgram,
  verdicts: readonly Verdict[],
  rest: Pick<ProgramResult, 'machine' | 'schedules' | 'references' | 'kept' | 'trace' | 'advice' | 'page'>,
): ProgramResult {
  const statements = verdicts.map(statementResult);
  const status = statements.some((one) => one.status === 'failed') ? 'failed' : 'passed';
  return { name, command: run, status, place, ...rest, statements, error: null };
}

export function failedProgram({ name, run, place }: CheckedProgram, { message, hint }: ProgramError): ProgramResult {
  const nothing = { machine: null, schedules: 0, references: 0, kept: false, trace: null, page: null };
  return {
    name,
    command: run,
    status: 'error',
    place,
    ...nothing,
    statements: [],
    advice: [],
    error: { message, hint },
  };
}

export function checkResult(file: string, programs: readonly ProgramResult[]): CheckResult {
  const status = programs.every((one) => one.status === 'passed') ? 'passed' : 'failed';
  return { schema: 'dprof.check/1', file, status, programs };
}
