// Stage: command line. `dprof dump`: a trace as text; with --references its accesses in replay order.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { checkSchedule } from '../dump/issued-steps.js';
import { dumpReferences } from '../dump/reference-text.js';
import { dumpTrace } from '../dump/trace-text.js';
import { hasValues } from '../dump/value-lines.js';
import { resolveMachine } from '../machine/parse-machine.js';
import type { ReplayInput } from '../replay/input.js';
import { openTrace, replayInput, withKernelStores } from '../replay/open-trace.js';
import { addReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { spellSchedule } from '../replay/schedule.js';
import { formatCount } from '../report/format-number.js';
import { StandardOutput } from './standard-output.js';
import { withTraceFile } from './trace-source.js';

interface DumpFlags extends ReplayFlags {
  references?: boolean;
  values?: boolean;
  checkOrder?: boolean;
}

export function addDumpCommand(program: Command): void {
  const command = program
    .command('dump')
    .description('print a trace as text')
    .argument('<trace>', 'trace that dprof record wrote; -: standard input')
    .option('--references', 'accesses in replay order, one per line: core, kind (r, w, a), address, size')
    .option('--values', 'with --references: what was loaded or stored behind each, and lines (p) of what functions are given');
  command.option('--check-order', 'no text: whether the schedule keeps recorded happens-before, found from the stamps alone; status 1 if not');
  addReplayFlags(command).action(async (file: string, options: DumpFlags) => {
    if (options.values && !options.references) throw new DprofError('--values does nothing for a trace as it is in the file', 'add --references: accesses in replay order', 2);
    if (options.checkOrder && options.references) throw new DprofError('--check-order prints no references', 'give one of --check-order and --references', 2);
    if (options.schedules !== undefined) throw new DprofError('--schedules does nothing here: a dump is of one order', 'name it: --schedule random:1', 2);
    if (!options.references && !options.checkOrder) refuseReplayFlags(options, 'for a trace as it is in the file', 'add --references: accesses in replay order');
    const request = parseReplayFlags(options);
    await withTraceFile(file, (path) => dump(path, request, options));
  });
}

function dump(path: string, request: ReplayRequest, options: DumpFlags): void {
  const output = new StandardOutput();
  const opened = openTrace(path);
  if (options.values && !hasValues(opened.catalog)) {
    throw new DprofError(`${path} says nothing of values`, 'compile the program with dprof-cc -fdprof-values (what is loaded and stored), -fdprof-args (what functions are given), and record again');
  }
  const trace = request.kernelStores ? withKernelStores(opened) : opened;
  if (options.references || options.checkOrder) {
    const input = replayInput(trace, resolveMachine(request.machine, trace.threads.length), request.schedule);
    if (options.checkOrder) return printVerdict(input, output);
    dumpReferences(input, (bytes) => output.writeBytes(bytes), { values: options.values });
    return;
  }
  for (const line of dumpTrace(trace)) output.write(`${line}\n`);
  output.flush();
}

function printVerdict(input: ReplayInput, output: StandardOutput): void {
  const { steps, acquires, releases, violations, examples } = checkSchedule(input);
  const what = `${formatCount(steps)} steps of ${formatCount(input.threads.length)} threads in the order ${spellSchedule(input.schedule)}, ${formatCount(acquires)} acquires, ${formatCount(releases)} releases`;
  output.write(`${what}: recorded happens-before ${violations === 0 ? 'is kept' : 'is VIOLATED'}\n`);
  output.flush();
  if (violations > 0) throw new DprofError(`${formatCount(violations)} violations, the first: ${examples[0]}`, 'this is a bug in dprof, or the trace was not written by its recorder');
}
