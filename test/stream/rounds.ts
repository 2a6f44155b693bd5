// Stage: test. A run of any length whose numbers are known: rounds.c, and what it does in each round.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { outputOf } from '../cli/command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');

export const ORDERS = 20_000;
export const CUSTOMERS = 1000;

/** References of each type in a round. */
export const TYPES: Readonly<Record<string, number>> = {
  // next, of, amount are stored; next, of and amount are loaded by main, next and amount by a thread, next at the end.
  'struct order': 9 * ORDERS,
  // number is stored; spent is loaded and stored for each order.
  'struct customer': CUSTOMERS + 2 * ORDERS,
};

/** Writes FOLDER/rounds.dptrace, and returns its path. */
export function recordRounds(folder: string, rounds: number): string {
  const [program, trace] = [join(folder, 'rounds'), join(folder, 'rounds.dptrace')];
  const source = join(ROOT, 'test/stream/programs/rounds.c');
  const cwd = join(ROOT, 'examples/questions');
  const flags = ['-O1', '-g', '-pthread', `-DROUNDS=${rounds}`, '-I.'];
  execFileSync(join(ROOT, 'bin/dprof-cc'), [...flags, source, '-o', program], { cwd });
  outputOf(['record', '-o', trace, '--', program]);
  return trace;
}
