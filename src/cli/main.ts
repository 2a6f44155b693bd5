// Stage: command line. The commands, one file each; every failure ends here as one line, a hint and an exit code.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { addDoctorCommand } from './doctor-command.js';
import { addDumpCommand } from './dump-command.js';
import { INSTALLATION } from './installation.js';
import { printError } from './print-error.js';
import { addRecordCommand } from './record-command.js';
import { addReplayCommand } from './replay-command.js';
import { addReportCommand } from './report-command.js';
import { addRunCommand } from './run-command.js';
import { StandardOutput } from './standard-output.js';

function buildProgram(): Command {
  const { version } = JSON.parse(readFileSync(join(INSTALLATION, 'package.json'), 'utf8')) as { version: string };
  const output = new StandardOutput();
  const program = new Command('dprof')
    .description('which C types miss the cache, and why, from every access of a real run')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        output.write(text);
        output.flush();
      },
      writeErr: () => {},
    })
    .enablePositionalOptions()
    .addHelpText('after', '\nCompile with dprof-cc or dprof-c++, then: dprof record -- ./program; dprof report program.dptrace --view all');
  addRecordCommand(program);
  addReplayCommand(program);
  addReportCommand(program);
  addRunCommand(program);
  addDumpCommand(program);
  addDoctorCommand(program);
  // Subcommands take over how errors and output are handled only if told to.
  for (const command of program.commands) command.copyInheritedSettings(program).passThroughOptions(['record', 'run'].includes(command.name()));
  return program;
}

try {
  const program = buildProgram();
  if (process.argv.length <= 2) throw new DprofError('no command given', "'dprof --help' lists the commands", 2);
  await program.parseAsync();
} catch (error) {
  process.exitCode = printError(error);
}
