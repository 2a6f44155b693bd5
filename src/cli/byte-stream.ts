// Stage: command line. A file's bytes as they come: from standard input, a pipe, or a recorder that connects to a
// socket (docs/sinks.md).

import { createReadStream, fstatSync, statSync, writeSync, type Stats } from 'node:fs';
import { createServer, type ListenOptions } from 'node:net';
import type { Readable } from 'node:stream';
import { DprofError } from '../base/dprof-error.js';

export const STANDARD_INPUT = '-';
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** undefined if the file has no status: its reader then says why. */
export function statusOf(named: string): Stats | undefined {
  try {
    return named === STANDARD_INPUT ? fstatSync(0) : statSync(named);
  } catch {
    return undefined;
  }
}

/** It cannot be read at any offset. */
export function comesAsStream(named: string): boolean {
  if (isAddress(named)) return true;
  const status = statusOf(named);
  return status !== undefined && (status.isFIFO() || status.isSocket());
}

/** As `dprof record -o` spells them. */
function isAddress(named: string): boolean {
  return named.startsWith('unix:') || named.startsWith('tcp:');
}

export async function openByteStream(named: string): Promise<Readable> {
  if (isAddress(named)) return awaitConnection(named, placeOf(named));
  return named === STANDARD_INPUT ? createReadStream('', { fd: 0, autoClose: false }) : createReadStream(named);
}

function placeOf(named: string): ListenOptions {
  if (named.startsWith('unix:')) {
    const path = named.slice('unix:'.length);
    if (path.length > 0 && Buffer.byteLength(path) < 108) return { path };
    throw new DprofError(`${named} names no socket`, 'give a path of 1 to 107 bytes, as in unix:/tmp/traces', 2);
  }
  const [, bracketed, plain, digits] = /^tcp:\/\/(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(named) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  if (host === undefined || port < 1 || port > 65_535)
    throw new DprofError(`${named} is no address`, 'give host and port, as in tcp://127.0.0.1:7000', 2);
  if (!LOOPBACK.includes(host))
    throw new DprofError(
      `${named} is no address of this machine alone: nothing encrypts a trace`,
      "tcp://127.0.0.1:7000 here, and 'ssh -R 7000:127.0.0.1:7000' for a program that runs elsewhere",
      2,
    );
  return { host, port };
}

/** The first recorder's; those of other processes of its program are taken, and nobody has them. */
function awaitConnection(named: string, place: ListenOptions): Promise<Readable> {
  return new Promise((done, fail) => {
    let others = 0;
    const server = createServer((socket) => {
      server.unref(); // who reads the first one keeps this process alive
      if (++others > 1)
        return void socket
          .on('error', () => {})
          .resume()
          .unref();
      socket.once('close', () => server.close());
      done(socket);
    });
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const hint = code === 'EADDRINUSE' ? 'remove it, or choose another' : 'choose another';
      fail(new DprofError(`cannot listen at ${named} (${code})`, hint));
    });
    server.listen(place, () => writeSync(2, `dprof: waiting for dprof record -o ${named} -- PROGRAM\n`));
  });
}

/** Whether the stream begins with one of these. Its bytes are all still there. */
export async function beginsWith(source: Readable, magics: readonly string[]): Promise<boolean> {
  const most = Math.max(...magics.map((magic) => magic.length));
  let begin = Buffer.alloc(0);
  while (begin.length < most) {
    const part = (source.read() as Buffer | null) ?? (source.readableEnded ? null : await nextOf(source));
    if (part === null) break;
    begin = Buffer.concat([begin, part]);
  }
  if (begin.length > 0) source.unshift(begin);
  const text = begin.toString('latin1', 0, most);
  return magics.some((magic) => text.startsWith(magic));
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
