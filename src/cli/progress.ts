// Stage: command line. Progress on standard error for anything that takes longer than a second: on a terminal one line that is rewritten,
// with DPROF_PROGRESS=1 a line every few seconds.

import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { formatCount } from '../report/format-number.js';

const FIRST_MS = 1000;
const TERMINAL_MS = 250;
const LOG_MS = 2000;

/** `progress`: [done, total] in references; total 0: unknown. */
export async function withProgress<Result>(what: string, work: (progress: SharedArrayBuffer) => Promise<Result>): Promise<Result> {
  const buffer = new SharedArrayBuffer(16);
  const counts = new Float64Array(buffer);
  const terminal = isatty(2);
  if (!terminal && !process.env.DPROF_PROGRESS) return work(buffer);

  const started = performance.now();
  let written = false;
  const show = (): void => {
    const seconds = (performance.now() - started) / 1000;
    const line = `dprof: ${what}: ${describe(counts[0], counts[1], seconds)}`;
    writeSync(2, terminal ? `\r${line}\x1b[K` : `${line}\n`);
    written = true;
  };
  let repeat: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    show();
    repeat = setInterval(show, terminal ? TERMINAL_MS : LOG_MS);
  }, FIRST_MS);
  try {
    return await work(buffer);
  } finally {
    clearTimeout(first);
    clearInterval(repeat);
    if (written && terminal) writeSync(2, '\r\x1b[K');
  }
}

function describe(done: number, total: number, seconds: number): string {
  const rate = `${(done / seconds / 1e6).toFixed(1)} million/s`;
  const share = total > 0 ? ` of about ${formatCount(Math.round(total))} (${Math.floor((100 * done) / total)}%)` : '';
  return `${formatCount(Math.round(done))}${share} references, ${rate}, ${seconds.toFixed(0)} s`;
}
