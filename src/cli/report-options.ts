// Stage: command line. The flags of everything that prints a report, and the report itself.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { renderCsv } from '../report/csv.js';
import { renderJson } from '../report/json.js';
import { renderText } from '../report/text-report.js';
import { chooseStyle } from '../report/text-style.js';
import type { View } from '../views/view.js';
import { filterByType, requireType, VIEW_NAMES, VIEWS, type AnyView, type ViewName } from '../views/views.js';
import { StandardOutput } from './standard-output.js';

export const FORMATS = ['text', 'json', 'csv'] as const;

export interface ReportFlags {
  readonly view: ViewName | 'all';
  readonly format: (typeof FORMATS)[number];
  readonly top: string;
  readonly type?: string;
}

export function addReportFlags(command: Command): Command {
  return command
    .addOption(new Option('--view <view>', 'what to show').choices([...VIEW_NAMES, 'all']).default('data-profile'))
    .addOption(new Option('--format <format>', 'how to print it').choices([...FORMATS]).default('text'))
    .option('--top <n>', 'rows of a text table', '20')
    .option('--type <name>', "only rows that concern this type, as reports spell it: 'struct args'");
}

/** What is wrong with the flags themselves, before anything is recorded or replayed. */
export function checkReportFlags(flags: ReportFlags): void {
  if (!/^[1-9]\d{0,8}$/.test(flags.top)) throw new DprofError(`--top: '${flags.top}' is not a positive whole number`, 'for example --top 50', 2);
  if (flags.view === 'all' && flags.format !== 'text') {
    throw new DprofError(`--view all is for text, not ${flags.format}`, `name one view: ${VIEW_NAMES.join(', ')}`, 2);
  }
}

export function printReport(profile: Profile, flags: ReportFlags, descriptor: 1 | 2 = 1): void {
  if (flags.type !== undefined) requireType(profile, flags.type);
  const names = flags.view === 'all' ? VIEW_NAMES : [flags.view];
  const views = new Map(names.map((name) => [name, buildView(profile, name, flags.type)]));
  const output = new StandardOutput(descriptor);
  if (flags.format === 'text') {
    // A pipe that is opened as a stream becomes non-blocking; only a terminal is asked for its width.
    const style = chooseStyle(isatty(descriptor) ? (descriptor === 1 ? process.stdout : process.stderr) : {}, process.env);
    output.write(renderText(views, { top: Number(flags.top), style }));
  } else {
    const [view] = views.values();
    const parts = flags.format === 'json' ? renderJson(view as View<unknown>) : renderCsv(view.rows);
    for (const part of parts) output.write(part);
  }
  output.flush();
}

function buildView(profile: Profile, name: ViewName, type: string | undefined): AnyView {
  const view: AnyView = VIEWS[name](profile);
  return type === undefined ? view : filterByType(view, type);
}
