// Stage: test. Published cycles, held against the source that each names.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { KNOWN_BLOCKS } from '../../bench/known-blocks.js';
import { hasLlvmMca } from '../../src/blocks/llvm-mca.js';

const ITERATIONS = 1000;
const CLOSE = 0.02; // what begins and ends a run is in it

function predict(processor: string): number[] {
  const input = KNOWN_BLOCKS.map(({ assembly }) => `# LLVM-MCA-BEGIN\n${assembly}\n# LLVM-MCA-END\n`).join('');
  const words = [`-mcpu=${processor}`, `-iterations=${ITERATIONS}`, '-instruction-info=0', '-resource-pressure=0'];
  const { stdout } = spawnSync('llvm-mca-19', words, { input, encoding: 'utf8' });
  return [...stdout.matchAll(/^Total Cycles: +(\d+)$/gm)].map(([, cycles]) => Number(cycles) / ITERATIONS);
}

test.runIf(hasLlvmMca()).each(['alderlake', 'sapphirerapids'])(
  'LLVM has for %s what the blocks say that name it, and for no other',
  (processor) => {
    const predicted = predict(processor);
    expect(predicted.length).toBe(KNOWN_BLOCKS.length);
    const agreeing = KNOWN_BLOCKS.filter(({ goldenCove }, at) => Math.abs(predicted[at] / goldenCove - 1) <= CLOSE);
    expect(agreeing.map(({ assembly }) => assembly)).toEqual(
      KNOWN_BLOCKS.filter(({ source }) => source.startsWith('LLVM')).map(({ assembly }) => assembly),
    );
  },
);
