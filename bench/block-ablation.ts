// Stage: bench. What each step of BHive's method brings to a block: dprof-blocks leaves steps out.
import { spawnSync } from 'node:child_process';
import { assemble } from '../src/blocks/block-program.js';
import { spellTable } from './spell-table.js';

/** runtime/blocks/method.h: of one step after the other. */
interface Step {
  readonly step: string;
  readonly status: string;
  readonly reason: string | null;
  /** An execution; without the last step, of 100 copies, divided by 100. */
  readonly cycles: number | null;
  readonly pages: number;
}

const PASSES = 12; // a busy machine
const PAUSE_MS = 300;

/**
 * A part of a convolution, as compilers unroll it: 48 products in as many pages, then a line further. 100 copies are 40
 * KiB of code. `first`: what all are products with.
 */
const convolutionOf = (first: string): string =>
  [
    `${first} (%rdi), %ymm0`,
    ...Array.from({ length: 48 }, (_, at) => `vmulps ${at * 4096}(%rsi), %ymm0, %ymm${1 + (at % 4)}`),
    'addq $64, %rsi',
  ].join('\n');

export interface AblatedBlock {
  readonly name: string;
  readonly hex: string;
}

/** Products of what memory holds are normal numbers or zero; those with its root are subnormal. */
export function convolutions(program: string): AblatedBlock[] {
  const blockOf = (name: string, first: string): AblatedBlock => {
    const { hex, problem } = assemble(program, `${convolutionOf(first)}\n`, false);
    if (problem !== '') throw new Error(problem);
    return { name, hex };
  };
  return [blockOf('convolution', 'vmovups'), blockOf('convolution, subnormal', 'vsqrtps')];
}

/** Steps that the machine disturbed are made again. */
function ablate(program: string, hex: string): Step[] {
  let steps: Step[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    if (pass > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    const { stdout } = spawnSync(program, ['ablate', '0'], { input: `${hex}\n`, encoding: 'utf8' });
    const more = (JSON.parse(stdout) as { steps: Step[] }).steps;
    steps = more.map((step, at) => (step.status === 'unstable' ? (steps[at] ?? step) : step));
    if (steps.every(({ status }) => status !== 'unstable')) break;
  }
  return steps;
}

export function ablationTable(program: string, blocks: readonly AblatedBlock[]): string {
  const all = blocks.map(({ hex }) => ablate(program, hex));
  const spell = ({ status, reason, cycles }: Step): string => cycles?.toFixed(2) ?? `${status}: ${reason ?? ''}`;
  const rows = all[0].map(({ step }, at) => [step, ...all.map((steps) => spell(steps[at]))]);
  return spellTable(['step', ...blocks.map(({ name }) => name)], rows);
}
