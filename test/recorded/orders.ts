// examples/questions/orders.c, recorded: what questions are asked of.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { outputOf } from '../cli/command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** Writes FOLDER/orders.dptrace, and the program beside it. `flags`: for its compiler. */
export function recordOrders(folder: string, ...flags: readonly string[]): void {
  const program = join(folder, 'orders');
  const cwd = join(ROOT, 'examples/questions');
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', '-pthread', ...flags, 'orders.c', '-o', program], { cwd });
  outputOf(['record', '-o', join(folder, 'orders.dptrace'), '--', program]);
}
