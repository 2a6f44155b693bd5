// Stage: command line. The flags of everything that prints a report, and the report itself.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { csvRows } from '../report/csv-rows.js';
import { renderCsv, renderMachinesCsv } from '../report/csv.js';
import { renderJson, renderMachinesJson } from '../report/json.js';
import { renderMachinesText } from '../report/machines-text.js';
import { renderText } from '../report/text-report.js';
import { chooseStyle } from '../report/text-style.js';
import { LEVELS, type LevelName } from '../contract/machine.js';
import { requireNames } from '../views/row-filter.js';
import {
  CLASSIFIED_BY,
  type ClassifiedBy,
  type Cpi,
  type FilterName,
  FILTERS,
  type RowFilter,
  type View,
} from '../views/view.js';
import {
  buildView,
  CALL_PATH_VIEWS,
  filtersOf,
  FLOW_VIEWS,
  LEVEL_VIEWS,
  SHARED_VARIABLE_VIEWS,
  SORTABLE_VIEWS,
  VIEW_NAMES,
  viewsOf,
  type AnyView,
  type ViewName,
} from '../views/views.js';
import type { ReplayFlags } from './machine-options.js';
import { StandardOutput } from './standard-output.js';

export const FORMATS = ['text', 'json', 'csv'] as const;

export interface RowFlags {
  readonly by?: ClassifiedBy;
  readonly sort?: string;
  readonly level?: LevelName;
  readonly type?: string;
  readonly field?: string;
  readonly function?: string;
  readonly minShare?: string;
  readonly callPath?: true;
  readonly library?: readonly string[];
  readonly innermost?: true;
}

export interface ReportFlags extends RowFlags {
  /** The data profile, or with --schedules those. */
  readonly view?: ViewName | 'all';
  readonly format: (typeof FORMATS)[number];
  readonly top: string;
  /** One of the replay flags. */
  readonly schedules?: string;
  /** What --cpi says, or what was measured. */
  readonly ofTime?: Cpi;
}

/** `others`: what --view may name besides. */
export function addReportFlags(command: Command, others: readonly string[] = []): Command {
  command
    .addOption(
      new Option('--view <view>', 'view to show (default: data-profile)').choices([...VIEW_NAMES, ...others, 'all']),
    )
    .addOption(new Option('--format <format>', 'output format').choices([...FORMATS]).default('text'))
    .option('--top <n>', 'rows of a text table', '20');
  return addRowFlags(command);
}

/** Flags that choose the rows of a view and their order. */
export function addRowFlags(command: Command): Command {
  return command
    .addOption(new Option('--by <what>', 'rows of miss-classification').choices([...CLASSIFIED_BY]))
    .option('--sort <column>', 'sort by this column of the table: l2-misses, conflict, ... (default: est-cycles)')
    .addOption(
      new Option('--level <level>', 'level whose misses and classes to show (default: the costliest)').choices([
        ...LEVELS,
      ]),
    )
    .option('--type <name>', "only rows of this type, such as 'struct args' or 'double[] u (adi.c:12)'")
    .option('--field <path>', 'only rows of this field, such as lock.owner')
    .option('--function <name>', 'only rows of this function, or what happened in it')
    .option('--min-share <percent>', 'only rows with at least this share of all')
    .option('--call-path', 'with the call paths of each row below it')
    .addOption(
      new Option('--library <pattern>', 'functions or files that are not own code: a glob').argParser(
        (pattern: string, before: readonly string[] = []) => [...before, pattern],
      ),
    )
    .option('--innermost', 'charge the innermost function, even an accessor');
}

/** As the command line says them: each filter's flag. */
export const FILTER_FLAGS: Readonly<Record<FilterName, string>> = {
  type: '--type',
  field: '--field',
  function: '--function',
  minShare: '--min-share',
};

export function filterOf({ type, field, function: name, minShare }: RowFlags): RowFilter {
  return { type, field, function: name, minShare: minShare === undefined ? undefined : Number(minShare) };
}

/** With --view all: the views whose rows can be chosen so. */
function canFilter(view: ViewName, flags: ReportFlags): boolean {
  return FILTERS.every((filter) => flags[filter] === undefined || filtersOf(view).includes(filter));
}

/** A view that needs more of the replay asks for it. */
export function withViewFlags<Flags extends ReportFlags & ReplayFlags>(flags: Flags): Flags {
  const view = viewOf(flags);
  return view !== 'all' && SHARED_VARIABLE_VIEWS.includes(view) ? { ...flags, sharedVariables: true } : flags;
}

function viewOf(flags: ReportFlags): ViewName | 'all' {
  return flags.view ?? (flags.schedules === undefined ? 'data-profile' : 'schedules');
}

/** The views show what only a replay with its flow collects; with all of them, as much as a profile has. */
export function isOfFlow(flags: ReportFlags): boolean {
  const view = viewOf(flags);
  return view === 'all' ? flags.schedules === undefined : FLOW_VIEWS.includes(view);
}

/** Refuses flags that contradict each other, before anything is recorded or replayed. */
export function checkReportFlags(flags: ReportFlags): void {
  const view = viewOf(flags);
  checkTop(flags.top);
  if (view === 'all' && flags.format !== 'text') {
    throw new DprofError(`--view all is for text, not ${flags.format}`, `name one view: ${VIEW_NAMES.join(', ')}`, 2);
  }
  checkRowFlags(flags, view);
}

export function checkRowFlags(flags: RowFlags, view: ViewName | 'all'): void {
  const isOf = (views: readonly ViewName[]): boolean => view === 'all' || views.includes(view);
  if (flags.by !== undefined && !isOf(['miss-classification'])) {
    throw new DprofError(`--by is for the miss classification, not for ${view}`, 'give --view miss-classification', 2);
  }
  if (flags.sort !== undefined && !isOf(SORTABLE_VIEWS)) {
    throw new DprofError(
      `--sort is not for ${view}, which has one order`,
      `give --view ${SORTABLE_VIEWS.join(', ')}`,
      2,
    );
  }
  if (flags.level !== undefined && !isOf(LEVEL_VIEWS)) {
    throw new DprofError(
      `--level is not for ${view}, which has no levels to choose from`,
      `give --view ${LEVEL_VIEWS.join(', ')}`,
      2,
    );
  }
  if (flags.callPath && (!isOf(CALL_PATH_VIEWS) || flags.by === 'core')) {
    throw new DprofError(
      `--call-path is not for ${flags.by === 'core' ? '--by core' : view}, whose rows have none`,
      `give --view ${CALL_PATH_VIEWS.join(', ')}`,
      2,
    );
  }
  checkFilters(flags, view);
}

function checkFilters(flags: RowFlags, view: ViewName | 'all'): void {
  const { minShare, by } = flags;
  if (minShare !== undefined && !(/^\d{1,3}(\.\d{1,6})?$/.test(minShare) && Number(minShare) <= 100)) {
    throw new DprofError(
      `--min-share: '${minShare}' is not a percentage`,
      'from 0 to 100, for example --min-share 5',
      2,
    );
  }
  if (view === 'all') return;
  for (const filter of FILTERS) {
    if (flags[filter] === undefined || filtersOf(view).includes(filter)) continue;
    throw new DprofError(
      `${FILTER_FLAGS[filter]} is not for ${view}, whose rows can not be chosen so`,
      `give --view ${VIEW_NAMES.filter((name) => filtersOf(name).includes(filter)).join(', ')}`,
      2,
    );
  }
  if (flags.field !== undefined && (by === 'object' || by === 'site'))
    throw new DprofError(
      `--field is not for --by ${by}: misses of objects are not kept by field`,
      'give --by line, or --type',
      2,
    );
}

export function checkTop(top: string): void {
  checkWholeNumber('--top', top);
}

export function checkWholeNumber(flag: string, number: string): void {
  if (!/^[1-9]\d{0,8}$/.test(number))
    throw new DprofError(`${flag}: '${number}' is not a positive whole number`, `for example ${flag} 50`, 2);
}

export interface PrintOptions {
  readonly descriptor?: 1 | 2;
  /** A line at the end of text. */
  readonly next?: string;
}

/** One report for each machine's profile, in the order of the command line. */
export function printReports(
  profiles: readonly Profile[],
  flags: ReportFlags,
  { descriptor = 1, next }: PrintOptions = {},
): void {
  requireNames(profiles[0], filterOf(flags));
  const view = viewOf(flags);
  const output = new StandardOutput(descriptor);
  if (flags.format === 'text')
    output.write(textOf(profiles, flags, descriptor) + (next === undefined ? '' : `\n${next}\n`));
  else for (const part of dataOf(profiles, view as ViewName, flags)) output.write(part);
  output.flush();
}

function textOf(profiles: readonly Profile[], flags: ReportFlags, descriptor: 1 | 2): string {
  // A pipe that is opened as a stream becomes non-blocking; only a terminal is asked for its width.
  const style = chooseStyle(
    isatty(descriptor) ? (descriptor === 1 ? process.stdout : process.stderr) : {},
    process.env,
  );
  const view = viewOf(flags);
  const reports = profiles.map(
    (profile) =>
      new Map(
        (view === 'all' ? viewsOf(profile).filter((name) => canFilter(name, flags)) : [view]).map((name) => [
          name,
          viewWith(profile, name, flags),
        ]),
      ),
  );
  const options = { top: Number(flags.top), style };
  return reports.length === 1 ? renderText(reports[0], options) : renderMachinesText(reports, options);
}

function dataOf(profiles: readonly Profile[], name: ViewName, flags: ReportFlags): Generator<string> {
  const views = profiles.map((profile) => viewWith(profile, name, flags));
  const [first] = views;
  if (views.length === 1)
    return flags.format === 'json' ? renderJson(first as View<unknown>) : renderCsv(csvRows(first));
  return flags.format === 'json'
    ? renderMachinesJson(name, views as View<unknown>[])
    : renderMachinesCsv(views.map((view) => ({ machine: view.machine.name, rows: csvRows(view) })));
}

function viewWith(profile: Profile, name: ViewName, flags: ReportFlags): AnyView {
  return buildView(
    profile,
    name,
    {
      by: flags.by,
      sort: flags.sort,
      level: flags.level,
      callPath: flags.callPath,
      libraries: flags.library,
      innermost: flags.innermost,
      cpi: flags.ofTime,
      ...filterOf(flags),
    },
    flags.view === 'all',
  );
}
