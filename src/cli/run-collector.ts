// Stage: command line. A program under its collector (dprof-history, dprof-sample): hands over what was inherited, and
// ends as the program did.

import { spawn } from 'node:child_process';
import { closeSync, statSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { DprofError } from '../base/dprof-error.js';
import { fileLimit, inheritedFiles, sameFiles } from './inherited-files.js';

/**
 * The program's own exit status, signals as 128+n; the collector's where it could not start the program or watch it.
 * `killed`: what there is if the collector itself was killed.
 */
export function runCollector(collector: string, words: readonly string[], killed: string): Promise<number> {
  const inherited = inheritedFiles();
  return new Promise((resolve, reject) => {
    const child = spawn(collector, words, { stdio: sameFiles(inherited), env: { ...process.env, ...fileLimit() } });
    for (const file of inherited) closeSync(file); // who reads a pipe waits for the last one that could write to it
    // The terminal sends its signals to the whole group; what is sent to this process alone goes on to the collector,
    // which lets the program end first.
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
    const stay = (): void => {};
    process.on('SIGINT', stay).on('SIGQUIT', stay).on('SIGTERM', forward).on('SIGHUP', forward);
    child.on('error', (error) =>
      reject(new DprofError(`cannot start the collector: ${error.message}`, "run 'dprof doctor'")),
    );
    child.on('close', (status, signal) => {
      process.off('SIGINT', stay).off('SIGQUIT', stay).off('SIGTERM', forward).off('SIGHUP', forward);
      if (signal === null) return resolve(status ?? 1);
      writeSync(2, `dprof: the collector was killed (${signal})\nhint: ${killed}\n`);
      resolve(128 + constants.signals[signal]);
    });
  });
}

/**
 * The identity of the file at `path`, "" if there is none. A file that replaces it has another inode or change time.
 */
export function identify(path: string): string {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  return status === undefined ? '' : `${status.ino} ${status.ctimeNs}`;
}

/** A flag's number, as text for the collector. */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= least && value <= most) return value;
  throw new DprofError(
    `${flag}: '${text}' is not a whole number from ${least} to ${most}`,
    `for example ${flag} ${Math.max(least, 1)}`,
    2,
  );
}
