// Stage: test. Builds, records and reports the programs under examples/ with the tools in bin/, as their READMEs tell a
// reader to.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { TARGET_FLAGS } from '../aarch64/target.js';
import { outputOf } from '../cli/command-client.js';
import { IndependentChecker, type CheckedTotals } from './independent-checker.js';

const ROOT = resolve(import.meta.dirname, '../..');
export const DPROF = resolve(ROOT, 'bin/dprof');

export const EXAMPLES = [
  'false-sharing',
  'true-sharing',
  'conflict',
  'capacity',
  'producer-consumer',
  'matmul-160',
  'locked-queue',
  'striped-table',
] as const;
export type ExampleName = (typeof EXAMPLES)[number];
export const LOCK_BASED: readonly ExampleName[] = ['producer-consumer', 'locked-queue', 'striped-table'];

export interface Outcome {
  readonly stdout: string;
  readonly status: number | null;
  readonly signal: string | null;
}

/** Kept after the run, so that a failure can be looked at. */
export function workFolder(purpose: string): string {
  const folder = resolve(ROOT, 'build/test-examples', purpose);
  mkdirSync(folder, { recursive: true });
  return folder;
}

export type CompilerName = 'dprof' | 'clang';

export function buildExample(
  name: ExampleName,
  compiler: CompilerName,
  flags: readonly string[],
  folder: string,
): string {
  const isC = existsSync(resolve(ROOT, `examples/${name}/${name}.c`));
  // As the READMEs spell it: positions in reports are spelled as the compiler was given them.
  const source = `examples/${name}/${name}.${isC ? 'c' : 'cpp'}`;
  const program = resolve(folder, `${name}-${compiler}${flags.join('')}`);
  const command =
    compiler === 'clang' ? (isC ? 'clang-19' : 'clang++-19') : resolve(ROOT, isC ? 'bin/dprof-cc' : 'bin/dprof-c++');
  execFileSync(command, [...TARGET_FLAGS, ...flags, '-pthread', source, '-o', program], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return program;
}

export function run(command: readonly string[]): Outcome {
  const { stdout, status, signal } = spawnSync(command[0], command.slice(1), { encoding: 'utf8', maxBuffer: 1 << 26 });
  return { stdout, status, signal };
}

/** `before`: what to run the recorder under, for example `taskset -c 0`. */
export function record(trace: string, command: readonly string[], before: readonly string[] = []): Outcome {
  return run([...before, DPROF, 'record', '-o', trace, '--', ...command]);
}

export interface Report {
  readonly truncated: boolean;
  readonly totals: CheckedTotals;
  readonly rows: readonly Record<string, any>[];
}

export function report(trace: string, view: string, options: readonly string[] = []): Report {
  return JSON.parse(outputOf(['report', trace, '--view', view, '--format', 'json', ...options])) as Report;
}

/** The totals as a reader of the dump works them out who knows the definitions and nothing of dprof. */
export async function checkDump(trace: string): Promise<CheckedTotals> {
  const dump = spawn(DPROF, ['dump', trace, '--references'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const checker = new IndependentChecker();
  for await (const line of createInterface({ input: dump.stdout })) checker.readLine(line);
  if (dump.exitCode === null) await new Promise((done) => dump.once('close', done));
  if (dump.exitCode !== 0) throw new Error(`dprof dump ended with status ${dump.exitCode}`);
  return checker.totals;
}

/** Only what the checker computes: reports may say more. */
export function checkedPart(totals: CheckedTotals): CheckedTotals {
  const level = ({ hits, misses, classes }: CheckedTotals['levels']['l1']) => ({ hits, misses, classes });
  const { references, invalidations, upgrades, levels } = totals;
  return {
    references,
    invalidations,
    upgrades,
    levels: { l1: level(levels.l1), l2: level(levels.l2), llc: level(levels.llc) },
  };
}
