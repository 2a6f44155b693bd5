// Stage: test. bin/dprof as a user calls it, but quicker: commands that record nothing run one after the other in one
// process, and a plain recording is the recorder's alone, since most of what a short command costs is the start of
// Node. `npm run proofs` starts bin/dprof for each.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { constants, ftruncateSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IS_AT_LENGTH } from '../at-length.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import type { CommandReply, CommandRequest } from './command-server.js';

const ROOT = resolve(import.meta.dirname, '../..');
export const DPROF = join(ROOT, 'bin/dprof');
const SERVER = join(ROOT, 'dist/test/cli/command-server.js');
/** They start no program that outlives them. */
const SERVED = [
  ...[
    'advise',
    'annotate',
    'check',
    'diff',
    'dump',
    'export',
    'html',
    'import',
    'kernel',
    'machines',
    'merge',
    'replay',
  ],
  ...['report', 'sql', 'stream', 'sweep', 'validate', 'what-if', 'help', '--help', '--version'],
];
/** Standard input, and a limit that ends threads wherever they are. */
const NOT_SERVED = ['-', '--limit'];
const RECORDER = join(process.env.DPROF_BUILD ?? join(ROOT, 'build'), 'bin/dprof-record');
/** `dprof record` with these does nothing but to start the recorder with the same words. */
const PLAIN_RECORD = /^record (--quiet |--aslr )*-o [^ ]+ -- /;
/** They say how a command prints. All others are those that the server began with. */
const MAY_DIFFER = ['COLUMNS', 'DPROF_CACHE', 'DPROF_DEBUG', 'DPROF_PROGRESS', 'NO_COLOR', 'FORCE_COLOR'];
/** Each test file has its own. */
const isOfVitest = (name: string): boolean => name.startsWith('VITEST');
const MOST_MS = 880_000; // a little less than vitest gives a test

export interface Outcome {
  /** null: killed by a signal. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `changes` to this process's environment. */
export function runDprof(words: readonly string[], changes: Environment = {}, folder = process.cwd()): Outcome {
  const environment = { ...process.env, ...changes };
  const quick = IS_AT_LENGTH ? undefined : (serve(words, environment, folder) ?? record(words, environment, folder));
  return quick ?? startDprof(words, environment, folder);
}

export const startDprof = (words: readonly string[], env: Environment, folder?: string): Outcome =>
  start([DPROF, ...words], env, folder);

export function start([program, ...words]: readonly string[], env: Environment, cwd?: string): Outcome {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 30, env, cwd });
  return { status, stdout, stderr };
}

/** What a command that succeeds prints. */
export function outputOf(words: readonly string[], changes: Environment = {}, folder = process.cwd()): string {
  const { status, stdout, stderr } = runDprof(words, changes, folder);
  if (status !== 0) throw new Error(`dprof ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** undefined: it is no plain recording. */
function record(words: readonly string[], environment: Environment, folder: string): Outcome | undefined {
  const isPlain = PLAIN_RECORD.test(`${words.join(' ')} `) && environment.LD_PRELOAD === undefined;
  return isPlain ? start([RECORDER, ...words.slice(1)], environment, folder) : undefined;
}

let server: CommandServer | undefined;

/** undefined: it is not for a server, or the environment is not the server's. */
function serve(words: readonly string[], environment: Environment, folder: string): Outcome | undefined {
  if (!SERVED.includes(words[0]) || words.some((word) => NOT_SERVED.includes(word))) return undefined;
  server ??= new CommandServer(environment);
  return server.hasEnvironment(environment) ? server.run(words, environment, folder) : undefined;
}

class CommandServer {
  readonly #environment: Environment;
  readonly #requests: number;
  readonly #replies: number;
  readonly #printed: readonly { readonly path: string; readonly file: number }[];
  readonly #process: ChildProcess;

  constructor(environment: Environment) {
    this.#environment = environment;
    const folder = makeTemporaryFolder('served');
    const [requests, replies] = [join(folder, 'requests'), join(folder, 'replies')];
    execFileSync('mkfifo', [requests, replies]);
    this.#replies = openSync(replies, constants.O_RDONLY | constants.O_NONBLOCK);
    this.#requests = openSync(requests, constants.O_RDWR); // closed when this process ends, and then the server does
    this.#printed = ['stdout', 'stderr'].map((name) => {
      const path = join(folder, name);
      return { path, file: openSync(path, 'a') };
    });
    this.#process = spawn(process.execPath, [SERVER, requests, replies], {
      stdio: ['ignore', ...this.#printed.map(({ file }) => file)],
      env: environment,
    });
    this.#process.unref();
    this.#readLine();
  }

  hasEnvironment(environment: Environment): boolean {
    return [...new Set([...Object.keys(environment), ...Object.keys(this.#environment)])].every(
      (name) => MAY_DIFFER.includes(name) || isOfVitest(name) || environment[name] === this.#environment[name],
    );
  }

  run(words: readonly string[], environment: Environment, folder: string): Outcome {
    const request: CommandRequest = {
      words,
      folder,
      environment: Object.fromEntries(MAY_DIFFER.map((name) => [name, environment[name] ?? null])),
    };
    writeSync(this.#requests, `${JSON.stringify(request)}\n`);
    const { status } = JSON.parse(this.#readLine()) as CommandReply;
    const [stdout, stderr] = this.#takePrinted();
    return { status, stdout, stderr };
  }

  #readLine(): string {
    const part = Buffer.alloc(4096);
    const until = performance.now() + MOST_MS;
    for (let line = ''; ; ) {
      const bytes = this.#readSome(part);
      if (bytes > 0) line += part.toString('utf8', 0, bytes);
      else if ((bytes === 0 && this.#hasEnded()) || performance.now() > until) this.#giveUp();
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      if (line.endsWith('\n')) return line;
    }
  }

  /** 0: the server has not opened its end yet, or has ended. -1: nothing yet. */
  #readSome(part: Buffer): number {
    try {
      return readSync(this.#replies, part);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return -1;
      throw error;
    }
  }

  /** While this process waits, Node does not hear of it. What Node has heard of has no /proc entry any more. */
  #hasEnded(): boolean {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return true;
    const [state] = readFileSync(`/proc/${this.#process.pid}/stat`, 'latin1').split(') ')[1];
    return state === 'Z';
  }

  #giveUp(): never {
    this.#process.kill('SIGKILL');
    server = undefined;
    throw new Error(
      `the process of dprof's commands has ended, or its command does not:\n${this.#takePrinted().join('')}`,
    );
  }

  #takePrinted(): string[] {
    return this.#printed.map(({ path, file }) => {
      const text = readFileSync(path, 'utf8');
      ftruncateSync(file, 0);
      return text;
    });
  }
}
