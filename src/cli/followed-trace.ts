// Stage: command line. Rows of a trace that comes as a stream, as it comes: it is fed to a live trace.

import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { DprofError } from '../base/dprof-error.js';
import { LiveTrace } from '../replay/live-trace.js';
import { TRACE_MAGIC } from '../trace/layout.js';
import { STANDARD_INPUT } from './byte-stream.js';
import { checkLive, streamLive } from './live-rows.js';
import type { ReplayRequest } from './machine-options.js';
import type { AskedRows, RowOutput } from './row-output.js';

/** Beyond it, what cannot be replayed yet goes to a file without a name. */
const MEMORY_BYTES = 256 << 20;

/** Nothing that is asked for has to know the whole trace. */
export function canFollow(request: ReplayRequest): boolean {
  if (request.window !== undefined) return false;
  try {
    checkLive(request);
    return true;
  } catch (error) {
    if (error instanceof DprofError) return false;
    throw error;
  }
}

/** Whether the bytes begin as a trace. They are all still there. */
export async function beginsAsTrace(source: Readable): Promise<boolean> {
  let begin = Buffer.alloc(0);
  while (begin.length < TRACE_MAGIC.length) {
    const part = (source.read() as Buffer | null) ?? (source.readableEnded ? null : await nextOf(source));
    if (part === null) break;
    begin = Buffer.concat([begin, part]);
  }
  if (begin.length > 0) source.unshift(begin);
  return begin.toString('latin1', 0, TRACE_MAGIC.length) === TRACE_MAGIC;
}

/** null: at its end. */
function nextOf(source: Readable): Promise<Buffer | null> {
  return new Promise((done, fail) => {
    const stop = (): void => void source.off('readable', read).off('end', end).off('error', failed);
    const read = (): void => (stop(), done(source.read() as Buffer | null));
    const end = (): void => (stop(), done(null));
    const failed = (error: Error): void => (stop(), fail(error));
    source.on('readable', read).on('end', end).on('error', failed);
  });
}

/** `named`: as the user calls it. */
export async function followTrace(
  source: Readable,
  named: string,
  request: ReplayRequest,
  asked: AskedRows,
  output: RowOutput,
): Promise<void> {
  const live = new LiveTrace(MEMORY_BYTES, named === STANDARD_INPUT ? 'standard input' : named);
  try {
    const [fed, streamed] = await Promise.allSettled([
      feed(live, source).finally(() => live.end()),
      streamLive(live, request, asked, output).finally(() => (live.dismiss(), source.destroy())),
    ]);
    if (streamed.status === 'rejected') throw streamed.reason;
    if (streamed.value === 'cut')
      writeSync(2, 'dprof: the trace has no end: rows are of what it has, up to its last whole chunk\n');
    else if (fed.status === 'rejected') throw fed.reason;
  } finally {
    await live.destroy();
  }
}

async function feed(live: LiveTrace, source: Readable): Promise<void> {
  for await (const part of source) if (!(await live.feed(part as Buffer))) return;
}
