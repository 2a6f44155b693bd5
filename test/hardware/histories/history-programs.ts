// Stage: test. Builds the programs of this folder, runs them under dprof history, and reads what it took.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fieldAt, ENDINGS, type Histories } from '../../../src/hardware/histories/histories.js';
import { readHistories } from '../../../src/hardware/histories/histories-reader.js';
import { DPROF, DPROF_CC, makeFolder, run, type Outcome } from '../../cli/command-line.js';

const PROGRAMS = resolve(import.meta.dirname, 'programs');
const PROBE = resolve(import.meta.dirname, '../../../build/bin/dprof-probe');
export const folder = makeFolder();

/**
 * Histories are tested where the kernel lets programs have debug registers; elsewhere these tests are skipped, as
 * `dprof doctor` explains.
 */
export const REGISTERS_ARE_DENIED = !(JSON.parse(execFileSync(PROBE, { encoding: 'utf8' })) as { breakpoint: boolean })
  .breakpoint;

export type Compiler = 'clang' | 'gcc' | 'dprof-cc';
const COMPILERS: Readonly<Record<Compiler, readonly [c: string, cplusplus: string]>> = {
  clang: ['clang-19', 'clang++-19'],
  gcc: ['gcc', 'g++'],
  'dprof-cc': [DPROF_CC, DPROF_CC.replace(/cc$/, 'c++')],
};

export function build(source: string, compiler: Compiler = 'clang', ...flags: string[]): string {
  const program = join(folder, `${source}-${compiler}${flags.join('')}`);
  execFileSync(
    COMPILERS[compiler][source.endsWith('.cpp') ? 1 : 0],
    ['-g', '-O1', ...flags, '-pthread', join(PROGRAMS, source), '-o', program],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return program;
}

export interface Taken extends Outcome {
  readonly histories: Histories;
}

let files = 0;

export function takeHistories(flags: readonly string[], ...command: string[]): Taken {
  const file = join(folder, `${files++}.dphistories`);
  const outcome = run(DPROF, 'history', '--quiet', '-o', file, ...flags, '--', ...command);
  if (outcome.stderr !== '') throw new Error(outcome.stderr);
  return { ...outcome, histories: readHistories(file) };
}

export interface Seen {
  readonly allocatedIn: string | undefined;
  /** `offset field function own|other`, in the order of time. */
  readonly accesses: readonly string[];
  readonly ending: string;
  readonly endedIn: string | undefined;
}

/** Everything that is the same in every run. */
export function describe({ rows, elements, types, places, firstElement }: Histories): Seen[] {
  return Array.from(rows.type, (type, row) => ({
    allocatedIn: places.get(rows.allocatedIp[row])?.function,
    accesses: Array.from({ length: rows.elements[row] }, (_, index) => {
      const at = firstElement[row] + index;
      const by = elements.thread[at] === rows.allocatedThread[row] ? 'own' : 'other';
      return (
        `${elements.offset[at]} ${fieldAt(types[type], elements.offset[at], elements.width[at])} ` +
        `${places.get(elements.ip[at])?.function} ${by}`
      );
    }),
    ending: ENDINGS[rows.ending[row]],
    endedIn: places.get(rows.endedIp[row])?.function,
  }));
}
