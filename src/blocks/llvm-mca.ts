// Stage: blocks. Blocks -> the cycles that llvm-mca predicts for this machine's processor: many in a run, each a region
// of one file.

import { spawn, spawnSync } from 'node:child_process';
import { sideBySide } from '../base/side-by-side.js';

const PROGRAM = 'llvm-mca-19';
const ITERATIONS = 200;
const BLOCKS_OF_RUN = 100;

export function hasLlvmMca(): boolean {
  return spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).status === 0;
}

export interface Prediction {
  readonly cycles: number;
  /** Cycles if no instruction waited for another. */
  readonly throughput: number;
}

/** In the order of `blocks`; undefined where it knows none. */
export async function predictWithLlvmMca(blocks: readonly (readonly string[])[]): Promise<(Prediction | undefined)[]> {
  const cycles: (Prediction | undefined)[] = blocks.map(() => undefined);
  const asked = blocks.flatMap((assembly, index) => (assembly.length > 0 ? [index] : []));
  const runs = Array.from({ length: Math.ceil(asked.length / BLOCKS_OF_RUN) }, (_, at) =>
    asked.slice(at * BLOCKS_OF_RUN, (at + 1) * BLOCKS_OF_RUN),
  );
  await sideBySide(runs, (indexes) => predict(blocks, indexes, cycles));
  return cycles;
}

/** One block that it does not know ends a run: then its halves have runs of their own. */
async function predict(
  blocks: readonly (readonly string[])[],
  indexes: readonly number[],
  cycles: (Prediction | undefined)[],
): Promise<void> {
  const regions = await runLlvmMca(indexes.map((index) => regionOf(index, blocks[index])).join(''));
  if (regions === undefined && indexes.length > 1) {
    const half = indexes.length >> 1;
    await predict(blocks, indexes.slice(0, half), cycles);
    await predict(blocks, indexes.slice(half), cycles);
  }
  for (const { Name, SummaryView } of regions ?? [])
    cycles[Number(Name)] = {
      cycles: SummaryView.TotalCycles / SummaryView.Iterations,
      throughput: SummaryView.BlockRThroughput,
    };
}

function regionOf(index: number, assembly: readonly string[]): string {
  return `# LLVM-MCA-BEGIN ${index}\n${assembly.join('\n')}\n# LLVM-MCA-END\n`;
}

interface Region {
  readonly Name: string;
  readonly SummaryView: {
    readonly TotalCycles: number;
    readonly Iterations: number;
    readonly BlockRThroughput: number;
  };
}

function runLlvmMca(text: string): Promise<Region[] | undefined> {
  const words = ['-mcpu=native', '--json', `--iterations=${ITERATIONS}`, '--resource-pressure=false'];
  return new Promise((done) => {
    const child = spawn(PROGRAM, [...words, '--instruction-info=false', '-'], { stdio: ['pipe', 'pipe', 'ignore'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => void (said += more));
    child.on('error', () => done(undefined));
    child.on('close', (status) =>
      done(status === 0 ? (JSON.parse(said) as { CodeRegions: Region[] }).CodeRegions : undefined),
    );
    child.stdin.on('error', () => {}); // its end says why
    child.stdin.end(text);
  });
}
