// Stage: test. A program of test/recorded/programs, compiled, recorded and read back with the tools in bin/.
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { TARGET_FLAGS } from '../aarch64/target.js';
import { outputOf, runDprof } from '../cli/command-client.js';
import { requireOrder } from '../order/require-order.js';

export const ROOT = resolve(import.meta.dirname, '../..');
export const PROGRAMS = join(ROOT, 'test/recorded/programs');
/** Kept after the run, so that a failure can be looked at. */
export const FOLDER = mkdtempSync(join(tmpdir(), 'dprof-recorded-'));
let built = 0;

export function build(
  source: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): string {
  const program = join(FOLDER, `${basename(source)}-${built++}`);
  const compiler = join(ROOT, source.endsWith('.cc') ? 'bin/dprof-c++' : 'bin/dprof-cc');
  execFileSync(
    compiler,
    [...TARGET_FLAGS, '-I', join(ROOT, 'runtime/include'), ...flags, '-pthread', join(PROGRAMS, source), '-o', program],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, DPROF_VERIFY: '1', ...environment },
    },
  );
  return program;
}

/** The trace; the program must end well. */
export function record(
  program: string,
  words: readonly string[] = [],
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): string {
  const trace = `${program}.dptrace`;
  const { status, stderr } = runDprof(['record', ...flags, '-o', trace, '--', program, ...words], environment);
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  requireOrder(trace);
  return trace;
}

const dprof = (...words: string[]): string => outputOf(words);

export function dump(trace: string): string[] {
  return dprof('dump', trace).trimEnd().split('\n');
}

/** "w 8": how many stores of eight bytes there are. */
export function accesses(trace: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of dprof('dump', trace, '--references').split('\n').filter(Boolean)) {
    const [, kind, , size] = line.split(' ');
    counts[`${kind} ${size}`] = (counts[`${kind} ${size}`] ?? 0) + 1;
  }
  return counts;
}

export interface Report {
  readonly windows: { closed: number; closedSeconds: number; droppedWords: number };
  readonly phases: readonly { name: string; time: number }[];
  readonly refusals: Readonly<Record<string, number>>;
  readonly unseenBytes: number;
  readonly totals: { readonly stores: number };
  readonly rows: readonly Record<string, any>[];
}

export function report(trace: string, view: string, ...flags: string[]): Report {
  return JSON.parse(dprof('report', trace, '--view', view, '--format', 'json', ...flags)) as Report;
}

export function reportText(trace: string): string {
  return dprof('report', trace, '--view', 'data-profile');
}
