// Stage: check. Profiles of a program, one for each order of threads, and what must hold -> what holds, what does not,
// and where.

import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { CounterSums } from '../views/counter-sums.js';
import { mostBy } from '../views/most-misses.js';
import type { Baseline } from './baseline.js';
import { measure, MEASURES } from './measures.js';
import { rangeOf, type Range } from './range.js';
import type { Comparison, Statement } from './statement.js';
import { shapeChanges, shapeOf } from './struct-shapes.js';
import { findSubject } from './subject.js';
import type { Place } from './yaml-file.js';

export interface Verdict {
  readonly statement: Statement;
  /** better: than the baseline, by more than its tolerance. */
  readonly status: 'passed' | 'failed' | 'better';
  readonly value: Range;
  /** What it was compared with: a limit's bound, or the baseline's number. */
  readonly against: Range;
  /** The line of the source where most of it happens, or where the type is declared; null: nothing says it. */
  readonly at: SourceLine | null;
  readonly because: readonly string[];
}

export interface SourceLine {
  readonly file: string;
  readonly line: number;
  readonly function: string | null;
  /** Its part of the number; null: it is where the type is declared, or objects are allocated. */
  readonly share: number | null;
}

/** `baseline`: of the program, if it has one. Throws DprofError, with its place, for a name that the run has not. */
export function judge(
  profiles: readonly Profile[],
  statements: readonly Statement[],
  baseline: Baseline | undefined,
): Verdict[] {
  return statements.map((statement) => {
    const value = atPlace(statement.place, () => rangeOf(profiles.map((profile) => measure(profile, statement))));
    const against =
      statement.kind === 'limit' ? bothOf(statement.bound ?? 0) : bothOf(baseline?.counts[statement.key] ?? value);
    const status =
      statement.kind === 'limit' ? limitStatus(statement, value) : baselineStatus(statement, value, against);
    const isWrong = status === 'failed';
    return {
      statement,
      status,
      value,
      against,
      at: isWrong ? whereOf(profiles[0], statement) : null,
      because: isWrong ? reasonsOf(profiles[0], statement, baseline) : [],
    };
  });
}

export function atPlace<Value>({ file, line, column }: Place, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    throw new DprofError(`${file}:${line}:${column}: ${error.message}`, error.hint, error.exitCode);
  }
}

function bothOf(value: number | Range): Range {
  return typeof value === 'number' ? [value, value] : value;
}

const HOLDS: Readonly<Record<Comparison, (value: Range, bound: number) => boolean>> = {
  '<=': ([, high], bound) => high <= bound,
  '<': ([, high], bound) => high < bound,
  '>=': ([low], bound) => low >= bound,
  '>': ([low], bound) => low > bound,
  '==': ([low, high], bound) => low === bound && high === bound,
};

function limitStatus({ comparison = '<=', bound = 0 }: Statement, value: Range): Verdict['status'] {
  return HOLDS[comparison](value, bound) ? 'passed' : 'failed';
}

function baselineStatus({ tolerance }: Statement, [, high]: Range, [, most]: Range): Verdict['status'] {
  const room = tolerance === undefined ? 0 : 'share' in tolerance ? most * tolerance.share : tolerance.amount;
  return high > most + room ? 'failed' : high < most - room ? 'better' : 'passed';
}

/** Of the first order of threads. */
function whereOf(profile: Profile, { subject, measure: name }: Statement): SourceLine | null {
  const { isOwn, type, sums, site: allocated } = findSubject(profile, subject);
  if (allocated !== undefined) return lineOf(allocated, { function: null, share: null });
  const { value, of } = MEASURES[name];
  const layout = profile.layouts?.find((one) => one.name === type);
  const declared =
    layout === undefined || layout.file === ''
      ? null
      : { file: layout.file, line: Math.max(1, layout.line), function: null, share: null };
  if (!of.includes('line')) return declared;
  const costOf = (row: number): { readonly cycles: number; readonly misses: number } => {
    const own = new CounterSums();
    own.add(profile.tallies, row);
    return { cycles: value(profile, { sums: own, isOwn }), misses: 0 };
  };
  const { site, function: name_, cycles } = mostBy(profile, (row) => (isOwn(row) ? 0 : null), costOf)(0);
  const whole = value(profile, { sums, isOwn });
  return lineOf(site ?? '', { function: name_, share: whole === 0 ? null : cycles / whole }) ?? declared;
}

function lineOf(site: string, rest: Pick<SourceLine, 'function' | 'share'>): SourceLine | null {
  const [, file, line] = /^(.*):(\d+)$/.exec(site) ?? [];
  return file === undefined ? null : { file, line: Number(line), ...rest };
}

const MOST_FIELDS = 3;

function reasonsOf(profile: Profile, { subject, measure: name }: Statement, baseline: Baseline | undefined): string[] {
  const { type, field } = findSubject(profile, subject);
  if (type === undefined) return [];
  const structs = baseline?.structs ?? {};
  const before = Object.hasOwn(structs, type) ? structs[type] : undefined;
  const after = shapeOf(profile, type);
  const changes =
    before === undefined || after === undefined ? [] : shapeChanges(before, after, profile.machine.lineBytes);
  const told = changes.length === 0 ? [] : [`since the baseline, ${type} ${changes.join('; ')}`];
  const { value, of } = MEASURES[name];
  if (!of.includes('line') || field !== undefined || after === undefined) return told;
  const shares = Object.keys(after.fields)
    .map((one) => ({ one, own: valueOfField(profile, type, one, value) }))
    .filter(({ own }) => own > 0)
    .sort((a, b) => b.own - a.own)
    .slice(0, MOST_FIELDS);
  return shares.length === 0
    ? told
    : [...told, `by field: ${shares.map(({ one, own }) => `${one} ${own}`).join(', ')}`];
}

function valueOfField(
  profile: Profile,
  type: string,
  field: string,
  value: (typeof MEASURES)['loads']['value'],
): number {
  try {
    return value(profile, findSubject(profile, { kind: 'type', name: `${type}.${field}` }));
  } catch {
    return 0; // nothing refers to it
  }
}
