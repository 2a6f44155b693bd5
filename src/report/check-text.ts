// Stage: check -> text. What holds and what does not, for a terminal.

import { formatCount } from '../base/format-number.js';
import type { CheckResult, ProgramResult, StatementResult } from '../check/check-result.js';
import { factOf, reasonsOf, spellCommand, summaryOf } from './check-words.js';
import { proseWidth, wrap } from './text-lines.js';
import type { TextStyle } from './text-style.js';
import { spellVisibly } from './visible-text.js';

const INDENT = '          ';

/** `advice`: by program, paragraphs of dprof advise. */
export function renderCheck(
  result: CheckResult,
  style: TextStyle,
  advice: ReadonlyMap<string, readonly string[]>,
): string {
  const parts = result.programs.map((program) => {
    const told = new Set<string>();
    return [
      ...programLines(program, style),
      ...program.statements.flatMap((one) => statementLines(one, style, told)),
      ...(program.page === null ? [] : [`${INDENT}page: ${spellVisibly(program.page)}`]),
      ...(advice.get(program.name) ?? []).flatMap((paragraph) => ['', paragraph]),
    ].join('\n');
  });
  return `${[...parts, summaryOf(result)].join('\n\n')}\n`;
}

function programLines(program: ProgramResult, { width, strong, hot }: TextStyle): string[] {
  const { name, status, machine, schedules, references, kept, error } = program;
  const facts = [
    error?.message ?? spellCommand(program),
    ...(error === null ? [`${formatCount(references)} references`, machine ?? ''] : []),
    ...(schedules <= 1 ? [] : [`${schedules} orders of threads`]),
    ...(kept ? ['not run again: nothing changed'] : []),
  ].join('; ');
  const word = status === 'passed' ? status : hot(status.toUpperCase());
  const [first, ...rest] = wrap(spellVisibly(facts), proseWidth(width) - name.length - status.length - 4);
  return [`${strong(name)}  ${word}  ${first}`, ...rest.map((line) => INDENT + line)];
}

/** `told`: reasons that stand above, and gets more. */
function statementLines(statement: StatementResult, { width, hot }: TextStyle, told: Set<string>): string[] {
  const { status, text } = statement;
  const word = status === 'failed' ? hot('failed') : status === 'better' ? 'better' : 'ok    ';
  const room = proseWidth(width) - INDENT.length;
  const [first, ...rest] = wrap(spellVisibly(`${text}: ${factOf(statement)}`), room);
  const fresh = reasonsOf(statement).filter((reason) => !told.has(reason));
  for (const reason of statement.because) told.add(reason);
  const reasons = fresh.flatMap((reason) => wrap(spellVisibly(reason), room));
  return [`  ${word}  ${first}`, ...[...rest, ...reasons].map((line) => INDENT + line)];
}
