// Stage: check -> GitHub: workflow commands, which a runner shows as annotations beside the source, and the Markdown of
// a step's summary or of a comment.

import type { CheckResult, ProgramResult, StatementResult } from '../check/check-result.js';
import { factOf, reasonsOf, spellCommand, summaryOf } from '../report/check-words.js';
import { spellVisibly } from '../report/visible-text.js';

/** GitHub shows ten of a kind for each step. */
export function renderAnnotations({ programs }: CheckResult): string {
  const broken = programs.flatMap(({ place, error }) => (error === null ? [] : annotate(place, error.message)));
  const failed = programs
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
    });
  return [...broken, ...failed].join('');
}

/** Of a check that could not be finished: what an error says, whose place may be in front. */
export function annotateError(text: string, file: string): string {
  const [, line, what] = text.startsWith(`${file}:`)
    ? (/^:(\d+):\d+: ([\s\S]*)$/.exec(text.slice(file.length)) ?? [])
    : [];
  return annotate({ file, line }, what ?? text);
}

function annotate({ file, line }: { readonly file: string; readonly line?: number | string }, text: string): string {
  const place = `file=${property(file.replace(/^\.\//, ''))}${line === undefined ? '' : `,line=${line}`}`;
  return `::error ${place},title=dprof check::${message(text)}\n`;
}

function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Behind annotations: a runner takes a line that begins with colons for a command. */
export function withoutCommands(text: string): string {
  return text.replaceAll(/^(\s*)::/gm, '$1:\u200b:');
}

/** GitHub takes a comment of 65,536. */
const MOST_LETTERS = 60_000;

export function renderMarkdown(result: CheckResult): string {
  const text = wholeMarkdown(result);
  if (text.length <= MOST_LETTERS) return text;
  const lines = text.slice(0, MOST_LETTERS).split('\n').slice(0, -1);
  return `${lines.join('\n')}\n\nThe rest is too long to be shown here; the JSON of the check has it.\n`;
}

function wholeMarkdown(result: CheckResult): string {
  const { status, programs } = result;
  return [
    `### dprof check: ${status === 'passed' ? 'passed' : 'failed'}\n`,
    `${summaryOf(result)}\n`,
    ...programs.map(programTable),
    '',
  ].join('\n');
}

function programTable(program: ProgramResult): string {
  const { name, machine, statements, error } = program;
  if (error !== null) return `**${cell(name)}** ${code(spellCommand(program))} **error**: ${cell(error.message)}\n`;
  const title = `**${cell(name)}** ${code(spellCommand(program))} on ${cell(machine ?? '')}`;
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

/** Names are text: no HTML, links, mentions or formatting. */
function cell(text: string): string {
  return spellVisibly(text.replaceAll(/\s+/g, ' ')).replaceAll(
    /[\\|<>*_`[\]~&@#]|:(?=\/\/)|(?<=www)[.]/g,
    (letter) => `&#${letter.charCodeAt(0)};`,
  );
}

function code(text: string): string {
  return `\`${spellVisibly(text.replaceAll(/\s+/g, ' ')).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}
