// Runs one command of dprof after the other in this process, each as bin/dprof would. What they print goes to the files
// that are standard output and standard error here. command-client.ts is the other side.
//   command-server.js REQUESTS REPLIES      two FIFOs; a line of JSON each way for a command

import { createReadStream, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as CommandLine from '../../src/cli/command-line.js';

export interface CommandRequest {
  readonly words: readonly string[];
  readonly folder: string;
  /** What differs from this process's; null: not set. */
  readonly environment: Readonly<Record<string, string | null>>;
}

export interface CommandReply {
  readonly status: number;
}

/** A command that has not ended by then would keep bin/dprof from ending. */
const MOST_MS_TO_END = 60_000;
const loadCommandLine = createRequire(import.meta.url)('../../../bin/dprof') as () => typeof CommandLine;
const { runCommand } = loadCommandLine();

/** What keeps the process from ending, but for reads of the next request. */
const open = (): string[] => process.getActiveResourcesInfo().filter((kind) => !/^(FSReq|Immediate)/.test(kind));

let failures = 0;
function fail(error: unknown): void {
  failures += 1;
  writeSync(2, `${error instanceof Error ? error.stack : String(error)}\n`);
}
process.on('uncaughtException', fail).on('unhandledRejection', fail);

/** bin/dprof ends when nothing is open any more: until then what was awaited by nobody may still fail. */
async function waitForEnd(): Promise<void> {
  for (const until = performance.now() + MOST_MS_TO_END; ; await sleep(2)) {
    await new Promise(setImmediate);
    const left = open();
    if (left.length === 0) return;
    if (performance.now() > until) return fail(`dprof would not end: ${left.join(', ')}`);
  }
}

async function run({ words, folder, environment }: CommandRequest): Promise<CommandReply> {
  failures = 0;
  process.chdir(folder);
  for (const [name, value] of Object.entries(environment))
    if (value === null) delete process.env[name];
    else process.env[name] = value;
  process.exitCode = undefined;
  await runCommand(words);
  await waitForEnd();
  return { status: failures > 0 ? 1 : Number(process.exitCode ?? 0) };
}

const reply = openSync(process.argv[3], 'w');
writeSync(reply, '\n'); // ready
for await (const line of createInterface({ input: createReadStream(process.argv[2]) }))
  writeSync(reply, `${JSON.stringify(await run(JSON.parse(line) as CommandRequest))}\n`);
process.exitCode = undefined;
