// Stage: test. A fixed number of requests to memcached over several connections at once, in its text protocol; every
// reply is checked.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadPlan {
  readonly port: number;
  readonly connections: number;
  readonly requestsPerConnection: number;
  readonly keys: number;
}

/** One connection: a request at a time, each answered by text that ends in one of `ends`. */
export class MemcachedConnection {
  private received = '';
  private wake: (() => void) | undefined;
  private failure: Error | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.setNoDelay(true);
    socket.on('data', (text: string) => {
      this.received += text;
      this.wake?.();
    });
    socket.on('close', () => this.fail(new Error('memcached closed the connection')));
    socket.on('error', (error) => this.fail(error));
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.wake?.();
  }

  static async open(port: number): Promise<MemcachedConnection> {
    const socket = connect({ port, host: '127.0.0.1' });
    await new Promise<void>((done, fail) => {
      socket.once('connect', done);
      socket.once('error', fail);
    });
    return new MemcachedConnection(socket);
  }

  async request(text: string, ends: readonly string[]): Promise<string> {
    this.received = '';
    this.socket.write(text, 'latin1');
    while (!ends.some((end) => this.received.endsWith(end))) {
      if (this.failure) throw this.failure;
      await new Promise<void>((done) => (this.wake = done));
    }
    return this.received;
  }

  close(): void {
    this.socket.destroy();
  }
}

function valueOf(key: number): string {
  return `value of ${key} `.repeat(1 + (key % 20));
}

async function load(plan: LoadPlan, connection: MemcachedConnection, connectionNumber: number): Promise<number> {
  let hits = 0;
  for (let i = 0; i < plan.requestsPerConnection; i++) {
    const key = (i * 7919 + connectionNumber * 31) % plan.keys;
    const value = valueOf(key);
    if (i % 4 === 0) {
      const reply = await connection.request(`set key:${key} 0 0 ${value.length}\r\n${value}\r\n`, ['\r\n']);
      if (reply !== 'STORED\r\n') throw new Error(`set key:${key}: ${JSON.stringify(reply)}`);
    } else {
      const reply = await connection.request(`get key:${key}\r\n`, ['END\r\n']);
      if (reply !== 'END\r\n') {
        hits++;
        if (reply !== `VALUE key:${key} 0 ${value.length}\r\n${value}\r\nEND\r\n`)
          throw new Error(`get key:${key}: ${JSON.stringify(reply)}`);
      }
    }
  }
  connection.close();
  return hits;
}

/** Number of gets that found their key. */
export async function runLoad(plan: LoadPlan): Promise<number> {
  // One after the other: memcached deals connections out to its workers as they come.
  const connections: MemcachedConnection[] = [];
  for (let number = 0; number < plan.connections; number++) connections.push(await MemcachedConnection.open(plan.port));
  const hits = await Promise.all(connections.map((connection, number) => load(plan, connection, number)));
  return hits.reduce((sum, count) => sum + count, 0);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** Tried so often, 20 times a second. */
export async function openWhenUp(port: number, attempts: number): Promise<MemcachedConnection> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await MemcachedConnection.open(port);
    } catch (error) {
      if (attempt === attempts) throw error;
      await sleep(50);
    }
  }
}
