// Stage: test. `npm run mutants [-- NAME-OR-KIND...]`: plants each fault of mutants.json in a copy of the tree, builds
// what it needs, runs the tests that must see it, and says which test saw it and which faults survived. Kinds: ts,
// native.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { kindOf, listFiles, placeFaults, readMutants, ROOT } from './faults.mjs';

const TREE = join(ROOT, 'build/mutants');
const FOUND = join(TREE, 'build/found.json');
/** A fault may make a test endless: that is seen too. */
const MOST_SECONDS = 300;
const OUTPUT = { encoding: 'utf8', maxBuffer: 1 << 28 };

/** Only what differs is copied, so that the native build stays from run to run. */
function copyTree() {
  const files = new Set(listFiles());
  for (const folder of ['src', 'page', 'test', 'engine', 'llvm-pass', 'runtime'])
    for (const { name, parentPath } of existsSync(join(TREE, folder))
      ? readdirSync(join(TREE, folder), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      : [])
      if (!files.has(relative(TREE, join(parentPath, name)))) rmSync(join(parentPath, name));
  for (const name of files) {
    const [from, to] = [join(ROOT, name), join(TREE, name)];
    if (existsSync(to) && existsSync(from) && readFileSync(from).equals(readFileSync(to))) continue;
    mkdirSync(dirname(to), { recursive: true });
    rmSync(to, { force: true });
    cpSync(from, to, { verbatimSymlinks: true });
  }
  if (!existsSync(join(TREE, 'node_modules'))) symlinkSync(join(ROOT, 'node_modules'), join(TREE, 'node_modules'));
}

/** What a build says is wrong; empty if it is done. */
function build(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { ...OUTPUT, cwd: TREE });
  return status === 0 ? '' : `${stdout}${stderr}`.slice(-4000);
}

/** The first test that failed; null if none did. `timeout` also ends the workers of a test that never ends. */
function runTest(test) {
  rmSync(FOUND, { force: true });
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--maxWorkers', '1'];
  const report = ['--reporter', 'json', '--outputFile', FOUND];
  const { status, stdout, stderr } = spawnSync(
    'timeout',
    ['--kill-after', '5', `${MOST_SECONDS}`, process.execPath, ...vitest, ...report, test],
    { ...OUTPUT, cwd: TREE },
  );
  if (status === 0) return null;
  if (!existsSync(FOUND)) return { file: test, title: 'no end', said: `${stdout}${stderr}` };
  const { testResults } = JSON.parse(readFileSync(FOUND, 'utf8'));
  for (const { name, assertionResults, message } of testResults) {
    const failed = assertionResults.find((result) => result.status === 'failed');
    const file = relative(TREE, name);
    if (failed) return { file, title: failed.fullName, said: failed.failureMessages.join('\n') };
    if (message) return { file, title: 'the file is not loaded', said: message };
  }
  return { file: test, title: 'vitest failed', said: `${stdout}${stderr}` };
}

/** Tests read the source itself, commands what is built of it. */
function plant(place, source) {
  writeFileSync(join(TREE, place), source);
  return kindOf(place) === 'native'
    ? build('cmake', ['--build', 'build'])
    : build(process.execPath, ['scripts/build-dist.mjs']);
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

/** Tests that pass without faults. */
const sound = new Set();
/** Whether the native build still has the fault before. */
let isStale = false;

/** Throws if a test fails without faults; each is asked once. */
function control(test) {
  if (sound.has(test)) return;
  const refusal = isStale ? build('cmake', ['--build', 'build']) : '';
  if (refusal !== '') throw new Error(`the tree without faults is not built:\n${refusal}`);
  isStale = false;
  const found = runTest(test);
  if (found) throw new Error(`without faults ${found.file} fails: ${found.title}\n${found.said.slice(-4000)}`);
  sound.add(test);
}

/** Asks the tests one by one; the first that fails, or null. */
function findKiller({ name, text, replacement, tests, place }) {
  const source = readFileSync(join(ROOT, place), 'utf8');
  const faulty = source.replace(text, () => replacement);
  for (const test of tests) {
    control(test);
    const refusal = plant(place, faulty);
    if (refusal !== '') throw new Error(`${name} is not built:\n${refusal}`);
    const killer = runTest(test);
    if (kindOf(place) === 'ts') plant(place, source);
    else {
      writeFileSync(join(TREE, place), source);
      isStale = true;
    }
    if (killer) return killer;
  }
  return null;
}

let survived = 0;
const results = [];
for (const mutant of chosen) {
  const { name, breaks, place } = mutant;
  const killer = findKiller(mutant);
  survived += killer === null;
  results.push({ name, place, breaks, killer: killer && { file: killer.file, title: killer.title } });
  const verdict = killer === null ? `SURVIVED  ${name}` : `killed    ${name}`;
  process.stdout.write(`${verdict}: ${breaks}${killer ? ` (${killer.file}: ${killer.title})` : ''}\n`);
  writeFileSync(join(TREE, 'build/results.json'), `${JSON.stringify(results, null, 2)}\n`);
}
process.stdout.write(`${chosen.length} faults, ${survived} survived\n`);
process.exitCode = survived === 0 ? 0 : 1;
