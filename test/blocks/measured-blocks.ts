// Stage: test. Blocks, as dprof-blocks answers them.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { assemble } from '../../src/blocks/block-program.js';
import type { BlockAnswer } from '../../src/blocks/block.js';

export const BLOCKS = resolve(import.meta.dirname, '../../build/bin/dprof-blocks');

export function answersOf(hexes: readonly string[]): BlockAnswer[] {
  return askOf('measure', hexes);
}

/** The same without steps of the method, one step more each time. */
export function ablationsOf(hexes: readonly string[]): { steps: (BlockAnswer & { readonly step: string })[] }[] {
  return askOf('ablate', hexes);
}

function askOf<Answer>(how: string, hexes: readonly string[]): Answer[] {
  const { status, stdout, stderr } = spawnSync(BLOCKS, [how], {
    input: hexes.map((hex) => `${hex}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`dprof-blocks ended with ${status}: ${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

/** Lines of Intel's syntax. */
export function hexOf(assembly: string): string {
  const { hex, problem } = assemble(BLOCKS, `${assembly}\n`, true);
  if (problem !== '') throw new Error(`${assembly}: ${problem}`);
  return hex;
}

/** "crashed: divide-error". A block that can be measured is "runs": what more it is, the noise of the machine says. */
export function outcomeOf({ status, reason }: BlockAnswer): string {
  return status === 'measured' || status === 'unstable' ? 'runs' : `${status}: ${reason}`;
}

/** Processes of that session. */
export function membersOf(session: number): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, , , of] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(of) === session && state !== 'Z';
    } catch {
      return false; // it has ended
    }
  });
}
