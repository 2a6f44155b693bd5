// Stage: command line. The flags of everything that prints a report, and the report itself.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { renderCsv, renderMachinesCsv } from '../report/csv.js';
import { renderJson, renderMachinesJson } from '../report/json.js';
import { renderMachinesText } from '../report/machines-text.js';
import { renderText } from '../report/text-report.js';
import { chooseStyle } from '../report/text-style.js';
import { SORTS, type Sort } from '../views/counter-sums.js';
import { CLASSIFIED_BY, type ClassifiedBy, type View } from '../views/view.js';
import { csvRows, filterByType, RANKED_VIEWS, requireType, VIEW_NAMES, VIEWS, viewsOf, type AnyView, type ViewName } from '../views/views.js';
import type { ReplayFlags } from './machine-options.js';
import { StandardOutput } from './standard-output.js';

export const FORMATS = ['text', 'json', 'csv'] as const;

export interface ReportFlags {
  /** The data profile, or with --schedules those. */
  readonly view?: ViewName | 'all';
  readonly format: (typeof FORMATS)[number];
  readonly top: string;
  readonly type?: string;
  /** One of the replay flags. */
  readonly schedules?: string;
  readonly by?: ClassifiedBy;
  readonly sort?: Sort;
}

export function addReportFlags(command: Command): Command {
  return command
    .addOption(new Option('--view <view>', 'what to show (default: data-profile; with --schedules: schedules)').choices([...VIEW_NAMES, 'all']))
    .addOption(new Option('--format <format>', 'how to print it').choices([...FORMATS]).default('text'))
    .option('--top <n>', 'rows of a text table', '20')
    .addOption(new Option('--by <what>', 'rows of the miss classification').choices([...CLASSIFIED_BY]))
    .addOption(new Option('--sort <key>', 'rank rows by L1 misses, or by estimated cycles: the latency of what missed').choices([...SORTS]))
    .option('--type <name>', "only rows that concern this type, as reports spell it: 'struct args'");
}

/** A view that needs more of the replay asks for it. */
export function withViewFlags<Flags extends ReportFlags & ReplayFlags>(flags: Flags): Flags {
  return viewOf(flags) === 'shared-variables' ? { ...flags, sharedVariables: true } : flags;
}

function viewOf(flags: ReportFlags): ViewName | 'all' {
  return flags.view ?? (flags.schedules === undefined ? 'data-profile' : 'schedules');
}

/** What is wrong with the flags themselves, before anything is recorded or replayed. */
export function checkReportFlags(flags: ReportFlags): void {
  const view = viewOf(flags);
  checkTop(flags.top);
  if (view === 'all' && flags.format !== 'text') {
    throw new DprofError(`--view all is for text, not ${flags.format}`, `name one view: ${VIEW_NAMES.join(', ')}`, 2);
  }
  const isOf = (views: readonly ViewName[]): boolean => view === 'all' || views.includes(view);
  if (flags.by !== undefined && !isOf(['miss-classification'])) {
    throw new DprofError(`--by is for the miss classification, not for ${view}`, 'give --view miss-classification', 2);
  }
  if (flags.sort !== undefined && !isOf(RANKED_VIEWS)) {
    throw new DprofError(`--sort is not for ${view}, which has one order`, `give --view ${RANKED_VIEWS.join(', ')}`, 2);
  }
}

export function checkTop(top: string): void {
  if (!/^[1-9]\d{0,8}$/.test(top)) throw new DprofError(`--top: '${top}' is not a positive whole number`, 'for example --top 50', 2);
}

/** Of each machine's profile, in the order of the command line. */
export function printReports(profiles: readonly Profile[], flags: ReportFlags, descriptor: 1 | 2 = 1): void {
  const { type } = flags;
  if (type !== undefined) requireType(profiles[0], type);
  const view = viewOf(flags);
  const output = new StandardOutput(descriptor);
  if (flags.format === 'text') output.write(textOf(profiles, flags, descriptor));
  else for (const part of dataOf(profiles, view as ViewName, flags)) output.write(part);
  output.flush();
}

function textOf(profiles: readonly Profile[], flags: ReportFlags, descriptor: 1 | 2): string {
  // A pipe that is opened as a stream becomes non-blocking; only a terminal is asked for its width.
  const style = chooseStyle(isatty(descriptor) ? (descriptor === 1 ? process.stdout : process.stderr) : {}, process.env);
  const view = viewOf(flags);
  const reports = profiles.map((profile) => new Map((view === 'all' ? viewsOf(profile) : [view]).map((name) => [name, buildView(profile, name, flags)])));
  const options = { top: Number(flags.top), style };
  return reports.length === 1 ? renderText(reports[0], options) : renderMachinesText(reports, options);
}

function dataOf(profiles: readonly Profile[], name: ViewName, flags: ReportFlags): Generator<string> {
  const views = profiles.map((profile) => buildView(profile, name, flags));
  const [first] = views;
  if (views.length === 1) return flags.format === 'json' ? renderJson(first as View<unknown>) : renderCsv(csvRows(name, first));
  return flags.format === 'json' ? renderMachinesJson(name, views as View<unknown>[]) : renderMachinesCsv(views.map((view) => ({ machine: view.machine.name, rows: csvRows(name, view) })));
}

function buildView(profile: Profile, name: ViewName, { by, sort, type }: ReportFlags): AnyView {
  const view: AnyView = VIEWS[name](profile, { by, sort, type });
  return type === undefined ? view : filterByType(view, type);
}
