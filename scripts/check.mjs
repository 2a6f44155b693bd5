// npm run check: types, lint, format, architecture, and every short test that needs no recorded program. Nothing native
// is built for it. Two checks run at a time; each says when it begins and how it ended, and prints its output if it
// failed. The tests say how far they are.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { nativeSources } from './sources.mjs';
import { unitTests } from './unit-tests.mjs';

const node = (script, ...words) => [process.execPath, `node_modules/${script}`, ...words];
const checks = [
  ['types', node('typescript/bin/tsc', '-p', '.', '--noEmit')],
  ['types of the page', node('typescript/bin/tsc', '-p', 'page')],
  [
    'short tests that need no recorded program',
    node('vitest/vitest.mjs', 'run', '--reporter=dot', '--reporter=./scripts/file-count-reporter.mjs', ...unitTests()),
  ],
  ['lint and format (biome)', node('@biomejs/biome/bin/biome', 'ci', '--colors=off', '--max-diagnostics=50', '.')],
  ['format of C++ (clang-format-19)', ['clang-format-19', '--dry-run', '-Werror', ...nativeSources()]],
];

// On a terminal the last line changes in place; elsewhere a line appears for each tenth of the way.
const isTerminal = process.stderr.isTTY;
const say = (text) => console.error(`${isTerminal ? '\r\x1b[K' : ''}check: ${text}`);

/** What a check writes to file 3: how far it is, "7/120", a line each. */
function passOn(name, stream) {
  let tenth = -1;
  createInterface({ input: stream }).on('line', (line) => {
    const [done, all] = line.split('/').map(Number);
    if (isTerminal) process.stderr.write(`\r\x1b[Kcheck: ${name} ${line}`);
    else if (Math.floor((10 * done) / all) > tenth) say(`${name} ${line}`);
    tenth = Math.floor((10 * done) / all);
  });
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

function run([name, [command, ...words]]) {
  const began = performance.now();
  say(`${name} ...`);
  return new Promise((resolve) => {
    const output = [];
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    passOn(name, child.stdio[3]);
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) =>
      output.push(`${error.message}\nhint: 'sh scripts/setup.sh --check' installs what is missing\n`),
    );
    child.on('close', (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(output.map((chunk) => Buffer.from(chunk))));
      say(`${name}: ${code === 0 ? 'passed' : 'FAILED'} (${seconds(began)})`);
      resolve(code === 0);
    });
  });
}

const began = performance.now();
say(`${checks.length} checks, two at a time`);
const results = [];
const waiting = [...checks];
const worker = async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await run(next));
};
await Promise.all([worker(), worker()]);
say(`${results.filter(Boolean).length} of ${checks.length} passed in ${seconds(began)}`);
process.exitCode = results.every(Boolean) ? 0 : 1;
