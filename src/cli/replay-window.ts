// Stage: command line. `--from`, `--to` (or `--until`), `--warm-up`: which part of a trace counts.
// docs/replay/windows.md.

import { DprofError } from '../base/dprof-error.js';
import type { WindowFacts } from '../profile/profile.js';
import type { WindowRequest } from '../replay/locate-window.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import type { ReplayResult } from '../contract/result.js';
import type { Border, Position } from '../contract/window.js';
import { readMarks, readTimes, type TraceTimes } from '../trace/chunk-index.js';

export interface ReplayWindowFlags {
  readonly from?: string;
  readonly to?: string;
  /** The same as `to`. */
  readonly until?: string;
  readonly warmUp?: string;
}

/** A border as it was asked for; which stamp a time is, or whether there is such a mark, only the trace says. */
type Asked =
  | { readonly kind: 'reference'; readonly references: number }
  | { readonly kind: 'time'; readonly nanoseconds: number }
  | { readonly kind: 'mark'; readonly name: string; readonly occurrence: number };

export interface AskedWindow {
  readonly from?: Asked;
  readonly to?: Asked;
  readonly warmUp?: Asked;
  /** As they were given. */
  readonly texts: Omit<ReplayWindowFlags, 'until'>;
  /** `to` was given as --until. */
  readonly isUntil?: true;
}

function endOption({ isUntil }: Pick<AskedWindow, 'isUntil'>): string {
  return isUntil ? '--until' : '--to';
}

const BORDER_HINT =
  'say a number of references (5000000, 1.2M), a time since the start (1.5s, 200ms) or a mark of the program ' +
  '(mark:NAME, mark:NAME#2)';
const SCALES: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9, ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

/** Undefined if all of the trace counts. */
export function parseReplayWindow(flags: ReplayWindowFlags): AskedWindow | undefined {
  if (flags.to !== undefined && flags.until !== undefined)
    throw new DprofError('--to and --until are one', 'give one of them', 2);
  const { from: fromText, to: toText = flags.until, warmUp: warmUpText } = flags;
  const said = flags.until === undefined ? {} : ({ isUntil: true } as const);
  const option = endOption(said);
  if (fromText === undefined && toText === undefined && warmUpText === undefined) return undefined;
  const [from, to] = [parseBorder('--from', fromText), parseBorder(option, toText)];
  const warmUp = parseWarmUp(warmUpText, from);
  const [begin, end] = [placeOf(from), placeOf(to)];
  if (begin !== undefined && end !== undefined && from?.kind === to?.kind && end <= begin) {
    throw new DprofError(
      `--from ${fromText} ${option} ${toText}: the window ${end === begin ? 'is empty' : 'ends before it begins'}`,
      `name a later ${option}`,
      2,
    );
  }
  if (to?.kind === 'reference' && to.references === 0)
    throw new DprofError(`${option} ${toText}: the window is empty`, `name a later ${option}`, 2);
  return { from, to, warmUp, texts: { from: fromText, to: toText, warmUp: warmUpText }, ...said };
}

function parseBorder(option: string, text: string | undefined): Asked | undefined {
  if (text === undefined) return undefined;
  const [, name, occurrence] = /^mark:(.*?)(?:#([1-9]\d{0,8}))?$/s.exec(text) ?? [];
  if (name !== undefined) return { kind: 'mark', name, occurrence: Number(occurrence ?? 1) };
  const amount = parseAmount(text);
  if (amount === undefined)
    throw new DprofError(`${option} ${JSON.stringify(text)} is no place in a trace`, BORDER_HINT, 2);
  return amount;
}

function parseAmount(text: string): Asked | undefined {
  const [, number, unit] = /^(\d{1,16}(?:\.\d{1,12})?)(|[KMG]|ns|us|ms|s)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const value = Math.round(Number(number) * SCALES[unit]);
  if (!Number.isSafeInteger(value)) return undefined;
  return unit.endsWith('s') ? { kind: 'time', nanoseconds: value } : { kind: 'reference', references: value };
}

function parseWarmUp(text: string | undefined, from: Asked | undefined): Asked | undefined {
  if (text === undefined || text === 'all') return undefined;
  const amount = parseAmount(text);
  if (amount === undefined)
    throw new DprofError(
      `--warm-up ${JSON.stringify(text)} is no warm-up`,
      'say how many references before --from (10M), how long (200ms), or all',
      2,
    );
  if (from === undefined)
    throw new DprofError(
      '--warm-up does nothing without --from: nothing comes before the beginning',
      'give --from, or leave --warm-up out',
      2,
    );
  if (amount.kind === 'time' && from.kind !== 'time')
    throw new DprofError(
      `--warm-up ${text} is a time, and --from is none`,
      'say how many references: --warm-up 10M',
      2,
    );
  return amount;
}

function placeOf(border: Asked | undefined): number | undefined {
  return border?.kind === 'reference' ? border.references : border?.kind === 'time' ? border.nanoseconds : undefined;
}

/** The window in terms of this trace. A border that the trace does not have is refused before anything is replayed. */
export function windowOf(trace: OpenedTrace, asked: AskedWindow): WindowRequest {
  const { from, to, warmUp, texts } = asked;
  const kinds = [from, to].map((border) => border?.kind);
  const times = kinds.includes('time') ? timesOf(trace) : undefined;
  const marks = kinds.includes('mark') ? readMarks(trace) : undefined;
  const border = (option: string, asked: Asked | undefined, text: string | undefined): Border | undefined => {
    if (asked === undefined) return undefined;
    if (asked.kind === 'mark') requireMark(`${option} ${text}`, asked, marks!);
    return asked.kind === 'time'
      ? { kind: 'stamp', stamp: stampOf(trace, `${option} ${text}`, asked.nanoseconds, times!) }
      : asked;
  };
  const begin = border('--from', from, texts.from);
  return {
    from: begin,
    to: border(endOption(asked), to, texts.to),
    ...(warmUp?.kind === 'reference' && { warmUpReferences: warmUp.references }),
    ...(warmUp?.kind === 'time' &&
      begin?.kind === 'stamp' && {
        warmUpStamp: larger(times!.first, begin.stamp - stampsIn(trace, warmUp.nanoseconds)),
      }),
  };
}

function timesOf(trace: OpenedTrace): TraceTimes {
  const times = readTimes(trace);
  if (times !== null && trace.header.stampsPerSecond > 0) return times;
  throw new DprofError(
    `${trace.path} has no time stamps, so there is no time in it`,
    'name borders by the number of references: --from 1.2M',
  );
}

function stampOf(trace: OpenedTrace, named: string, nanoseconds: number, { first, last }: TraceTimes): bigint {
  const stamp = first + stampsIn(trace, nanoseconds);
  if (stamp <= last) return stamp;
  const seconds = Number(last - first) / trace.header.stampsPerSecond;
  throw new DprofError(
    `${named} lies behind the end of the trace, which is ${seconds.toFixed(6)} s long`,
    'name an earlier time; without --to, the window goes on to the end',
  );
}

function stampsIn({ header }: OpenedTrace, nanoseconds: number): bigint {
  return (BigInt(nanoseconds) * BigInt(Math.round(header.stampsPerSecond))) / 1_000_000_000n;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

const MOST_NAMED = 20;

function requireMark(
  named: string,
  { name, occurrence }: { name: string; occurrence: number },
  marks: ReadonlyMap<string, number>,
): void {
  const count = marks.get(name) ?? 0;
  if (count >= occurrence) return;
  const names = [...marks]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([other, times]) => (times === 1 ? other : `${other} (${times} times)`));
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
  throw new DprofError(
    count === 0
      ? `${named}: the trace has no mark ${JSON.stringify(name)}`
      : `${named}: the mark comes ${count === 1 ? 'once' : `${count} times`}`,
    names.length === 0
      ? 'it has no marks at all: the program sets them with dprof_mark("name") of dprof.h'
      : `its marks: ${names.slice(0, MOST_NAMED).join(', ')}${more}`,
  );
}

/** The window as reports tell it; a window that is not there is refused, now that it is known. */
export function describeWindow(asked: AskedWindow, { window, totals }: ReplayResult): WindowFacts {
  const { texts } = asked;
  const option = endOption(asked);
  const { from = null, to = null, warmUp = null } = window ?? {};
  const count = (position: Position): string => `reference ${position.references.toLocaleString('en')}`;
  if (texts.from !== undefined && from === null) {
    if (to !== null)
      throw new DprofError(
        `the window ends before it begins: ${option} ${texts.to} lies at ${count(to)}, ` +
          `and --from ${texts.from} behind it`,
        `name a later ${option}`,
      );
    throw new DprofError(
      `--from ${texts.from} lies behind the end of the trace`,
      'name an earlier place; a report on the whole trace says how many references it has',
    );
  }
  if (texts.to !== undefined && to === null) {
    const references = (from?.references ?? 0) + totals.references;
    throw new DprofError(
      `${option} ${texts.to} lies behind the end of the trace, which has ${references.toLocaleString('en')} references`,
      `without ${option}, the window goes on to the end`,
    );
  }
  if (from !== null && to !== null && from.references === to.references && from.time === to.time) {
    throw new DprofError(
      `the window is empty: --from ${texts.from} and ${option} ${texts.to} both lie at ${count(to)}`,
      'borders lie behind a step of a thread; name places that are further apart',
    );
  }
  const place = (text: string | undefined, position: Position | null): WindowFacts['from'] =>
    position === null ? null : { asked: text ?? '', ...position };
  return {
    from: place(texts.from, from),
    to: place(texts.to, to),
    warmUp: warmUp === null || texts.warmUp === undefined ? null : place(texts.warmUp, warmUp),
  };
}
