// Stage: command line. A child process that runs to its end, and what it said.

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { constants as system } from 'node:os';
import { DprofError } from '../base/dprof-error.js';
import { spellVisibly } from '../report/visible-text.js';

/** The last of what it says. */
const MOST_SAID = 1 << 16;
const SHOWN_LINES = 20;

export interface Ended {
  /** 128 and the signal's number for a signal. */
  readonly status: number;
  /** Both outputs. */
  readonly said: string;
}

/** `input`: a file that is its standard input. */
export function runChild(
  [file, ...words]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  input = '/dev/null',
): Promise<Ended> {
  const stdin = openSync(input, 'r');
  return new Promise((done, reject) => {
    const refuse = ({ message }: Error): void =>
      reject(new DprofError(`cannot start ${file}: ${message}`, 'see dprof.yml', 2));
    let child: ChildProcess;
    try {
      child = spawn(file, words, { cwd, env, stdio: [stdin, 'pipe', 'pipe'] });
    } catch (error) {
      return refuse(error as Error); // of too many arguments
    } finally {
      closeSync(stdin);
    }
    let said = '';
    const hear = (part: string): void => {
      said = (said + part).slice(-MOST_SAID);
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    child.on('error', refuse);
    child.on('close', (status, signal) => done({ status: status ?? 128 + signalNumber(signal), said }));
  });
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : (system.signals[signal] ?? 0);
}

export function spellStatus(status: number): string {
  const signal = Object.entries(system.signals).find(([, number]) => number === status - 128)?.[0];
  return status > 128 && signal !== undefined ? `by ${signal}` : `with status ${status}`;
}

/** Its last words, then what is wrong. */
export function failRun(what: string, said: string): never {
  const lines = said.trimEnd().split('\n').slice(-SHOWN_LINES);
  const isSilent = lines.join('') === '';
  if (!isSilent) writeSync(2, lines.map((line) => `  ${spellVisibly(line)}\n`).join(''));
  throw new DprofError(what, isSilent ? 'it printed nothing' : 'the last lines that it printed stand above');
}
