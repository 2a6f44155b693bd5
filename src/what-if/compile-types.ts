// Stage: compiler -> what-if. C or C++ text to the layouts of its types, as the compiler and the plugin describe them
// for a trace: offsets, bit-fields, bases, instances of templates.

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { llvmTool } from '../base/llvm-tool.js';
import { DprofError } from '../base/dprof-error.js';
import type { UnitColumns } from '../trace/unit.js';
import { readUnits } from '../trace/unit-reader.js';

export interface CompileOptions {
  /** Where bin/dprof-cc and bin/dprof-c++ are. */
  readonly compilers: string;
  readonly isCpp: boolean;
  /** Of the compiler: -I and the like. */
  readonly flags?: readonly string[];
  /** Said in errors in the place of the text's name. */
  readonly what: string;
}

/** The text after preprocessing, without what lies in the system's headers. */
export function preprocess(text: string, options: CompileOptions): string {
  const { flags = [], isCpp, compilers } = options;
  const words = ['-E', '-x', isCpp ? 'c++' : 'c', ...flags, '-'];
  const made = spawnSync(compilerOf(compilers, isCpp), words, { encoding: 'utf8', input: text, maxBuffer: 1 << 28 });
  if (made.status !== 0) throw refused(made.stderr, '<stdin>', options);
  let isSystem = false;
  const kept = made.stdout.split('\n').filter((line) => {
    // # LINE "FILE" FLAGS; 3: a system header
    const marker = /^# \d+ ".*"((?: \d)*)$/.exec(line);
    if (marker) isSystem = marker[1].includes('3');
    return !marker && !isSystem;
  });
  return kept.join('\n');
}

export function compilerOf(folder: string, isCpp: boolean): string {
  return join(folder, isCpp ? 'dprof-c++' : 'dprof-cc');
}

/** What was compiled before, by all that it depends on but the files that a header includes: one run knows them. */
const compiled = new Map<string, UnitColumns>();

/** Types, each of which the text defines. */
export interface CompileRequest {
  readonly text: string;
  readonly types: readonly string[];
  readonly options: CompileOptions;
}

/** Work that asks the compiler again and again. */
export type Compiling<Result> = Generator<CompileRequest, Result, UnitColumns>;

/** What the compiler says of types. */
export function compileTypes(request: CompileRequest): UnitColumns {
  return runAll(unitOf(request), ([command, ...words]) => {
    const { status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
    return { status, stderr };
  });
}

export function compileNow<Result>(work: Compiling<Result>): Result {
  for (let step = work.next(); ; step = work.next(compileTypes(step.value))) if (step.done) return step.value;
}

/** Other work goes on meanwhile. */
export async function compileBeside<Result>(work: Compiling<Result>): Promise<Result> {
  for (let step = work.next(); ; step = work.next(await askBeside(step.value))) if (step.done) return step.value;
}

/** What is being compiled: several that work beside one another often ask for the same. */
const asked = new Map<string, Promise<UnitColumns>>();

async function askBeside(request: CompileRequest): Promise<UnitColumns> {
  const key = keyOf(request);
  const own = asked.get(key) ?? runAllBeside(unitOf(request));
  asked.set(key, own);
  try {
    return await own;
  } finally {
    asked.delete(key);
  }
}

async function runAllBeside<Result>(work: Generator<Command, Result, Ran>): Promise<Result> {
  for (let step = work.next(); ; step = work.next(await runBeside(step.value))) if (step.done) return step.value;
}

function keyOf({ text, types, options }: CompileRequest): string {
  return JSON.stringify([text, types, options]);
}

interface Ran {
  readonly status: number | null;
  readonly stderr: string;
}
type Command = readonly [name: string, ...words: readonly string[]];

function runAll<Result>(work: Generator<Command, Result, Ran>, run: (command: Command) => Ran): Result {
  for (let step = work.next(); ; step = work.next(run(step.value))) if (step.done) return step.value;
}

async function runBeside([command, ...words]: Command): Promise<Ran> {
  try {
    const { stderr } = await promisify(execFile)(command, words, { encoding: 'utf8' });
    return { status: 0, stderr };
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
    return { status: typeof code === 'number' ? code : null, stderr: stderr ?? '' };
  }
}

/** The commands that it takes. */
function* unitOf(request: CompileRequest): Generator<Command, UnitColumns, Ran> {
  const { text, types, options } = request;
  const key = keyOf(request);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'dprof-'));
  try {
    const source = join(folder, options.isCpp ? 'types.cc' : 'types.c');
    const object = join(folder, 'types.o');
    // The plugin describes the types of accesses.
    const uses = types.map(
      (type, index) => `void dprof_use_${index}(${type} *p) { __builtin_memset((void *)p, 0, sizeof *p); }`,
    );
    writeFileSync(source, [text, ...uses, ''].join('\n'));
    const flags = ['-g', '-fstandalone-debug', '-O1', '-w', ...(options.flags ?? [])];
    const made = yield [compilerOf(options.compilers, options.isCpp), ...flags, '-c', source, '-o', object];
    if (made.status !== 0) throw refused(made.stderr, source, options);
    const units = join(folder, 'units');
    const cut = yield [llvmTool('llvm-objcopy'), '-O', 'binary', '--only-section=dprof_units', object, units];
    if (cut.status !== 0)
      throw new DprofError(`cannot read what the compiler said of types: ${firstLine(cut.stderr)}`, 'dprof doctor');
    const [unit] = readUnits(readFileSync(units));
    compiled.set(key, unit);
    return unit;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function refused(output: string, source: string, { what }: CompileOptions): DprofError {
  return new DprofError(
    `${what} does not compile: ${firstError(output).replaceAll(source, what)}`,
    'it must define the types by itself: include what it needs; --header-flag -IDIR says where that is',
    2,
  );
}

/** What clang says first. */
export function firstError(output: string): string {
  return (output.split('\n').find((line) => /error:/.test(line)) ?? firstLine(output)).trim();
}

function firstLine(text: string | null): string {
  return (text ?? '').split('\n', 1)[0];
}
