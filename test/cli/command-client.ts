// Stage: test. bin/dprof as a user calls it, but quicker: commands that only read files run one after the other in one
// process, since most of what a short command costs is the start of Node. `npm run proofs` starts bin/dprof for each.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { constants, ftruncateSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IS_AT_LENGTH } from '../at-length.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import type { CommandReply, CommandRequest } from './command-server.js';

const ROOT = resolve(import.meta.dirname, '../..');
const SERVER = join(ROOT, 'dist/test/cli/command-server.js');
const START_PROGRAMS = ['run', 'record', 'sample', 'history', 'doctor'];
const START_MS = 300_000;

export interface Outcome {
  /** null: killed by a signal. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `environment`: what differs from this process's. */
export function runDprof(words: readonly string[], environment: Environment = {}): Outcome {
  const env = { ...process.env, ...environment };
  if (!IS_AT_LENGTH && !START_PROGRAMS.includes(words[0]) && !words.includes('-')) return serve({ words, env });
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'bin/dprof'), words, {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env,
  });
  return { status, stdout, stderr };
}

/** What a command that succeeds prints. */
export function outputOf(words: readonly string[], environment: Environment = {}): string {
  const { status, stdout, stderr } = runDprof(words, environment);
  if (status !== 0) throw new Error(`dprof ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

let server: CommandServer | undefined;

function serve(request: CommandRequest): Outcome {
  server ??= new CommandServer();
  const outcome = server.run(request);
  if (outcome.status === null) server = undefined;
  return outcome;
}

class CommandServer {
  readonly #requests: number;
  readonly #replies: number;
  readonly #printed: readonly { readonly path: string; readonly file: number }[];

  constructor() {
    const folder = makeTemporaryFolder('served');
    const [requests, replies] = [join(folder, 'requests'), join(folder, 'replies')];
    execFileSync('mkfifo', [requests, replies]);
    this.#replies = openSync(replies, constants.O_RDONLY | constants.O_NONBLOCK);
    this.#requests = openSync(requests, constants.O_RDWR); // closed when this process ends, and then the server does
    this.#printed = ['stdout', 'stderr'].map((name) => {
      const path = join(folder, name);
      return { path, file: openSync(path, 'a') };
    });
    const child = spawn(process.execPath, [SERVER, requests, replies], {
      stdio: ['ignore', ...this.#printed.map(({ file }) => file)],
    });
    child.unref();
    if (this.#readLine(Date.now() + START_MS) === undefined)
      throw new Error(`${SERVER} did not start: ${this.#takePrinted().join('')}`);
  }

  run(request: CommandRequest): Outcome {
    writeSync(this.#requests, `${JSON.stringify(request)}\n`);
    const reply = this.#readLine(0);
    const [stdout, stderr] = this.#takePrinted();
    return { status: reply === undefined ? null : (JSON.parse(reply) as CommandReply).status, stdout, stderr };
  }

  /** undefined: nobody has the other end open. Until the server has opened it, that is so too: `opensBefore` (ms). */
  #readLine(opensBefore: number): string | undefined {
    const part = Buffer.alloc(4096);
    for (let line = ''; ; ) {
      const bytes = this.#readSome(part);
      if (bytes === 0 && Date.now() >= opensBefore) return undefined;
      if (bytes <= 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      else line += part.toString('utf8', 0, bytes);
      if (line.endsWith('\n')) return line;
    }
  }

  /** -1: nothing yet. */
  #readSome(part: Buffer): number {
    try {
      return readSync(this.#replies, part);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return -1;
      throw error;
    }
  }

  #takePrinted(): string[] {
    return this.#printed.map(({ path, file }) => {
      const text = readFileSync(path, 'utf8');
      ftruncateSync(file, 0);
      return text;
    });
  }
}
