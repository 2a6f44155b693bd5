// Stage: command line. `dprof run --stream`: the references of a program as rows, while it runs. docs/stream.md.

import { closeSync, openSync, write as writeOne, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DprofError } from '../base/dprof-error.js';
import { OutputClosed } from '../base/write-descriptor.js';
import { isPlainMachine } from '../contract/complete-machine.js';
import type { Machine } from '../contract/machine.js';
import { MOST_CORES } from '../machine/machine-description.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { parseSize } from '../machine/sizes.js';
import { LiveTrace } from '../replay/live-trace.js';
import type { LiveStop } from '../replay/native-engine.js';
import { replayInput } from '../replay/open-trace.js';
import { PackedFilter } from '../stream/packed-filter.js';
import { readPackedLive, type PackedBatch } from '../stream/read-references.js';
import { inheritedFiles } from './inherited-files.js';
import { onlyMachine, type ReplayRequest } from './machine-options.js';
import { refuseOwnInput } from './own-input.js';
import { OtherProcesses } from './other-processes.js';
import { recordProgram, type RecordFlags } from './record-command.js';
import { openFor } from './replay-trace.js';
import { RowOutput, type AskedRows } from './row-output.js';

/** Rows come at least so often, if there are any. */
const EVERY_MS = 250;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const write = promisify(writeOne);

/** Refuses what is known only when the program has ended. */
function checkLive(request: ReplayRequest): void {
  const { engine, schedule, schedules, map } = request;
  const refuse = (what: string, why: string): never => {
    throw new DprofError(`${what} is not for --stream: ${why}`, 'dprof record, then dprof stream', 2);
  };
  onlyMachine(request);
  if (engine === 'ts') refuse('--engine ts', 'it reads whole traces');
  if (schedules !== undefined) refuse('--schedules', 'rows are in one order');
  if (schedule.kind !== 'logical') refuse('--schedule', 'that order is known when the program has ended');
  if (map !== 'thread') refuse('--map cpu', 'CPUs are known when the program has ended');
  machineOf(request);
}

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
      streamLive(live, request, asked, rows).finally(() => live.dismiss()),
    ]);
    if (recorded.status === 'rejected') throw recorded.reason;
    if (streamed.status === 'rejected') throw streamed.reason;
    process.exitCode = recorded.value;
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

/** Until the program ends. Rows that were written stay true: where one would not, this is an error. */
async function streamLive(
  live: LiveTrace,
  request: ReplayRequest,
  asked: AskedRows,
  descriptor: number,
): Promise<void> {
  if ((await live.awaitEvents()) === 'nothing') return;
  const output = new RowOutput(asked.format, (bytes) => writeTo(descriptor, bytes));
  const timer = setInterval(() => live.pause(), EVERY_MS);
  const met = { rows: 0, stop: 'module' as LiveStop };
  try {
    while (met.stop === 'module') {
      if (met.rows > 0) checkLoading(asked);
      const { filter, rows } = attempt(live, request, asked, met);
      await output.write(filter, rows);
    }
  } finally {
    clearInterval(timer);
  }
  if (met.stop === 'cut') writeSync(2, 'dprof: the recorder is gone: rows are of what it had passed on\n');
  else if (met.stop !== 'end')
    throw new DprofError(
      `rows were in another order than the program's threads turned out to have (${met.stop})`,
      'dprof record, then dprof stream',
    );
}

/** The program loaded a library when rows had begun: its names are new, and its variables are objects from then on. */
function checkLoading({ format, columns }: AskedRows): void {
  const refuse = (what: string): never => {
    throw new DprofError(
      `the program loaded a library when rows had begun: ${what}`,
      'dprof record, then dprof stream; or let the program load it before (LD_PRELOAD)',
    );
  };
  if (format === 'arrow') refuse('an Arrow stream cannot learn its names (--rows jsonl can)');
  if (columns.includes('object')) refuse('objects are numbered anew (leave out the column object)');
}

/** From the beginning, with the modules that there are by now; rows that were written are passed over. */
function attempt(
  live: LiveTrace,
  request: ReplayRequest,
  { columns, conditions }: AskedRows,
  met: { rows: number; stop: LiveStop },
): { filter: PackedFilter; rows: AsyncIterable<PackedBatch> } {
  const trace = openFor([live.path()], request);
  const input = { ...replayInput(trace, machineOf(request), request.schedule), threads: [] };
  const filter = new PackedFilter(columns, conditions, input);
  const before = met.rows;
  let seen = 0;
  async function* follow(): AsyncGenerator<PackedBatch> {
    let isOver = false;
    const rows = readPackedLive(input, filter.columns, live.placeFor(trace.endOffset), request.workers);
    try {
      for (;;) {
        const { done, value } = await rows.next();
        if (done === true) {
          isOver = true;
          met.stop = value;
          return;
        }
        seen += value.count;
        met.rows = Math.max(met.rows, seen);
        yield value;
      }
    } finally {
      if (!isOver) dismiss(live);
      await rows.return('cut');
    }
  }
  return { filter, rows: filter.chosen(follow(), before) };
}

/** Nobody reads any more; a reader that waits for the program returns. */
function dismiss(live: LiveTrace): void {
  live.end();
  live.pause();
}

/** Cores that no thread is on change nothing on a plain machine, so it has the most. */
function machineOf(request: ReplayRequest): Machine {
  const asked = onlyMachine(request);
  const [few, most] = [1, MOST_CORES].map((threads) => resolveMachine(asked, threads));
  if (few.cores !== most.cores && (asked.sockets !== undefined || !isPlainMachine(most)))
    throw new DprofError('--stream has to know how many cores the machine has', 'say it: --cores 8', 2);
  return most;
}
