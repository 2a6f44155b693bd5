// Stage: test. Builds the programs of this folder, runs them under dprof sample, and reads what it took.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { loadColumns, openSamples } from '../../../src/hardware/samples/samples-reader.js';
import type { SampleColumns } from '../../../src/hardware/samples/samples.js';
import { sampledFieldAt, type TypedSamples } from '../../../src/hardware/samples/typed-samples.js';
import { DPROF, DPROF_CC, makeFolder, run, type Outcome } from '../../cli/command-line.js';

export const folder = makeFolder();

const built = new Map<string, string>();

/** At fixed addresses, so that a variable's is known. */
export function build(compiler: 'gcc' | 'dprof-cc' = 'gcc', ...flags: string[]): string {
  const program = join(folder, `known-${compiler}${flags.join('')}`);
  if (!built.has(program))
    execFileSync(
      compiler === 'gcc' ? 'gcc' : DPROF_CC,
      ['-g', '-O1', '-no-pie', '-pthread', ...flags, resolve(import.meta.dirname, 'programs/known.c'), '-o', program],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
  built.set(program, program);
  return program;
}

export function addressOf(program: string, symbol: string): number {
  const line = execFileSync('nm', [program], { encoding: 'utf8' })
    .split('\n')
    .find((each) => each.endsWith(` ${symbol}`));
  if (line === undefined) throw new Error(`no ${symbol} in ${program}`);
  return parseInt(line, 16);
}

/** `mem:` of tally.counter. */
export function counterEvent(program: string, access = 'rw'): string {
  return `mem:0x${(addressOf(program, 'tally') + 8).toString(16)}/8:${access}`;
}

export interface Sampled extends Outcome {
  readonly file: string;
  readonly typed: TypedSamples;
  readonly columns: SampleColumns;
}

let files = 0;

export function sample(flags: readonly string[], ...command: string[]): Sampled {
  const file = join(folder, `${files++}.dpsamples`);
  const outcome = run(DPROF, 'sample', '--quiet', '-o', file, ...flags, '--', ...command);
  if (outcome.stderr !== '') throw new Error(outcome.stderr);
  const samples = openSamples(file);
  try {
    return { ...outcome, file, typed: samples.typed()!, columns: loadColumns(samples) };
  } finally {
    samples.close();
  }
}

/** `type field function` -> samples, ascending; of what has no type by its reason. */
export function countRows({ rows, types, places, untyped }: TypedSamples, fields = true): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let row = 0; row < rows.type.length; row++) {
    const type = types[rows.type[row]];
    if (type.name === '') continue;
    const field = fields ? ` ${sampledFieldAt(type, Number(rows.offset[row]))?.path ?? '-'}` : '';
    const key = `${type.name}${field} ${places[rows.place[row]].function}`;
    counts[key] = (counts[key] ?? 0) + rows.samples[row];
  }
  for (const [reason, count] of Object.entries(untyped)) if (count > 0) counts[`(${reason})`] = count;
  return counts;
}
