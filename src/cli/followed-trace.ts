// Stage: command line. Rows of a trace that comes as a stream, as it comes: it is fed to a live trace.

import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { DprofError } from '../base/dprof-error.js';
import { LiveTrace } from '../replay/live-trace.js';
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
