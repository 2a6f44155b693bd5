// Stage: check -> JUnit XML: a suite for each program, a case for each statement. The form is that of Ant's JUnit task,
// which GitLab, Jenkins and others read.

import type { CheckResult, ProgramResult, StatementResult } from '../check/check-result.js';
import { factOf, reasonsOf } from '../report/check-words.js';

export function renderJunit({ programs }: CheckResult): string {
  const failures = (of: readonly StatementResult[]): number => of.filter(({ status }) => status === 'failed').length;
  const all = programs.flatMap(({ statements }) => statements);
  const broken = programs.filter(({ error }) => error !== null);
  const countsOf = (statements: readonly StatementResult[], errors: number): string =>
    `tests="${statements.length + errors}" failures="${failures(statements)}" errors="${errors}"`;
  const suites = programs.map((program) => {
    const { name, statements, error } = program;
    const cases = [...(error === null ? [] : [brokenCase(program)]), ...statements.map((one) => caseOf(name, one))];
    const counts = countsOf(statements, error === null ? 0 : 1);
    return `  <testsuite name="${escape(name)}" ${counts}>\n${cases.join('')}  </testsuite>\n`;
  });
  const counts = countsOf(all, broken.length);
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<testsuites name="dprof check" ${counts}>\n${suites.join('')}</testsuites>\n`
  );
}

/** It could not be built, run or replayed. */
function brokenCase({ name, place, error }: ProgramResult): string {
  const where = `file="${escape(place.file)}" line="${place.line}"`;
  const told = `<error message="${escape(error?.message ?? '')}">${escape(error?.hint ?? '')}</error>`;
  return `    <testcase classname="${escape(name)}" name="runs" ${where}>\n      ${told}\n    </testcase>\n`;
}

function caseOf(program: string, statement: StatementResult): string {
  const { text, status, place } = statement;
  const named = `classname="${escape(program)}" name="${escape(text)}"`;
  const head = `    <testcase ${named} file="${escape(place.file)}" line="${place.line}"`;
  if (status !== 'failed') return `${head}/>\n`;
  const [fact, reasons] = [factOf(statement), reasonsOf(statement)];
  const failure = `      <failure message="${escape(fact)}">${escape(reasons.join('\n'))}</failure>\n`;
  return `${head}>\n${failure}    </testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

/** What XML 1.0 has no letter for is left out. */
function escape(text: string): string {
  return text
    .replaceAll(/[<>&"]/g, (letter) => ENTITIES[letter])
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '');
}
