// Stage: check -> text. Numbers and reasons of a check in words, as every format of it has them.

import { formatRate, plural } from '../base/format-number.js';
import type { CheckResult, ProgramResult, StatementResult } from '../check/check-result.js';
import type { Range } from '../check/range.js';

/** "159,992", "3 to 5 (by the order of threads)", "12.5 %". */
export function spellRange([low, high]: Range, unit = ''): string {
  const behind = unit === '' ? '' : ` ${high === 1 ? unit.replace(/s$/, '') : unit}`;
  if (low === high) return `${formatRate(low)}${behind}`;
  return `${formatRate(low)} to ${formatRate(high)}${behind} (by the order of threads)`;
}

/** What it is, and what it should be. */
export function factOf({ kind, value, against, unit, status }: StatementResult): string {
  const is = spellRange(value, unit);
  if (kind === 'limit') return is;
  const was = spellRange(against, unit);
  const [low, high] = [against[1], value[1]];
  const change = low === 0 || low === high ? '' : ` (${spellGrowth(high / low)})`;
  return status === 'passed' && was === is ? `${is}, as before` : `${is}, before ${was}${change}`;
}

/** "+31.9 %"; from twice as much on "301.6 times". */
function spellGrowth(ratio: number): string {
  return ratio >= 2 ? `${ratio.toFixed(1)} times` : `${ratio > 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`;
}

export function whereOf({ at, subject }: StatementResult): string | null {
  if (at === null) return null;
  const place = `${at.file.replace(/^\.\//, '')}:${at.line}`;
  if (at.share === null) return `${subject.startsWith('site ') ? 'allocated' : 'declared'} at ${place}`;
  const inside = at.function === null ? '' : ` (${at.function})`;
  return `${at.share > 0.9995 ? 'all of it' : `${(at.share * 100).toFixed(1)} %`} at ${place}${inside}`;
}

const MOST_LETTERS = 200;

/** The whole of a long one is in JSON. */
export function spellCommand({ command }: Pick<ProgramResult, 'command'>): string {
  const text = command.join(' ');
  return text.length <= MOST_LETTERS ? text : `${text.slice(0, MOST_LETTERS - 1)}…`;
}

/** One line for each reason. */
export function reasonsOf(statement: StatementResult): string[] {
  const where = whereOf(statement);
  return [...(where === null ? [] : [where]), ...statement.because];
}

export function countOf(programs: readonly ProgramResult[], status: StatementResult['status']): number {
  return programs.reduce((sum, { statements }) => sum + statements.filter((one) => one.status === status).length, 0);
}

function holdOrFail(failed: number, all: number): string {
  if (failed > 0) return `${failed} of ${plural(all, 'statement')} failed`;
  return `${plural(all, 'statement')} hold${all === 1 ? 's' : ''}`;
}

export function summaryOf({ programs }: CheckResult): string {
  const failed = countOf(programs, 'failed');
  const better = countOf(programs, 'better');
  const all = programs.reduce((sum, { statements }) => sum + statements.length, 0);
  const broken = programs.filter(({ status }) => status === 'error').length;
  return [
    ...(broken === 0 ? [] : [`${plural(broken, 'program')} could not be checked`]),
    ...(broken > 0 && all === 0 ? [] : [holdOrFail(failed, all)]),
    ...(better === 0 ? [] : [`${better} better than the baseline (dprof check --update keeps it)`]),
  ].join(', ');
}
