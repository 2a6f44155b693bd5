// Stage: command line. The commands, one file each; every failure ends here as one line, a hint and an exit code.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { INSTALLATION } from './installation.js';
import { helpLayout } from './help-layout.js';
import { printError } from './print-error.js';
import { StandardOutput } from './standard-output.js';

type AddCommand = (program: Command) => void;

const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  record: async () => (await import('./record-command.js')).addRecordCommand,
  replay: async () => (await import('./replay-command.js')).addReplayCommand,
  report: async () => (await import('./report-command.js')).addReportCommand,
  html: async () => (await import('./html-command.js')).addHtmlCommand,
  annotate: async () => (await import('./annotate-command.js')).addAnnotateCommand,
  export: async () => (await import('./export-command.js')).addExportCommand,
  run: async () => (await import('./run-command.js')).addRunCommand,
  dump: async () => (await import('./dump-command.js')).addDumpCommand,
  import: async () => (await import('./import-command.js')).addImportCommand,
  sweep: async () => (await import('./sweep-command.js')).addSweepCommand,
  diff: async () => (await import('./diff-command.js')).addDiffCommand,
  advise: async () => (await import('./advise-command.js')).addAdviseCommand,
  check: async () => (await import('./check-command.js')).addCheckCommand,
  stream: async () => (await import('./stream-command.js')).addStreamCommand,
  kernel: async () => (await import('./kernel-command.js')).addKernelCommand,
  sql: async () => (await import('./sql-command.js')).addSqlCommand,
  'what-if': async () => (await import('./what-if-command.js')).addWhatIfCommand,
  history: async () => (await import('./history-command.js')).addHistoryCommand,
  sample: async () => (await import('./sample-command.js')).addSampleCommand,
  validate: async () => (await import('./validate-command.js')).addValidateCommand,
  merge: async () => (await import('./merge-command.js')).addMergeCommand,
  block: async () => (await import('./block-command.js')).addBlockCommand,
  machines: async () => (await import('./machines-command.js')).addMachinesCommand,
  doctor: async () => (await import('./doctor-command.js')).addDoctorCommand,
};

/**
 * Only the command that is asked for is loaded, so that a recording begins at once; all of them for help and where none
 * has that name.
 */
async function buildProgram(asked: string): Promise<Command> {
  const { version } = JSON.parse(readFileSync(join(INSTALLATION, 'package.json'), 'utf8')) as { version: string };
  const output = new StandardOutput();
  const program = new Command('dprof')
    .description('Shows which C types miss the cache, and why, from every access of a real run.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        output.write(text);
        output.flush();
      },
      writeErr: () => {},
    })
    .configureHelp(helpLayout(asked === 'help'))
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nExamples:\n  CC=dprof-cc make\n  dprof record -o run.dptrace -- ./program\n  dprof report run.dptrace\n',
    );
  const names = Object.hasOwn(COMMANDS, asked) ? [asked] : asked === '--version' ? [] : Object.keys(COMMANDS);
  for (const name of names) (await COMMANDS[name]())(program);
  // Subcommands take over how errors and output are handled only if told to.
  for (const command of program.commands)
    command
      .copyInheritedSettings(program)
      .passThroughOptions(['record', 'run', 'history', 'sample'].includes(command.name()));
  return program;
}

/** `words`: what a user types behind `dprof`. Sets `process.exitCode` unless the command succeeds. */
export async function runCommand(words: readonly string[]): Promise<void> {
  try {
    if (words.length === 0) throw new DprofError('no command given', "'dprof --help' lists the commands", 2);
    const program = await buildProgram(words[0]);
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    process.exitCode = printError(error);
  }
}
