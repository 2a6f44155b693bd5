// Stage: command line. `dprof sweep`: a trace replayed with one level at several sizes, and the miss curve of each
// type.

import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { closeObjects } from '../profile/object-source.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { defaultCores } from '../replay/recorded-cpus.js';
import type { Sweep } from '../machine/sweep.js';
import { renderCsv } from '../report/csv.js';
import { renderJson } from '../report/json.js';
import { renderSweep } from '../report/sweep-text.js';
import { chooseStyle } from '../report/text-style.js';
import { buildSweep, countPoint, sweepCsvRows, SWEPT_BY, type SweepView, type SweptBy } from '../views/sweep.js';
import { requireNames } from '../views/row-filter.js';
import { addWindowedReplayFlags, parseSweepFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { openFor, replayOnMachines } from './replay-trace.js';
import { checkTop, FORMATS, type ReportFlags } from './report-options.js';
import { StandardOutput } from './standard-output.js';
import { nameTraces, TRACES, withTraceFiles } from './trace-source.js';

interface SweepFlags extends ReplayFlags, Pick<ReportFlags, 'format' | 'top' | 'type'> {
  readonly by: SweptBy;
}

export function addSweepCommand(program: Command): void {
  const command = program
    .command('sweep')
    .description("replay a trace with one cache level at several sizes and print each type's misses")
    .argument('<traces...>', TRACES)
    .addOption(new Option('--by <what>', 'rows of the table').choices([...SWEPT_BY]).default('type'))
    .addOption(new Option('--format <format>', 'output format').choices([...FORMATS]).default('text'))
    .option('--top <n>', 'rows of a text table', '20')
    .option('--type <name>', "only rows of this type, such as 'struct args'");
  addWindowedReplayFlags(command).action(async (files: readonly string[], flags: SweepFlags) => {
    checkTop(flags.top);
    if (flags.schedules !== undefined)
      throw new DprofError(
        '--schedules does nothing here: a sweep is under one schedule',
        'name it: --schedule random:1',
        2,
      );
    if (flags.sharedVariables === true)
      throw new DprofError(
        '--shared-variables does nothing here: a sweep counts misses',
        'dprof report TRACE --view shared-variables',
        2,
      );
    const { sweep, request } = parseSweepFlags(flags);
    print(await withTraceFiles(files, (paths) => sweepTrace(paths, nameTraces(files), sweep, request, flags)), flags);
  });
}

async function sweepTrace(
  paths: readonly string[],
  named: string,
  { level, points }: Sweep,
  request: ReplayRequest,
  { by, type }: SweepFlags,
): Promise<SweepView> {
  const trace = openFor(paths, request);
  const machines = points.map(({ label, request: point }) => {
    const machine = resolveMachine(point, defaultCores(trace));
    return { ...machine, name: `${machine.name} with ${level} ${label}` };
  });
  const counted = await replayOnMachines(trace, machines, request, named, (profile) => {
    requireNames(profile, { type });
    const counted = countPoint(profile, level, by, type);
    closeObjects(profile);
    return counted;
  });
  return buildSweep(
    level,
    by,
    counted,
    points.map(({ label }) => label),
  );
}

function print(view: SweepView, { format, top }: SweepFlags): void {
  const output = new StandardOutput();
  if (format === 'json') for (const part of renderJson(view)) output.write(part);
  else if (format === 'csv') for (const part of renderCsv(sweepCsvRows(view))) output.write(part);
  else
    output.write(
      renderSweep(view, { top: Number(top), style: chooseStyle(isatty(1) ? process.stdout : {}, process.env) }),
    );
  output.flush();
}
