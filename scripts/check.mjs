// npm run check: types, lint, format, architecture, and every short test that needs no recorded program. Nothing native
// is built for it. Two checks run at a time; each says when it begins and how it ended, and prints its output if it
// failed.

import { spawn } from 'node:child_process';
import { nativeSources } from './sources.mjs';
import { unitTests } from './unit-tests.mjs';

const node = (script, ...words) => [process.execPath, `node_modules/${script}`, ...words];
const checks = [
  ['types', node('typescript/bin/tsc', '-p', '.', '--noEmit')],
  ['types of the page', node('typescript/bin/tsc', '-p', 'page')],
  ['short tests that need no recorded program', node('vitest/vitest.mjs', 'run', '--reporter=dot', ...unitTests())],
  ['lint and format (biome)', node('@biomejs/biome/bin/biome', 'ci', '--colors=off', '--max-diagnostics=50', '.')],
  ['format of C++ (clang-format-19)', ['clang-format-19', '--dry-run', '-Werror', ...nativeSources()]],
];

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

function run([name, [command, ...words]]) {
  const began = performance.now();
  console.error(`check: ${name} ...`);
  return new Promise((resolve) => {
    const output = [];
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) =>
      output.push(`${error.message}\nhint: 'sh scripts/setup.sh --check' installs what is missing\n`),
    );
    child.on('close', (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(output.map((chunk) => Buffer.from(chunk))));
      console.error(`check: ${name}: ${code === 0 ? 'passed' : 'FAILED'} (${seconds(began)})`);
      resolve(code === 0);
    });
  });
}

const began = performance.now();
console.error(`check: ${checks.length} checks, two at a time`);
const results = [];
const waiting = [...checks];
const worker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await run(next));
};
await Promise.all([worker(), worker()]);
console.error(`check: ${results.filter(Boolean).length} of ${checks.length} passed in ${seconds(began)}`);
process.exitCode = results.every(Boolean) ? 0 : 1;
