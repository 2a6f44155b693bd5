// clang-tidy over the native build's sources, a dozen or a score at a time as they are compiled (.clang-tidy has the
// list); needs build/.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

if (!existsSync('build/compile_commands.json')) {
  console.error("lint: build/compile_commands.json is missing\nhint: run 'npm run build'");
  process.exit(1);
}
// The same sources are compiled several times, for several libraries: once is enough.
const REPEATED = /dprof_static_before_renaming|dprof_runtime_to_link/;
const files = JSON.parse(readFileSync('build/compile_commands.json', 'utf8'))
  .map(({ file }) => file)
  .filter((file) => !REPEATED.test(file));
const waiting = [...files];
let ended = 0;
async function worker() {
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const output = [];
    const code = await new Promise((resolve) => {
      const child = spawn('clang-tidy-19', ['-p', 'build', '--quiet', file], { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.on('data', (chunk) => output.push(chunk));
      child.stderr.on('data', (chunk) => output.push(chunk));
      child.on('error', (error) => {
        output.push(`${error.message}\n`);
        resolve(1);
      });
      child.on('close', resolve);
    });
    ended += 1;
    console.error(`lint: ${ended}/${files.length} ${file.replace(`${process.cwd()}/`, '')}`);
    if (code !== 0) {
      process.exitCode = 1;
      process.stderr.write(output.map(String).join(''));
    }
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, worker));
