// Stage: command line. `dprof run --stream`: records a program, and prints its references as rows meanwhile.

import { closeSync, openSync, write as writeOne, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DprofError } from '../base/dprof-error.js';
import { OutputClosed } from '../base/write-descriptor.js';
import { parseSize } from '../machine/sizes.js';
import { LiveTrace } from '../replay/live-trace.js';
import { inheritedFiles } from './inherited-files.js';
import { checkLive, streamLive } from './live-rows.js';
import type { ReplayRequest } from './machine-options.js';
import { refuseOwnInput } from './own-input.js';
import { OtherProcesses } from './other-processes.js';
import { recordProgram, type RecordFlags } from './record-command.js';
import { RowOutput, type AskedRows } from './row-output.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const write = promisify(writeOne);

export interface StreamedRun extends RecordFlags {
  readonly keep?: string;
  readonly buffer: string;
  /** A file for the rows, or a pipe with a name; else standard output, which the program shares. */
  readonly output?: string;
}

/** Runs the program, whose status is this process's; rows are of its first process. */
export async function runStreaming(
  words: readonly string[],
  options: StreamedRun,
  request: ReplayRequest,
  asked: AskedRows,
): Promise<void> {
  checkLive(request);
  for (const output of [options.output, options.keep]) if (output !== undefined) refuseOwnInput(output, [words[0]]);
  if (options.output !== undefined && options.output === options.keep)
    throw new DprofError('-o and --keep name one file', 'rows and the trace are two', 2);
  const inherited = inheritedFiles();
  const others = new OtherProcesses();
  const rows = openRows(options.output);
  const live = new LiveTrace(parseSize('--buffer', options.buffer));
  // The program has the signal, too, and ends, if nobody keeps it waiting for room; rows that were recorded still come.
  const interrupt = (signal: NodeJS.Signals): void => {
    if (isInterrupted) {
      others.remove();
      process.removeAllListeners(signal).kill(process.pid, signal);
    }
    isInterrupted = true;
    live.dismiss();
  };
  let isInterrupted = false;
  const output = new RowOutput(asked.format, (bytes) => writeTo(rows, bytes));
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const recording = recordProgram(
      words,
      { ...options, output: `live:${live.data},${live.control}` },
      { inherited, own: [live.data, live.control], keep: options.keep, others: others.folder },
    );
    // Whichever ends early, the other is told: a recorder without a reader lets the program run on.
    const [recorded, streamed] = await Promise.allSettled([
      recording.finally(() => live.end()),
      streamLive(live, request, asked, output).finally(() => live.dismiss()),
    ]);
    if (recorded.status === 'rejected') throw recorded.reason;
    if (streamed.status === 'rejected') throw streamed.reason;
    process.exitCode = recorded.value;
    if (streamed.value === 'cut') writeSync(2, 'dprof: the recorder is gone: rows are of what it had passed on\n');
    const count = others.traces().length;
    if (count > 0)
      writeSync(2, `dprof: rows are of the first process; ${count} others were recorded, and are in none\n`);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
    await live.destroy();
    others.remove();
    if (rows !== 1) closeSync(rows);
  }
}

/** On a thread of its own: a reader that takes nothing leaves this one free for signals. */
async function writeTo(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; )
    try {
      at += (await write(descriptor, bytes, at)).bytesWritten;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') throw new OutputClosed();
      if (code !== 'EAGAIN') throw error;
      await sleep(2); // another process made the shared descriptor non-blocking
    }
}

/** Waits for the reader of a pipe. */
function openRows(path = '-'): number {
  if (path === '-') return 1;
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new DprofError(
      `cannot write ${path} (${(error as NodeJS.ErrnoException).code})`,
      'choose another place: -o FILE',
    );
  }
}
