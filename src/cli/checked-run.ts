// Stage: command line. `dprof check`: a program of dprof.yml, built and recorded, unless the trace of an earlier run is
// of the same program and inputs.

import { accessSync, constants, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { DprofError } from '../base/dprof-error.js';
import type { CheckedProgram } from '../check/check-file.js';
import { writeOutputFile } from '../check/write-file.js';
import { readTrace } from '../trace/trace-reader.js';
import { failRun, runChild, spellStatus } from './child-run.js';
import { hashOfFile, hashOfText, hashOrGone, isFile, isFolder } from './file-hash.js';
import { INSTALLATION } from './installation.js';
import { identifyDprof } from './trace-identity.js';

/** Beside dprof.yml. */
export const CHECK_FOLDER = '.dprof';
const TRACE = 'run.dptrace';

/**
 * A run must not depend on what whoever starts it has in the environment, not even on its length, which moves the
 * stack.
 */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' } as const;

export interface CheckedRun {
  /** The traces of its processes, its own first. */
  readonly traces: readonly string[];
  /** Nothing that it depends on has changed since it was recorded. */
  readonly isKept: boolean;
}

/** What a run depends on. */
interface Kept {
  readonly inputs: string;
  /** The program and its libraries, each with a hash of what is in it; null: it was gone when the run had ended. */
  readonly modules: Readonly<Record<string, string | null>>;
}

/** `root`: the folder of dprof.yml. `isAnew`: whatever is kept. Throws DprofError if it cannot be built, or fails. */
export async function runChecked(program: CheckedProgram, root: string, isAnew: boolean): Promise<CheckedRun> {
  const directory = resolve(root, program.directory);
  if (!isFolder(directory))
    throw new DprofError(`${program.name}: no folder ${directory}`, "'directory' is from the folder of dprof.yml", 2);
  if (program.build !== undefined) await build(program, directory);
  const folder = join(root, CHECK_FOLDER, 'cache', program.name);
  const executable = findExecutable(program, directory);
  const inputs = hashInputs(program, directory, executable);
  if (!isAnew) {
    const traces = findKept(folder, inputs);
    if (traces !== undefined) return { traces, isKept: true };
  }
  // Beside the earlier one, which stays if this one fails, or while another check reads it.
  const part = join(root, CHECK_FOLDER, 'cache', `.part-${program.name}-${process.pid}`);
  try {
    mkdirSync(part, { recursive: true });
    writeOutputFile(join(root, CHECK_FOLDER, 'cache', '.gitignore'), '*\n');
    await record(program, directory, part);
    const kept: Kept = { inputs, modules: hashModules(tracesIn(part)) };
    writeOutputFile(join(part, 'kept.json'), `${JSON.stringify(kept, null, 1)}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return { traces: tracesIn(folder), isKept: false };
}

/** The profile of the last run that passed. */
export function passedPath(root: string, name: string): string {
  return join(root, CHECK_FOLDER, 'cache', `.passed-${name}.dprofile`);
}

function hashModules(traces: readonly string[]): Kept['modules'] {
  const paths = new Set(traces.flatMap((trace) => readTrace(trace).modules.map(({ path }) => path)));
  const files = [...paths].filter((path) => path.startsWith('/')).sort();
  return Object.fromEntries(files.map((path) => [path, hashOrGone(path)]));
}

async function build({ name, build: command = '', environment }: CheckedProgram, directory: string): Promise<void> {
  const path = `${join(INSTALLATION, 'bin')}${delimiter}${process.env.PATH ?? ''}`;
  const { status, said } = await runChild(['sh', '-c', command], directory, {
    ...process.env,
    PATH: path,
    ...environment,
  });
  if (status !== 0) failRun(`${name}: the build ended ${spellStatus(status)}: ${command}`, said);
}

async function record(program: CheckedProgram, directory: string, folder: string): Promise<void> {
  const { name, run: words, environment, stdin, status: expected } = program;
  const recorder = [
    process.execPath,
    join(INSTALLATION, 'bin/dprof'),
    'record',
    '--quiet',
    '-o',
    resolve(folder, TRACE),
  ];
  const input = stdin === undefined ? undefined : resolve(directory, stdin);
  const { status, said } = await runChild(
    [...recorder, '--', ...words],
    directory,
    { ...ENVIRONMENT, ...environment },
    input,
  );
  if (status !== expected)
    failRun(`${name}: the program ended ${spellStatus(status)}, not ${expected}: ${words.join(' ')}`, said);
  if (tracesIn(folder).length === 0) failRun(`${name}: nothing was recorded: ${words.join(' ')}`, said);
}

/** As execvp would. */
function findExecutable({ name, run: [word] }: CheckedProgram, directory: string): string {
  const places = word.includes('/')
    ? [resolve(directory, word)]
    : ENVIRONMENT.PATH.split(':').map((one) => join(one, word));
  for (const place of places) {
    try {
      accessSync(place, constants.X_OK);
      return place;
    } catch {
      // The next one.
    }
  }
  throw new DprofError(`${name}: no program ${word}`, `it is looked for in ${directory}; 'build:' can build it`, 2);
}

function hashInputs(program: CheckedProgram, directory: string, executable: string): string {
  const { run: words, environment, stdin, inputs, status } = program;
  const patterns = inputs.map((one) =>
    isFile(resolve(directory, one))
      ? [resolve(directory, one)]
      : globSync(one, { cwd: directory, absolute: true, dot: true, ignore: [`**/${CHECK_FOLDER}/**`] }),
  );
  inputs.forEach((one, at) => {
    if (patterns[at].length === 0)
      throw new DprofError(`${program.name}: inputs: nothing is called ${one}`, `it is looked for in ${directory}`, 2);
  });
  const files = [
    ...new Set([executable, ...(stdin === undefined ? [] : [resolve(directory, stdin)]), ...patterns.flat()]),
  ];
  return hashOfText(
    JSON.stringify([words, environment, status, identifyDprof(), files.sort().map((path) => [path, hashOfFile(path)])]),
  );
}

function findKept(folder: string, inputs: string): readonly string[] | undefined {
  try {
    const kept = JSON.parse(readFileSync(join(folder, 'kept.json'), 'utf8')) as Kept;
    const isSame = Object.entries(kept.modules).every(([path, own]) => own !== null && hashOfFile(path) === own);
    const traces = tracesIn(folder);
    return kept.inputs === inputs && isSame && traces.length > 0 ? traces : undefined;
  } catch {
    return undefined;
  }
}

function tracesIn(folder: string): string[] {
  const numbers = (name: string): number[] => name.slice(TRACE.length).split('.').slice(1).map(Number);
  return readdirSync(folder)
    .filter((name) => /^run\.dptrace(\.\d+)*$/.test(name))
    .sort((a, b) => {
      const [own, other] = [numbers(a), numbers(b)];
      return own.length - other.length || own.reduce((sum, part, at) => sum || part - other[at], 0);
    })
    .map((name) => join(folder, name));
}
