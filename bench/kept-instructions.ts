// Stage: bench. The instructions that the native engine took when somebody last looked, bench/instructions.json: read,
// written, and compared with those of a build. `DPROF_BENCH_KEEP=1 npm run bench -- instructions` writes them anew.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ROOT, run } from '../test/real/real-program.js';
import type { Cost } from './callgrind.js';
import { make, recorded, type Program } from './workloads.js';

/** `perMiss` is left out if there is none. */
export interface KeptCost {
  readonly perReference: number;
  readonly perMiss?: number;
}

export interface KeptInstructions {
  readonly compiler: string;
  readonly programs: Readonly<Record<string, KeptCost>>;
}

const path = resolve(ROOT, 'bench/instructions.json');

/** Threads take turns as the machine has it, so the traces of these differ from run to run. */
const THREADED = ['reduction', 'queue'];

export function isHeld(program: string): boolean {
  return !THREADED.includes(program);
}

export function compilerOfEngine(): string {
  return execFileSync('clang++-19', ['--version'], { encoding: 'utf8' }).split('\n')[0];
}

export function readKept(): KeptInstructions {
  return JSON.parse(readFileSync(path, 'utf8')) as KeptInstructions;
}

/** Programs that were not measured stay as they are. */
export function keepCosts(costs: ReadonlyMap<string, Cost>): void {
  const programs: Record<string, KeptCost> = { ...readKept().programs };
  for (const [name, { perReference, perMiss }] of costs)
    programs[name] = {
      perReference: Number(perReference.toFixed(2)),
      ...(perMiss === null ? {} : { perMiss: Number(perMiss.toFixed(1)) }),
    };
  writeFileSync(path, `${JSON.stringify({ compiler: compilerOfEngine(), programs }, null, 2)}\n`);
}

/** The short run, recorded so that addresses are the same each time: no chance, and no environment on the stack. */
export function recordAlike(program: Program, folder: string): string {
  const trace = `${folder}/${program.name}-short`;
  run(['setarch', '-R', 'env', '-i', ...recorded(make(program, 'dprof'), program.short, trace)]);
  return trace;
}

const MOST = 1.03;

/** A sentence for each number that is more than 3 % above the kept one. */
export function worseThan(kept: KeptCost, found: Pick<Cost, 'perReference'> & Partial<Cost>): string[] {
  return (['perReference', 'perMiss'] as const).flatMap((name) => {
    const [before, value] = [kept[name], found[name]];
    if (before === undefined || value === undefined || value === null || value <= before * MOST) return [];
    const more = (100 * (value / before - 1)).toFixed(1);
    return [`${name}: ${value.toFixed(2)} Ir, ${more} % above the ${before} that bench/instructions.json keeps`];
  });
}
