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
  readonly status: 'passed' | 'failed';
  readonly machine: string;
  readonly schedules: number;
  readonly references: number;
  /** It was not run again, as nothing that it depends on has changed. */
  readonly kept: boolean;
  readonly trace: string;
  readonly statements: readonly StatementResult[];
  /** What dprof advise says of the types that failed. */
  readonly advice: readonly FindingJson[];
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
  { name, run }: CheckedProgram,
  verdicts: readonly Verdict[],
  rest: Pick<ProgramResult, 'machine' | 'schedules' | 'references' | 'kept' | 'trace' | 'advice'>,
): ProgramResult {
  const statements = verdicts.map(statementResult);
  const status = statements.some((one) => one.status === 'failed') ? 'failed' : 'passed';
  return { name, command: run, status, ...rest, statements };
}

export function checkResult(file: string, programs: readonly ProgramResult[]): CheckResult {
  const status = programs.some((one) => one.status === 'failed') ? 'failed' : 'passed';
  return { schema: 'dprof.check/1', file, status, programs };
}
