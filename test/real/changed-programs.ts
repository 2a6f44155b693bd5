// Stage: test. Real programs and changes to them: as dprof what-if takes them, and as they are made in the source,
// or by another allocator. Recorded with the same input, both must be alike.

import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findAllocator } from '../../src/what-if/find-allocator.js';
import { reorderFields } from './reordered-source.js';
import { DPROF, DPROF_CC, isFresh, realFolder, ROOT, run, type Build } from './real-program.js';

export interface Edit {
  /** Below the folder of the package. */
  readonly file: string;
  readonly change: (source: string) => string;
}

export interface Change {
  /** Of dprof what-if. */
  readonly options: readonly string[];
  /** The same in the source; none: the allocator is loaded before the program. */
  readonly edits: readonly Edit[];
  readonly allocator?: string;
}

export interface ChangedProgram {
  readonly name: string;
  /** Debian's source package. */
  readonly source: string;
  readonly build: Build;
  readonly flags: readonly string[];
  /** Its arguments, with files in the folder. */
  readonly words: (folder: string) => readonly string[];
  /** More of the same, to be timed without dprof. */
  readonly long?: (folder: string) => readonly string[];
  /** Runs the command, with what it is to do, to its end: seconds. None: it is run as it is. */
  readonly drive?: (command: readonly string[]) => Promise<number>;
  readonly changes: readonly Change[];
}

/** One order of fields, for what-if and in the source; `declared`: as the source has it, if a macro declares some. */
export function reordered(type: string, fields: string, file: string, head: string, declared = fields): Change {
  const change = (text: string): string => reorderFields(text, head, declared.split(','));
  return { options: ['--reorder', `${type}: ${fields}`], edits: [{ file, change }] };
}

export function allocatedBy(name: string): Change {
  return { options: ['--allocator', name], edits: [], allocator: name };
}

/** The program of unchanged source. */
export function buildProgram({ name, build, flags }: ChangedProgram, compiler: string): string {
  const program = resolve(realFolder('changes'), compiler === DPROF_CC ? name : `${name}-plain`);
  const isThere = compiler === DPROF_CC ? isFresh(program) : existsSync(program);
  if (!isThere) run(build(compiler, program, flags));
  return program;
}

/** The program with the change in its source. */
export function buildChanged(
  { name, source, build, flags }: ChangedProgram,
  { edits }: Change,
  compiler: string,
  folder: string,
): string {
  const program = resolve(folder, compiler === DPROF_CC ? name : `${name}-plain`);
  const tree = resolve(folder, source);
  if (!existsSync(tree)) {
    mkdirSync(tree, { recursive: true });
    for (const part of ['source', 'amalgamation']) {
      const from = resolve(ROOT, 'build/real', source, part);
      if (existsSync(from)) cpSync(from, resolve(tree, part), { recursive: true });
    }
    for (const { file, change } of edits) {
      const path = resolve(tree, file);
      writeFileSync(path, change(readFileSync(path, 'utf8')));
    }
  }
  run(['env', `DPROF_REAL=${folder}`, ...build(compiler, program, flags)]);
  return program;
}

/** As `env` takes it: loads the allocator before the program. */
export function preloaded({ allocator }: Change): string[] {
  const library = allocator === undefined ? undefined : findAllocator(allocator).library;
  return library === undefined ? [] : [`LD_PRELOAD=${library}`];
}

/** Seconds of the command, which is run to its end. */
export async function driven({ drive }: ChangedProgram, command: readonly string[]): Promise<number> {
  if (drive) return drive(command);
  const began = process.hrtime.bigint();
  run(command);
  return Number(process.hrtime.bigint() - began) / 1e9;
}

/** Recorded under one path, whichever program it is: paths lie on the stack. */
export async function recordProgram(
  one: ChangedProgram,
  program: string,
  folder: string,
  trace: string,
  change?: Change,
): Promise<string> {
  const place = resolve(folder, 'program');
  copyFileSync(program, place);
  const environment = change === undefined ? [] : preloaded(change);
  const recorder = [DPROF, 'record', '--quiet', '-o', resolve(folder, trace), '--', place, ...one.words(folder)];
  await driven(one, ['env', ...environment, ...recorder]);
  return resolve(folder, trace);
}
