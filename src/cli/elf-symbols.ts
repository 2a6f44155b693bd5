// Stage: command line. The symbols of a 64-bit ELF file, as dprof-code reads them with libelf.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { requireNative } from './installation.js';

export interface ElfFunction {
  /** Decimal. */
  readonly address: string;
  readonly bytes: string;
}

/** The function of that name, null if there is none; undefined: no 64-bit ELF file. */
export function functionOf(path: string, name: string): ElfFunction | null | undefined {
  return ask(path, `function ${name}`) as ElfFunction | null | undefined;
}

export interface ElfCode {
  /** Decimal. */
  readonly address: string;
  /** Hexadecimal; empty if the file does not have the bytes. */
  readonly code: string;
}

/** The bytes of the functions of these names, null where there is none; undefined: no 64-bit ELF file. */
export function codesOf(path: string, names: readonly string[]): readonly (ElfCode | null)[] | undefined {
  return askAll(
    path,
    names.map((name) => `code ${name}`),
  ) as (ElfCode | null)[] | undefined;
}

/** What the dynamic linker looks for in other files; undefined: no 64-bit ELF file. */
export function neededNames(path: string): readonly string[] | undefined {
  return ask(path, 'needs') as readonly string[] | undefined;
}

const MOST_OUTPUT = 1 << 30;

function ask(path: string, question: string): unknown {
  return askAll(path, [question])?.[0];
}

function askAll(path: string, questions: readonly string[]): unknown[] | undefined {
  closeSync(openSync(path, 'r')); // the system's own error, if it can not be read
  const { status, stdout, stderr, error } = spawnSync(requireNative('code'), {
    input: [`elf ${path}`, ...questions, ''].join('\n'),
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
  });
  if (error !== undefined || status !== 0)
    throw new DprofError(`dprof-code failed: ${error?.message ?? stderr.split('\n')[0]}`, 'name the program itself');
  const [{ problem }, ...answers] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (problem === 'cut short') throw new DprofError(`${path} is cut short`, 'name the program itself, an ELF file');
  return problem === '' ? answers : undefined;
}
