// Runs one command of dprof after the other in this process, each as bin/dprof would. What they print goes to the files
// that are standard output and standard error here. command-client.ts is the other side.
//   command-server.js REQUESTS REPLIES      two FIFOs; a line of JSON each way for a command

import { createReadStream, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface CommandRequest {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface CommandReply {
  readonly status: number;
}

const [requests, replies] = process.argv.slice(2);
const bundled = new URL('../../command/command-line.js', import.meta.url);
const { runCommand } = (await import(bundled.href)) as typeof import('../../src/cli/command-line.js');

function setEnvironment(env: CommandRequest['env']): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
}

const reply = openSync(replies, 'w');
writeSync(reply, '\n'); // ready
for await (const line of createInterface({ input: createReadStream(requests) })) {
  const { words, env } = JSON.parse(line) as CommandRequest;
  setEnvironment(env);
  process.exitCode = undefined;
  await runCommand(words);
  const answer: CommandReply = { status: Number(process.exitCode ?? 0) };
  writeSync(reply, `${JSON.stringify(answer)}\n`);
}
process.exitCode = undefined;
