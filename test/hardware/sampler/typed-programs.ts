// Stage: test. Builds the programs of this folder, runs them under dprof-sample-probe, where they say themselves what
// is sampled, and reads the file.

import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import { loadColumns, openSamples } from '../../../src/hardware/samples/samples-reader.js';
import type { SampleColumns } from '../../../src/hardware/samples/samples.js';
import { sampledFieldAt, type TypedSamples } from '../../../src/hardware/samples/typed-samples.js';
import { DPROF_CC, makeFolder } from '../../cli/command-line.js';

const PROGRAMS = resolve(import.meta.dirname, 'programs');
const BUILD = resolve(import.meta.dirname, '../../../build');
export const PROBE = join(BUILD, 'bin/dprof-sample-probe');
const PRELOAD = join(BUILD, 'lib/libdprof_sampler.so');
export const folder = makeFolder();

export type Compiler = 'clang' | 'gcc' | 'dprof-cc';
const COMPILERS: Readonly<Record<Compiler, readonly [c: string, cplusplus: string]>> = {
  clang: ['clang-19', 'clang++-19'],
  gcc: ['gcc', 'g++'],
  'dprof-cc': [DPROF_CC, DPROF_CC.replace(/cc$/, 'c++')],
};

export function build(source: string, compiler: Compiler, ...flags: string[]): string {
  const program = join(folder, `${source}-${compiler}${flags.join('')}`);
  execFileSync(
    COMPILERS[compiler][source.endsWith('.cpp') ? 1 : 0],
    ['-O1', ...flags, '-pthread', join(PROGRAMS, source), '-o', program],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return program;
}

export interface Sampled {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly typed: TypedSamples;
  readonly columns: SampleColumns;
  /** One line for each sample, in order of time: `rule type offset field`. Untyped: its function and line. */
  readonly samples: readonly string[];
}

let files = 0;

export function sample(flags: readonly string[], ...command: string[]): Sampled {
  const file = join(folder, `${files++}.dpsamples`);
  const { status, stdout, stderr } = spawnSync(
    PROBE,
    ['--keep', '-o', file, '--preload', PRELOAD, ...flags, '--', ...command],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr, ...readSampled(file) };
}

export function readSampled(file: string): Pick<Sampled, 'typed' | 'columns' | 'samples'> {
  const opened = openSamples(file);
  const typed = opened.typed()!;
  const columns = loadColumns(opened);
  opened.close();
  return { typed, columns, samples: Array.from(columns.type, (_, row) => describe(typed, columns, row)) };
}

function describe({ types }: TypedSamples, { type: row, offset }: SampleColumns, at: number): string {
  const type = types[row[at]];
  if (row[at] === 0) return 'untyped';
  return [type.rule, type.name, offset[at], sampledFieldAt(type, Number(offset[at]))?.path ?? '-'].join(' ');
}

/** The number of the source line, counted from 1, that holds this text. */
export function lineOf(source: string, text: string): number {
  const lines = readFileSync(join(PROGRAMS, source), 'utf8').split('\n');
  const found = lines.flatMap((line, index) => (line.includes(text) ? [index + 1] : []));
  if (found.length !== 1) throw new Error(`${found.length} lines with ${text}`);
  return found[0];
}
