// Stage: command line. `dprof dump`: a trace as text; with --references its accesses in replay order.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { dumpReferences } from '../dump/reference-text.js';
import { dumpTrace } from '../dump/trace-text.js';
import { hasValues } from '../dump/value-lines.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { openTrace, replayInput, withKernelStores } from '../replay/open-trace.js';
import { addReplayFlags, onlyMachine, parseReplayFlags, refuseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { StandardOutput } from './standard-output.js';
import { withTraceFile } from './trace-source.js';

interface DumpFlags extends ReplayFlags {
  references?: boolean;
  values?: boolean;
}

export function addDumpCommand(program: Command): void {
  const command = program
    .command('dump')
    .description('print a trace as text')
    .argument('<trace>', 'trace that dprof record wrote; -: standard input')
    .option('--references', 'accesses in replay order, one per line: core, kind (r, w, a), address, size')
    .option('--values', 'with --references: what was loaded or stored behind each, and lines (p) of what functions are given');
  addReplayFlags(command).action(async (file: string, options: DumpFlags) => {
    if (options.values && !options.references) throw new DprofError('--values does nothing for a trace as it is in the file', 'add --references: accesses in replay order', 2);
    if (!options.references) refuseReplayFlags(options, 'for a trace as it is in the file', 'add --references: accesses in replay order');
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
  if (options.references) {
    const input = replayInput(trace, resolveMachine(onlyMachine(request), trace.threads.length), request.schedule);
    dumpReferences(input, (bytes) => output.writeBytes(bytes), { values: options.values });
    return;
  }
  for (const line of dumpTrace(trace)) output.write(`${line}\n`);
  output.flush();
}
