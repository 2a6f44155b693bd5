// Stage: command line. Rows of a program while it runs: a live trace is followed from its beginning, once more where
// the program loads a library. docs/stream.md.

import { DprofError } from '../base/dprof-error.js';
import { isPlainMachine } from '../contract/complete-machine.js';
import type { Machine } from '../contract/machine.js';
import { MOST_CORES } from '../machine/machine-description.js';
import { resolveMachine } from '../machine/parse-machine.js';
import type { LiveTrace } from '../replay/live-trace.js';
import type { LiveStop } from '../replay/native-engine.js';
import { replayInput } from '../replay/open-trace.js';
import { PackedFilter } from '../stream/packed-filter.js';
import { readPackedLive, type PackedBatch } from '../stream/read-references.js';
import { onlyMachine, type ReplayRequest } from './machine-options.js';
import { openFor } from './replay-trace.js';
import type { AskedRows, RowOutput } from './row-output.js';

/** Rows come at least so often, if there are any. */
const EVERY_MS = 250;

/** Refuses what is known only when the program has ended. */
export function checkLive(request: ReplayRequest): void {
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

/**
 * Until the program ends. Rows that were written stay true: where one would not, this is an error. `cut`: the trace had
 * no end.
 */
export async function streamLive(
  live: LiveTrace,
  request: ReplayRequest,
  asked: AskedRows,
  output: RowOutput,
): Promise<'end' | 'cut'> {
  if ((await live.awaitEvents()) === 'nothing') return 'end';
  const timer = setInterval(() => live.pause(), EVERY_MS);
  const met = { rows: 0, stop: 'module' as LiveStop };
  try {
    while (met.stop === 'module') {
      if (met.rows > 0) checkLoading(asked);
      const { filter, rows } = attempt(live, request, asked, met);
      await output.write(filter, rows);
    }
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    const { message, hint, exitCode } = error;
    throw new DprofError(message.replace(/\/proc\/self\/fd\/\d+/, live.named), hint, exitCode);
  } finally {
    clearInterval(timer);
  }
  if (met.stop === 'end' || met.stop === 'cut') return met.stop;
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
  const numbered = (['object', 'evictedObject', 'l2EvictedObject', 'llcEvictedObject'] as const).find((name) =>
    columns.includes(name),
  );
  if (numbered !== undefined) refuse(`objects are numbered anew (leave out the column ${numbered})`);
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
