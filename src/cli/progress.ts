// Stage: command line. Progress on standard error for anything that takes longer than a second: on a terminal one line
// that is rewritten; anywhere else a line every ten seconds, with DPROF_PROGRESS=1 from the first second on, with
// DPROF_PROGRESS=0 none.

import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { formatCount } from '../base/format-number.js';

const FIRST_MS = 1000;
const TERMINAL_MS = 250;
const SOON_MS = 2000;
const LOG_MS = 10_000;

export interface ProgressOptions {
  /** Somebody asked for it: a line soon, and often. */
  readonly isAsked?: boolean;
  readonly isTerminal?: boolean;
  readonly write?: (text: string) => void;
}

/** Shows what `describe` says, if anything, until `stop`. */
export class ProgressLine {
  readonly #terminal: boolean;
  readonly #write: (text: string) => void;
  #written = false;
  readonly #first: NodeJS.Timeout | undefined;
  #repeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly describe: (seconds: number) => string,
    { isAsked = false, isTerminal = isatty(2), write = (text) => void writeSync(2, text) }: ProgressOptions = {},
  ) {
    this.#terminal = isTerminal;
    this.#write = write;
    const { DPROF_PROGRESS: wish = '' } = process.env;
    if (!isTerminal && !isAsked && wish === '0') return;
    const isSoon = isTerminal || isAsked || wish !== '';
    const started = performance.now();
    const show = (): void => this.#show((performance.now() - started) / 1000);
    this.#first = setTimeout(
      () => {
        show();
        this.#repeat = setInterval(show, isTerminal ? TERMINAL_MS : isSoon ? SOON_MS : LOG_MS);
      },
      isSoon ? FIRST_MS : LOG_MS,
    );
  }

  #show(seconds: number): void {
    const said = this.describe(seconds);
    if (said === '') return;
    const line = `dprof: ${said}`;
    this.#write(this.#terminal ? `\r${line.slice(0, (process.stderr.columns || 120) - 1)}\x1b[K` : `${line}\n`);
    this.#written = true;
  }

  /** Room for other text: the line comes again behind it. */
  clear(): void {
    if (this.#written && this.#terminal) this.#write('\r\x1b[K');
  }

  stop(): void {
    clearTimeout(this.#first);
    clearInterval(this.#repeat);
    this.clear();
  }
}

/** Shows how many references `work` has scanned, until it is done, or says that its answer comes. */
export async function withScanProgress<Result>(
  scanned: { rows: number },
  work: (answers: () => void) => Promise<Result>,
): Promise<Result> {
  scanned.rows = 0;
  const line = new ProgressLine((seconds) => (scanned.rows === 0 ? '' : describeProgress(scanned.rows, 0, seconds)));
  try {
    return await work(() => line.stop());
  } finally {
    line.stop();
  }
}

/** `progress`: as in ReplayInput. */
export async function withProgress<Result>(
  what: string,
  work: (progress: SharedArrayBuffer) => Promise<Result>,
): Promise<Result> {
  const buffer = new SharedArrayBuffer(16);
  const counts = new Float64Array(buffer);
  const line = new ProgressLine((seconds) => `${what}: ${describeProgress(counts[0], counts[1], seconds)}`);
  try {
    return await work(buffer);
  } finally {
    line.stop();
  }
}

/** A negative `done` counts the references that a pass ahead of the replay has seen; it simulates no caches. */
export function describeProgress(done: number, total: number, seconds: number): string {
  if (done < 0)
    return (
      `looking for what threads share first${total > 0 ? ` (${Math.floor((-100 * done) / total)}%)` : ''}, ` +
      `${seconds.toFixed(0)} s`
    );
  const rate = `${(done / seconds / 1e6).toFixed(1)} million/s`;
  const share = total > 0 ? ` of about ${formatCount(Math.round(total))} (${Math.floor((100 * done) / total)}%)` : '';
  return `${formatCount(Math.round(done))}${share} references, ${rate}, ${seconds.toFixed(0)} s`;
}
