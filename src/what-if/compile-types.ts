// Stage: compiler -> what-if. C or C++ text to the layouts of its types, as the compiler and the plugin describe them
// for a trace: offsets, bit-fields, bases, instances of templates.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { UnitColumns } from '../trace/unit.js';
import { readUnits } from '../trace/unit-reader.js';

const OBJCOPY = 'llvm-objcopy-19';

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

/** What the compiler says of these types, each of which the text defines. */
export function compileTypes(text: string, types: readonly string[], options: CompileOptions): UnitColumns {
  const key = JSON.stringify([text, types, options]);
  const unit = compiled.get(key) ?? compileAnew(text, types, options);
  compiled.set(key, unit);
  return unit;
}

function compileAnew(text: string, types: readonly string[], options: CompileOptions): UnitColumns {
  const folder = mkdtempSync(join(tmpdir(), 'dprof-'));
  try {
    const source = join(folder, options.isCpp ? 'types.cc' : 'types.c');
    const object = join(folder, 'types.o');
    // The plugin describes the types of accesses.
    const uses = types.map(
      (type, index) => `void dprof_use_${index}(${type} *p) { __builtin_memset((void *)p, 0, sizeof *p); }`,
    );
    writeFileSync(source, [text, ...uses, ''].join('\n'));
    const made = spawnSync(
      compilerOf(options.compilers, options.isCpp),
      ['-g', '-fstandalone-debug', '-O1', '-w', ...(options.flags ?? []), '-c', source, '-o', object],
      { encoding: 'utf8' },
    );
    if (made.status !== 0) throw refused(made.stderr, source, options);
    const units = join(folder, 'units');
    const cut = spawnSync(OBJCOPY, ['-O', 'binary', '--only-section=dprof_units', object, units], { encoding: 'utf8' });
    if (cut.status !== 0)
      throw new DprofError(`cannot read what the compiler said of types: ${firstLine(cut.stderr)}`, 'dprof doctor');
    return readUnits(readFileSync(units))[0];
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
