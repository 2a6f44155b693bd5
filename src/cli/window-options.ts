// Stage: command line -> runtime. When to record: the flags of `dprof record` and `dprof run` to the text of
// DPROF_WINDOW. docs/recording-windows.md.

import { constants } from 'node:os';
import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { findFunction } from './find-function.js';

export interface WindowFlags {
  readonly after?: string;
  readonly for?: string;
  readonly burst?: string;
  readonly from?: string;
  readonly until?: string;
  readonly toggle?: string;
  readonly paused?: boolean;
}

export function addWindowFlags(command: Command): Command {
  const flags: readonly (readonly [flag: string, description: string])[] = [
    ['--after <extent>', 'begin after so many logged words (10M) or so long (2s, 500ms)'],
    ['--for <extent>', 'stop after so many logged words or so long'],
    ['--burst <on/period>', 'record only the beginning of every period: 10M/100M, 100ms/1s'],
    ['--from <function>', 'begin when this function is entered'],
    ['--until <function>', 'stop when this function is entered; --from can begin again'],
    ['--toggle <signal>', 'stop, or begin again, on this signal'],
    ['--paused', 'begin at dprof_start() or the signal of --toggle'],
  ];
  for (const [flag, description] of flags)
    command.addOption(new Option(flag, description).helpGroup('When to record (docs/recording-windows.md):'));
  return command;
}

/** Empty if nothing was asked for. `program`: the executable in which functions are looked up. */
export function spellWindow(flags: WindowFlags, program: string): string {
  const parts: string[] = [];
  if (flags.after !== undefined) parts.push(`after=${spellExtent('--after', flags.after)}`);
  if (flags.for !== undefined) parts.push(`for=${spellExtent('--for', flags.for)}`);
  if (flags.burst !== undefined) parts.push(`burst=${spellBurst(flags.burst)}`);
  if (flags.from !== undefined) parts.push(`from=${findFunction(program, flags.from)}`);
  if (flags.until !== undefined) parts.push(`until=${findFunction(program, flags.until)}`);
  if (flags.toggle !== undefined) parts.push(`toggle=${signalNumber(flags.toggle)}`);
  if (flags.paused) parts.push('paused');
  return parts.join(',');
}

const SCALES: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

/** Logged words "12w" or nanoseconds "12n". */
function spellExtent(option: string, text: string): string {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(|[KMG]|s|ms)$/.exec(text) ?? [];
  const isTime = unit === 's' || unit === 'ms';
  const value = Math.round(Number(amount) * (isTime ? (unit === 's' ? 1e9 : 1e6) : SCALES[unit]));
  if (amount === undefined || value < 1 || value > Number.MAX_SAFE_INTEGER) {
    throw new DprofError(
      `${option} ${text} is no extent`,
      'say how many logged words (10M, 500K) or how long (2s, 500ms)',
      2,
    );
  }
  return `${value}${isTime ? 'n' : 'w'}`;
}

function spellBurst(text: string): string {
  const [on, period, ...more] = text.split('/');
  if (period === undefined || more.length > 0)
    throw new DprofError(
      `--burst ${text} is no burst`,
      'say how much to record of how much, as in 10M/100M or 100ms/1s',
      2,
    );
  const [first, second] = [spellExtent('--burst', on), spellExtent('--burst', period)];
  if (first.at(-1) !== second.at(-1) || parseInt(first, 10) >= parseInt(second, 10)) {
    throw new DprofError(
      `--burst ${text}: the first must be smaller than the second and of the same unit`,
      'for example --burst 10M/100M',
      2,
    );
  }
  return `${first}/${second}`;
}

function signalNumber(text: string): number {
  const name = text.startsWith('SIG') ? text : `SIG${text}`;
  const number = (constants.signals as Readonly<Record<string, number>>)[name];
  if (number === undefined || name === 'SIGKILL' || name === 'SIGSTOP')
    throw new DprofError(`--toggle ${text} is no signal that a program can catch`, 'for example --toggle SIGUSR2', 2);
  return number;
}
