// Stage: command line. `dprof dump`: a trace as text; with --references its accesses in replay order.

import type { Command } from 'commander';
import { dumpReferences } from '../dump/reference-text.js';
import { dumpTrace } from '../dump/trace-text.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { openTrace, replayInput, withKernelStores } from '../replay/open-trace.js';
import { addReplayFlags, parseReplayFlags, refuseReplayFlags, type ReplayFlags } from './machine-options.js';
import { StandardOutput } from './standard-output.js';

export function addDumpCommand(program: Command): void {
  const command = program
    .command('dump')
    .description('print a trace as text')
    .argument('<trace>', 'trace that dprof record wrote')
    .option('--references', 'accesses in replay order, one per line: core, kind (r, w, a), address, size');
  addReplayFlags(command).action((path: string, options: ReplayFlags & { references?: boolean }) => {
    if (!options.references) refuseReplayFlags(options, 'for a trace as it is in the file', 'add --references: accesses in replay order');
    const request = parseReplayFlags(options);
    const output = new StandardOutput();
    const opened = openTrace(path);
    const trace = request.kernelStores ? withKernelStores(opened) : opened;
    if (options.references) {
      const input = replayInput(trace, resolveMachine(request.machine, trace.threads.length), request.schedule);
      dumpReferences(input, (bytes) => output.writeBytes(bytes));
      return;
    }
    for (const line of dumpTrace(trace)) output.write(`${line}\n`);
    output.flush();
  });
}
