// Stage: command line. `dprof record`: hands over to the recorder and ends as the program did.

import { spawn } from 'node:child_process';
import { closeSync, existsSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { fileLimit, inheritedFiles, sameFiles } from './inherited-files.js';
import { requireNative } from './installation.js';
import { addWindowFlags, spellWindow, type WindowFlags } from './window-options.js';

export interface RecordFlags extends WindowFlags {
  readonly output?: string;
  readonly aslr?: boolean;
  readonly sink?: string;
  readonly drop?: boolean;
  readonly allowRemote?: boolean;
  readonly quiet?: boolean;
}

/** What `dprof run` asks of the recorder besides. */
export interface LiveRecording {
  /**
   * The file descriptors that this process was given. They are found before it has threads, which open files of their
   * own.
   */
  readonly inherited: readonly number[];
  /** File descriptors for the recorder; they stay open here. */
  readonly own: readonly number[];
  /** A trace to keep beside. */
  readonly keep?: string;
  /** A folder that the recorder makes for what other processes record. */
  readonly others: string;
}

export function addRecordCommand(program: Command): void {
  const record = program
    .command('record')
    .description('run an instrumented program and write its trace')
    .usage('[-o WHERE] [options] -- PROGRAM [ARGUMENTS...]')
    .argument('<program...>', 'program and its arguments')
    .option(
      '-o, --output <where>',
      'trace to write (default: PROGRAM.dptrace): FILE, -, unix:PATH, tcp://127.0.0.1:PORT, text[:FILE], null',
    )
    .option('--sink <object>', 'shared object that takes decoded records (docs/sinks.md); -o is its argument')
    .option('--drop', 'do not wait for a slow reader; the trace says what is missing')
    .option('--allow-remote', 'allow tcp:// addresses of other machines')
    .option('--quiet', 'do not print what was written')
    .option('--aslr', 'keep address randomisation on; addresses of two recordings then differ');
  addWindowFlags(record).action(async (command: string[], options: RecordFlags) => {
    process.exitCode = await recordProgram(command, options);
  });
}

/** The program's own exit status, signals as 128+n; the recorder's where it could not start the program. */
export function recordProgram(
  command: readonly string[],
  { output, aslr, sink, drop, allowRemote, quiet, ...window }: RecordFlags,
  live?: LiveRecording,
): Promise<number> {
  const recorder = requireNative('recorder');
  const plan = spellWindow(window, command[0]);
  const valued = [
    ['-o', output],
    ['--sink', sink],
    ['--keep', live?.keep],
    ['--others', live?.others],
  ].flatMap(([flag, value]) => (flag === undefined || value === undefined ? [] : [flag, value]));
  const flags = [aslr && '--aslr', drop && '--drop', allowRemote && '--allow-remote', quiet && '--quiet'].filter(
    (flag) => typeof flag === 'string',
  );
  const inherited = live?.inherited ?? inheritedFiles();
  const files = sameFiles([...inherited, ...(live?.own ?? [])]);
  return new Promise((resolve, reject) => {
    const child = spawn(recorder, [...valued, ...flags, '--', ...command], {
      stdio: files,
      env: { ...process.env, ...(plan === '' ? {} : { DPROF_WINDOW: plan }), ...preloadOfProgram(), ...fileLimit() },
    });
    for (const file of inherited) closeSync(file); // who reads a pipe waits for the last one that could write to it
    // The terminal sends its signals to the whole group; what is sent to this process alone goes on to the recorder,
    // which lets the program end first.
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
    const stay = (): void => {};
    process.on('SIGINT', stay).on('SIGQUIT', stay).on('SIGTERM', forward).on('SIGHUP', forward);
    child.on('error', (error) =>
      reject(new DprofError(`cannot start the recorder: ${error.message}`, "run 'dprof doctor'")),
    );
    child.on('close', (status, signal) => {
      process.off('SIGINT', stay).off('SIGQUIT', stay).off('SIGTERM', forward).off('SIGHUP', forward);
      if (signal === null) return resolve(status ?? 1);
      reportKilledRecorder(live ? live.keep : (output ?? `${basename(command[0])}.dptrace`), signal);
      resolve(128 + constants.signals[signal]);
    });
  });
}

/**
 * The recorder gives it to the program (runtime/recorder/launch.cc), and is itself without. An allocator that is
 * preloaded would stand before the runtime, which would then see none of its calls.
 */
function preloadOfProgram(): NodeJS.ProcessEnv {
  const { LD_PRELOAD: preloaded = '' } = process.env;
  if (preloaded === '') return {};
  return { LD_PRELOAD: undefined, DPROF_PRELOAD: `${requireNative('runtime')}:${preloaded}` };
}

/** The recorder ends by a signal only if it was killed itself: the program's own end is in its status. */
function reportKilledRecorder(trace: string | undefined, signal: string): void {
  const left = `${trace}.incomplete`;
  const hint =
    trace === undefined
      ? 'the report is of what it had passed on'
      : existsSync(left)
        ? `what it had written is in ${left}, and can be reported on`
        : 'nothing was written yet; record again';
  writeSync(2, `dprof: the recorder was killed (${signal})\nhint: ${hint}\n`);
}
