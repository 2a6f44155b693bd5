// `dprof stream` of a trace that comes as a stream: the rows of the file, as soon as they can be made.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { recordOrders } from '../recorded/orders.js';
import { DPROF, outputOf, start } from './command-client.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-followed-'));
const trace = join(folder, 'orders.dptrace');
const COLUMNS = ['--columns', 'number,time,thread,kind,type,miss,latency,object,caller'];
let rows: string;
let bytes: Buffer;

beforeAll(() => {
  recordOrders(folder);
  rows = outputOf(['stream', trace, ...COLUMNS]);
  bytes = readFileSync(trace);
});

interface Streamed {
  readonly process: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<number | null>;
  /** Until that is so, or the process has ended. */
  readonly until: (isSo: () => boolean) => Promise<void>;
}

function startStream(named: string, ...words: string[]): Streamed {
  const child = spawn(DPROF, ['stream', named, ...words]);
  const said = { out: '', err: '' };
  child.stdout.on('data', (part: Buffer) => (said.out += part.toString()));
  child.stderr.on('data', (part: Buffer) => (said.err += part.toString()));
  child.stdin.on('error', () => {}); // it may have ended
  const ended = once(child, 'close').then(([status]) => status as number | null);
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo() && child.exitCode === null) await new Promise((done) => setTimeout(done, 20));
  };
  return { process: child, out: () => said.out, err: () => said.err, ended, until };
}

test('a pipe: rows of what came, before the rest does', async () => {
  const stream = startStream('-', ...COLUMNS);
  stream.process.stdin!.write(bytes.subarray(0, bytes.length - 100)); // its END chunk is not whole
  await stream.until(() => stream.out().length > 0);
  expect(stream.process.exitCode).toBe(null);
  stream.process.stdin!.end(bytes.subarray(bytes.length - 100));
  expect(await stream.ended).toBe(0);
  expect(stream.out() === rows).toBe(true);
  expect(stream.err()).toBe('');
});

/** Nobody has it now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

test.each(['unix:', 'tcp://127.0.0.1:'])('a recorder connects to %s', async (kind) => {
  const address = `${kind}${kind === 'unix:' ? join(folder, 'socket') : await freePort()}`;
  const stream = startStream(address, ...COLUMNS);
  await stream.until(() => stream.err() !== '');
  expect(stream.err()).toBe(`dprof: waiting for dprof record -o ${address} -- PROGRAM\n`);
  const recorded = start([DPROF, 'record', '-o', address, '--', join(folder, 'orders')], process.env);
  expect(recorded.status).toBe(0);
  expect(await stream.ended).toBe(0);
  expect(stream.out() === rows).toBe(true);
  expect(readdirSync(folder)).not.toContain('socket');
});

test('a replay takes a socket, too', async () => {
  const address = `unix:${join(folder, 'replayed')}`;
  const report = spawn(DPROF, ['report', address, '--format', 'json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  report.stdout.on('data', (part: Buffer) => parts.push(part));
  await once(report.stderr, 'data');
  start([DPROF, 'record', '-o', address, '--', join(folder, 'orders')], process.env);
  await once(report, 'close');
  const { totals } = JSON.parse(Buffer.concat(parts).toString()) as { totals: unknown };
  const expected = JSON.parse(outputOf(['report', trace, '--format', 'json', '--no-cache'])) as { totals: unknown };
  expect(totals).toEqual(expected.totals);
});

test('with flags that need the whole trace: the same rows, later', async () => {
  const words = ['--columns', 'number,thread', '--schedule', 'recorded', '--to', '1000'];
  const stream = startStream('-', ...words);
  stream.process.stdin!.end(bytes);
  expect(await stream.ended).toBe(0);
  expect(stream.out()).toBe(outputOf(['stream', trace, ...words]));
});

test('cut short: rows up to its last whole chunk', async () => {
  const stream = startStream('-', ...COLUMNS);
  stream.process.stdin!.end(bytes.subarray(0, bytes.length - 100));
  expect(await stream.ended).toBe(0);
  expect(stream.out() === rows).toBe(true); // all but END was there
  expect(stream.err()).toContain('the trace has no end');
});

test('damaged: an error that names it', async () => {
  const stream = startStream('-', ...COLUMNS);
  const damaged = Buffer.from(bytes);
  damaged[bytes.length - 100] ^= 1; // of the END chunk
  stream.process.stdin!.end(damaged);
  expect(await stream.ended).toBe(1);
  expect(stream.err()).toMatch(/^dprof: standard input: checksum of the chunk at \d+, stored at offset \d+: expected /);
});

test.each([
  ['-', Buffer.alloc(0), 'found an empty file', 1],
  ['-', Buffer.from('y\n'.repeat(100_000)), 'found "y\\ny\\ny\\ny\\n"', 1],
  ['unix:', Buffer.alloc(0), 'unix: names no socket', 2],
  ['unix:/nonexistent/socket', Buffer.alloc(0), 'cannot listen at unix:/nonexistent/socket (E', 1],
  ['tcp://127.0.0.1', Buffer.alloc(0), 'tcp://127.0.0.1 is no address', 2],
  ['tcp://192.0.2.1:7000', Buffer.alloc(0), 'is no address of this machine alone', 2],
])('%s: %#', async (named, input, message, status) => {
  const stream = startStream(named);
  stream.process.stdin!.end(input);
  expect(await stream.ended).toBe(status);
  expect(stream.err().trimEnd().split('\n')).toHaveLength(2);
  expect(stream.err()).toContain(message);
});
