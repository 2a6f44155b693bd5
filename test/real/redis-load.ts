// Stage: test. Redis under a load that is the same in every run: keys, a sorted set and hashes are filled, then read
// and written at random, over one connection.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { freePort } from './memcached-client.js';

export interface RedisLoad {
  readonly keys: number;
  readonly lookups: number;
}

/** Commands that go in one write. */
const BATCH = 16;

function valueOf(key: number): string {
  return `value of ${key} `.repeat(1 + (key % 8));
}

export function* commandsOf({ keys, lookups }: RedisLoad): Generator<string> {
  let state = 12345;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below);
  };
  for (let i = 0; i < keys; i++) {
    const key = (i * 7919) % keys;
    yield `SET key:${key} "${valueOf(key)}"`;
    if (i % 4 === 0) yield `ZADD scores ${draw(1_000_000)} member:${key}`;
    if (i % 8 === 0) yield `HSET user:${key % 1000} field:${key} ${key}`;
  }
  for (let i = 0; i < lookups; i++) {
    const key = draw(keys);
    if (i % 8 === 7) yield `ZRANGEBYSCORE scores ${draw(1_000_000)} +inf LIMIT 0 3`;
    else if (i % 8 === 3) yield `HGET user:${key % 1000} field:${key}`;
    else if (i % 16 === 5) yield `SET key:${key} "${valueOf(draw(keys))}"`;
    else yield `GET key:${key}`;
  }
}

/** Whole replies at the beginning of the text, and where the rest begins. */
function countReplies(text: string): { replies: number; end: number } {
  const endOf = (at: number): number => {
    const line = text.indexOf('\r\n', at);
    if (line < 0) return -1;
    const number = Number(text.slice(at + 1, line));
    if (text[at] === '-') throw new Error(`redis: ${text.slice(at, line)}`);
    if (text[at] === '$' && number >= 0) return text.length >= line + number + 4 ? line + number + 4 : -1;
    let end = line + 2;
    for (let element = 0; text[at] === '*' && element < number && end >= 0; element++) end = endOf(end);
    return end;
  };
  let [replies, end] = [0, 0];
  for (let next = endOf(0); next > end; next = text.length > end ? endOf(end) : -1) {
    end = next;
    replies++;
  }
  return { replies, end };
}

async function connected(port: number): Promise<ReturnType<typeof connect>> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const isOpen = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true)).once('error', () => done(false));
    });
    if (isOpen) return socket;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('redis does not listen');
}

/** Runs `command` (redis-server, or what records it) until the load is through; seconds from the first command. */
export async function loadRedis(command: readonly string[], load: RedisLoad): Promise<number> {
  const port = await freePort();
  const quiet = ['--save', '', '--appendonly', 'no', '--activerehashing', 'no', '--hz', '1', '--loglevel', 'warning'];
  const [name, ...words] = [...command, '--port', `${port}`, '--bind', '127.0.0.1', ...quiet];
  const server = spawn(name, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<number | null>((done) => server.once('close', done));
  const socket = await connected(port);
  socket.setEncoding('latin1');
  const began = process.hrtime.bigint();
  let received = '';
  let wake = (): void => {};
  socket.on('data', (text: string) => {
    received += text;
    wake();
  });
  const send = async (commands: readonly string[]): Promise<void> => {
    socket.write(commands.map((one) => `${one}\r\n`).join(''), 'latin1');
    for (let open = commands.length; open > 0; ) {
      await new Promise<void>((done) => (wake = done));
      const { replies, end } = countReplies(received);
      received = received.slice(end);
      open -= replies;
    }
  };
  let batch: string[] = [];
  for (const one of commandsOf(load)) {
    batch.push(one);
    if (batch.length === BATCH) {
      await send(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await send(batch);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  socket.write('SHUTDOWN NOSAVE\r\n');
  const status = await ended;
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
  return seconds;
}
