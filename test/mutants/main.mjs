// Stage: test. `npm run mutants [-- NAME-OR-KIND...]`: plants each fault of mutants.json in a copy of the tree, builds what
// it needs, runs the tests that must see it, and says which test saw it and which faults survived. Kinds: ts, native.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformSync } from 'esbuild';
import { kindOf, listFiles, placeFaults, readMutants, ROOT } from './faults.mjs';

const TREE = join(ROOT, 'build/mutants');
const FOUND = join(TREE, 'build/found.json');
/** A fault may make a test endless: that is seen too. */
const MOST_SECONDS = 900;
const OUTPUT = { encoding: 'utf8', maxBuffer: 1 << 28 };

/** The native build stays from run to run; everything else is copied anew. */
function copyTree() {
  for (const name of ['src', 'page', 'test', 'engine', 'llvm-pass', 'runtime', 'dist'])
    rmSync(join(TREE, name), { recursive: true, force: true });
  for (const name of listFiles()) {
    mkdirSync(dirname(join(TREE, name)), { recursive: true });
    copyFileSync(join(ROOT, name), join(TREE, name));
  }
  if (!existsSync(join(TREE, 'node_modules'))) symlinkSync(join(ROOT, 'node_modules'), join(TREE, 'node_modules'));
}

/** What a build says is wrong; empty if it is done. */
function build(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { ...OUTPUT, cwd: TREE });
  return status === 0 ? '' : `${stdout}${stderr}`.slice(-4000);
}

/** The first test that failed; null if none did. `timeout` also ends the workers of a test that never ends. */
function runTests(tests) {
  rmSync(FOUND, { force: true });
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--maxWorkers', '1'];
  const report = ['--reporter', 'json', '--outputFile', FOUND];
  const { status, stdout, stderr } = spawnSync(
    'timeout',
    ['--kill-after', '5', `${MOST_SECONDS}`, process.execPath, ...vitest, ...report, ...tests],
    { ...OUTPUT, cwd: TREE },
  );
  if (status === 0) return null;
  if (!existsSync(FOUND)) return { file: tests[0], title: 'no end', said: `${stdout}${stderr}` };
  const { testResults } = JSON.parse(readFileSync(FOUND, 'utf8'));
  for (const { name, assertionResults, message } of testResults) {
    const failed = assertionResults.find((result) => result.status === 'failed');
    const file = relative(TREE, name);
    if (failed) return { file, title: failed.fullName, said: failed.failureMessages.join('\n') };
    if (message) return { file, title: 'the file is not loaded', said: message };
  }
  return { file: tests[0], title: 'vitest failed', said: `${stdout}${stderr}` };
}

/** `dist` is what the commands run: one file of it is written anew, as the build does. */
function plant(place, source) {
  writeFileSync(join(TREE, place), source);
  if (kindOf(place) === 'native') return build('cmake', ['--build', 'build']);
  writeFileSync(
    join(TREE, 'dist', place.replace(/\.ts$/, '.js')),
    transformSync(source, { loader: 'ts', target: 'es2022' }).code,
  );
  return '';
}

const wanted = process.argv.slice(2);
const all = placeFaults(readMutants());
const chosen = all.filter(
  ({ name, place }) => wanted.length === 0 || wanted.includes(name) || wanted.includes(kindOf(place)),
);
if (chosen.length === 0) throw new Error(`no fault has one of these names or kinds: ${wanted.join(' ')}`);

copyTree();
const refusal = build('sh', ['scripts/setup.sh', '--build-only']);
if (refusal !== '') throw new Error(`the tree without faults is not built:\n${refusal}`);
const control = runTests([...new Set(chosen.flatMap(({ tests }) => tests))]);
if (control) throw new Error(`without faults ${control.file} fails: ${control.title}\n${control.said.slice(-4000)}`);

let survived = 0;
const results = [];
for (const { name, text, replacement, breaks, tests, place } of chosen) {
  const source = readFileSync(join(ROOT, place), 'utf8');
  const failure = plant(
    place,
    source.replace(text, () => replacement),
  );
  if (failure !== '') throw new Error(`${name} is not built:\n${failure}`);
  const killer = runTests(tests);
  survived += killer === null;
  results.push({ name, place, breaks, killer: killer && { file: killer.file, title: killer.title } });
  const verdict = killer === null ? `SURVIVED  ${name}` : `killed    ${name}`;
  process.stdout.write(`${verdict}: ${breaks}${killer ? ` (${killer.file}: ${killer.title})` : ''}\n`);
  writeFileSync(join(TREE, 'build/results.json'), `${JSON.stringify(results, null, 2)}\n`);
  // The native build of the sound file comes with the next fault's.
  if (kindOf(place) === 'ts') plant(place, source);
  else writeFileSync(join(TREE, place), source);
}
process.stdout.write(`${chosen.length} faults, ${survived} survived\n`);
process.exitCode = survived === 0 ? 0 : 1;
