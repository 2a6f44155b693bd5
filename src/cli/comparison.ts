// Stage: command line. What the commands that compare two runs share: their options, and a comparison printed, or
// written as one HTML page.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import type { Diff } from '../diff/diff.js';
import { DIFF_SORTS, type DiffSort } from '../diff/rank.js';
import { renderComparison } from '../html/html-report.js';
import { renderCsv } from '../report/csv.js';
import { renderDiff } from '../report/diff-text.js';
import { renderJson } from '../report/json.js';
import { renderLabelled, type Labelled } from '../report/text-lines.js';
import { chooseStyle } from '../report/text-style.js';
import { checkTop, checkWholeNumber, FORMATS } from './report-options.js';
import { StandardOutput } from './standard-output.js';
import { checkPage, writePage } from './write-page.js';

/** The formats of reports, which are printed, and a page, which is a file. */
const COMPARISON_FORMATS = [...FORMATS, 'html'] as const;

export interface ComparisonFlags {
  readonly per?: string;
  readonly sort?: DiffSort;
  readonly level?: LevelName;
  readonly top: string;
  readonly paths: string;
  readonly type?: string;
  readonly format: (typeof COMPARISON_FORMATS)[number];
  /** With html, and only there. */
  readonly output?: string;
}

interface Beside {
  readonly head?: readonly Labelled[];
  readonly last?: string;
  readonly more?: object;
}

export function addComparisonFlags(command: Command): Command {
  return command
    .option(
      '--per <work>',
      'divide counts by work: a mark (NAME or mark:NAME), or thousands of instructions or references',
    )
    .addOption(
      new Option('--sort <key>', 'sort by the absolute change of this (default: cycles)').choices([...DIFF_SORTS]),
    )
    .addOption(
      new Option('--level <level>', 'level whose misses and classes to show (default: that changed most)').choices([
        ...LEVELS,
      ]),
    )
    .option('--top <n>', 'rows of a text table', '20')
    .option('--paths <n>', 'paths of a text table', '3')
    .option('--type <name>', "only rows of this type, such as 'struct args'")
    .addOption(
      new Option('--format <format>', 'output format; html writes a page')
        .choices([...COMPARISON_FORMATS])
        .default('text'),
    )
    .option('-o, --output <page>', 'HTML file to write, with --format html');
}

export function checkComparisonFlags(flags: ComparisonFlags & { readonly schedules?: string }): void {
  checkTop(flags.top);
  checkWholeNumber('--paths', flags.paths);
  checkPage(flags, 'diff.html');
  if (flags.schedules !== undefined)
    throw new DprofError(
      '--schedules does nothing here: a comparison is under one schedule',
      'name it: --schedule random:1',
      2,
    );
}

/** `head`: lines of text that stand above the comparison's own; `last`: below it; `more`: what JSON has beside it. */
export async function deliverComparison(
  diff: Diff,
  flags: ComparisonFlags,
  { head = [], last = '', more = {} }: Beside = {},
): Promise<void> {
  if (flags.output === undefined) print(diff, flags, { head, last, more });
  else await writePage((onView) => renderComparison(diff, onView), flags.output);
}

function print(diff: Diff, { format, top, paths }: ComparisonFlags, { head, last, more }: Required<Beside>): void {
  const output = new StandardOutput();
  if (format === 'json') for (const part of renderJson({ ...diff, ...more })) output.write(part);
  else if (format === 'csv') for (const part of renderCsv(diff.rows)) output.write(part);
  else {
    const style = chooseStyle(isatty(1) ? process.stdout : {}, process.env);
    if (head.length > 0) output.write(`${renderLabelled(head, style.width)}\n\n`);
    output.write(renderDiff(diff, { top: Number(top), paths: Number(paths), style }));
    if (last !== '') output.write(`\n${last}\n`);
  }
  output.flush();
}
