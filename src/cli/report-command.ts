// Stage: command line. `dprof report`: prints the views of a trace (which it replays), of samples or of a profile.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { HISTORIES_MAGIC } from '../hardware/histories/histories-layout.js';
import type { Cpi } from '../views/view.js';
import { reportBlocks } from './blocks-report.js';
import { addCpiFlag, cpiOf, parseCpi, type CpiFlags } from './cpi-option.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { hasMagic } from './has-magic.js';
import { printHistories } from './history-command.js';
import { addWindowedReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { measuredTime } from './line-cycles.js';
import { nextCommand, traceOf } from './next-command.js';
import { profilesOf } from './open-profiles.js';
import {
  addReportFlags,
  checkReportFlags,
  isOfFlow,
  printReports,
  withViewFlags,
  type ReportFlags,
} from './report-options.js';
import { priceTrace } from './priced-code.js';
import { openFor } from './replay-trace.js';
import { areSamples, SAMPLES } from './sampled-source.js';
import { TRACES, withTraceFiles } from './trace-source.js';

const BLOCKS = 'blocks';
type BlocksFlags = Omit<ReportFlags, 'view'> & ReplayFlags & FlowFlags & { readonly view: typeof BLOCKS };
type AskedFlags = ((ReportFlags & ReplayFlags & FlowFlags) | BlocksFlags) & CpiFlags;
/** Views that have a column `of time`. */
const OF_TIME: readonly string[] = ['functions', 'data-profile', 'all'];

function isOfBlocks(flags: AskedFlags): flags is BlocksFlags {
  return flags.view === BLOCKS;
}

export function addReportCommand(program: Command): void {
  const command = program
    .command('report')
    .description('print a view of a trace, a profile or samples')
    .argument('<files...>', `${TRACES}; or a profile; or ${SAMPLES}`);
  addCpiFlag(addReportFlags(command, [BLOCKS]));
  addWindowedReplayFlags(addFlowFlags(command), {
    severalMachines: true,
    keepsProfiles: true,
  }).action(async (files: readonly string[], asked: AskedFlags) => {
    checkCpiFlag(asked);
    if (isOfBlocks(asked)) return reportBlocks(files, parseReplayFlags(asked), asked);
    const options: ReportFlags & ReplayFlags & FlowFlags = asked;
    checkReportFlags(options);
    const flow = parseFlowFlags(options, {
      isWanted: isOfFlow(options),
      isOneSchedule: options.schedules === undefined,
    });
    const replay = parseReplayFlags(withViewFlags(options));
    const request = { ...replay, flow, ...(replay.kept && options.view !== 'all' && { kept: 'or-more' as const }) };
    let trace: string | undefined;
    let ofTime: Cpi | undefined;
    const profiles = await withTraceFiles(files, async (paths) => {
      trace = traceOf(paths, files);
      const histories = paths.find((each) => hasMagic(each, HISTORIES_MAGIC));
      ofTime = await cpiOf(asked, async () => measuredTime(await priceTrace(openFor(paths, request), request)));
      return histories === undefined || areSamples(paths)
        ? profilesOf(paths, files, options, request)
        : reportHistories(histories, paths, options);
    });
    if (profiles === null) return;
    printReports(
      profiles,
      { ...options, ofTime },
      { next: trace === undefined ? undefined : nextCommand(profiles, trace) },
    );
  });
}

function checkCpiFlag({ cpi, view = 'data-profile' }: AskedFlags): void {
  if (cpi === undefined) return;
  if (!OF_TIME.includes(view))
    throw new DprofError(`--cpi is not for ${view}, which estimates no run time`, `give --view ${OF_TIME[0]}`, 2);
  parseCpi(cpi);
}

/** Histories are of single objects, and were not replayed, so no view of a profile is in them. */
function reportHistories(path: string, paths: readonly string[], options: ReportFlags & ReplayFlags): null {
  if (paths.length > 1)
    throw new DprofError(`${path} holds histories, and only traces are replayed together`, 'report on it alone', 2);
  refuseReplayFlags(options, `for ${path}: histories are not replayed`, 'leave them out');
  if (!['text', 'json'].includes(options.format))
    throw new DprofError(`histories have no ${options.format}`, '--format text or json', 2);
  printHistories(path, options.format, Number(options.top));
  return null;
}
