// Stage: test. `npm run mutants [-- NAME-OR-KIND...]`: plants each fault of mutants.json in a copy of the tree, builds what
// it needs, runs the tests that are expected to see it, and says which faults survived. Kinds: ts, native.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { transformSync } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');
const TREE = join(ROOT, 'build/mutants');
/** A fault may make a test endless: that is seen too. */
const MOST_MILLISECONDS = 900_000;
const OUTPUT = { encoding: 'utf8', maxBuffer: 1 << 28 };

const mutants = JSON.parse(readFileSync(join(import.meta.dirname, 'mutants.json'), 'utf8'));
const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  ...OUTPUT,
  cwd: ROOT,
}).stdout.split('\0');
const files = listed.filter((name) => name !== '' && existsSync(join(ROOT, name)));

/** A fault names its file without folder, so that a file may move: exactly one file has the text, once. */
function placeOf({ file, text }) {
  const places = files.filter(
    (name) =>
      basename(name) === file &&
      !name.startsWith('test/') &&
      readFileSync(join(ROOT, name), 'utf8').split(text).length === 2,
  );
  if (places.length !== 1) throw new Error(`${places.length} files ${file} have this text once: ${text}`);
  return places[0];
}

const kindOf = (mutant) => (mutant.file.endsWith('.ts') ? 'ts' : 'native');

function build() {
  const { status, stderr } = spawnSync('sh', ['scripts/setup.sh', '--build-only'], { ...OUTPUT, cwd: TREE });
  return status === 0 ? '' : stderr;
}

function runTests(tests) {
  const found = spawnSync('npx', ['vitest', 'run', '--bail', '1', ...tests], {
    ...OUTPUT,
    cwd: TREE,
    timeout: MOST_MILLISECONDS,
  });
  return { isGreen: found.status === 0, said: `${found.stdout}${found.stderr}` };
}

/** `dist` is what the commands run: one file of it is written anew, as tsc would, without its check of types. */
function plant(place, source) {
  writeFileSync(join(TREE, place), source);
  if (!place.endsWith('.ts')) return build();
  writeFileSync(
    join(TREE, 'dist', place.replace(/\.ts$/, '.js')),
    transformSync(source, { loader: 'ts', target: 'es2022' }).code,
  );
  return '';
}

const wanted = process.argv.slice(2);
const chosen = mutants
  .filter((mutant) => wanted.length === 0 || wanted.includes(mutant.name) || wanted.includes(kindOf(mutant)))
  .map((mutant) => ({ ...mutant, place: placeOf(mutant) }));
for (const test of new Set(chosen.flatMap(({ tests }) => tests)))
  if (!existsSync(join(ROOT, test))) throw new Error(`no test ${test}`);

// The native build stays from run to run; everything else is copied anew.
for (const name of ['src', 'page', 'test', 'engine', 'llvm-pass', 'runtime', 'dist'])
  rmSync(join(TREE, name), { recursive: true, force: true });
for (const name of files) {
  mkdirSync(dirname(join(TREE, name)), { recursive: true });
  copyFileSync(join(ROOT, name), join(TREE, name));
}
if (!existsSync(join(TREE, 'node_modules'))) symlinkSync(join(ROOT, 'node_modules'), join(TREE, 'node_modules'));
const failure = build();
if (failure !== '') throw new Error(`the tree without faults is not built:\n${failure}`);
const clean = runTests([...new Set(chosen.flatMap(({ tests }) => tests))]);
if (!clean.isGreen) throw new Error(`the tests fail without faults:\n${clean.said.slice(-4000)}`);

let survived = 0;
for (const { name, text, replacement, breaks, tests, place } of chosen) {
  const source = readFileSync(join(ROOT, place), 'utf8');
  const refusal = plant(place, source.replace(text, () => replacement));
  if (refusal !== '') throw new Error(`${name} is not built:\n${refusal.slice(-4000)}`);
  const { isGreen } = runTests(tests);
  survived += Number(isGreen);
  process.stdout.write(`${isGreen ? 'SURVIVED' : 'killed  '}  ${name}: ${breaks}\n`);
  writeFileSync(join(TREE, place), source);
  if (place.endsWith('.ts')) plant(place, source);
}
process.stdout.write(`${chosen.length} faults, ${survived} survived\n`);
process.exitCode = survived === 0 ? 0 : 1;
