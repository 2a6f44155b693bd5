// Stage: check -> GitHub: workflow commands, which a runner shows as annotations beside the source, and the Markdown of
// a step's summary or of a comment.

import type { CheckResult, ProgramResult, StatementResult } from '../check/check-result.js';
import { factOf, reasonsOf, summaryOf } from '../report/check-words.js';

/** GitHub shows ten of a kind for each step. */
export function renderAnnotations({ programs }: CheckResult): string {
  return programs
    .flatMap(({ name, statements }) => statements.map((statement) => ({ name, statement })))
    .filter(({ statement }) => statement.status === 'failed')
    .map(({ name, statement }) => {
      const { place, at, text } = statement;
      const { file, line } = at ?? place;
      const properties = [
        `file=${property(file.replace(/^\.\//, ''))}`,
        `line=${line}`,
        `title=${property(`dprof: ${name}: ${text}`)}`,
      ];
      return `::error ${properties.join(',')}::${message([factOf(statement), ...reasonsOf(statement)].join('\n'))}\n`;
    })
    .join('');
}

function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

export function renderMarkdown(result: CheckResult): string {
  const { status, programs } = result;
  return [
    `### dprof check: ${status === 'passed' ? 'passed' : 'failed'}\n`,
    `${summaryOf(result)}\n`,
    ...programs.map(programTable),
    '',
  ].join('\n');
}

function programTable({ name, command, machine, statements }: ProgramResult): string {
  const title = `**${cell(name)}** \`${cell(command.join(' '))}\` on ${cell(machine)}`;
  const head = `${title}\n\n|  | what must hold | it is |\n|---|---|---|`;
  const rows = statements.map((one) => `| ${WORDS[one.status]} | ${code(one.text)} | ${cell(factOf(one))} |`);
  const reasons = statements
    .filter(({ status }) => status === 'failed')
    .flatMap((one) => [`- ${code(one.text)}: ${reasonsOf(one).map(cell).join('; ') || 'no line is known'}`]);
  return [head, ...rows, ...(reasons.length === 0 ? [] : ['', ...reasons]), ''].join('\n');
}

const WORDS: Readonly<Record<StatementResult['status'], string>> = {
  passed: 'ok',
  better: 'better',
  failed: '**failed**',
};

function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\|<>*_`[\]]/g, (letter) => `\\${letter}`);
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')}\``;
}
