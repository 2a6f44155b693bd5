// Stage: command line. `dprof run`: records, replays and reports in one go; the trace is gone afterwards.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { addReplayFlags, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { recordProgram, type RecordFlags } from './record-command.js';
import { replayTrace } from './replay-trace.js';
import { addWindowFlags } from './window-options.js';
import { addReportFlags, checkReportFlags, printReports, type ReportFlags } from './report-options.js';

export function addRunCommand(program: Command): void {
  const command = program
    .command('run')
    .description('record a program, replay it and print the report; ends as the program did')
    .usage('[options] -- PROGRAM [ARGUMENTS...]')
    .argument('<program...>', 'program and its arguments')
    .option('--aslr', 'keep address randomisation on');
  addReplayFlags(addReportFlags(addWindowFlags(command))).action(async (words: string[], options: RecordFlags & ReportFlags & ReplayFlags) => {
    checkReportFlags(options);
    const request = parseReplayFlags(options);
    const folder = mkdtempSync(join(tmpdir(), 'dprof-run-'));
    try {
      const trace = join(folder, 'run.dptrace');
      process.exitCode = await recordProgram(words, { ...options, output: trace });
      // Without a trace the recorder has said why.
      if (existsSync(trace)) printReports(await replayTrace([trace], request, trace), options);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
