// Stage: test. What a terminal shows of blocks, and the lists that they come from.

import { describe, expect, test } from 'vitest';
import { readBlockList } from '../../src/blocks/bhive-csv.js';
import type { Block } from '../../src/blocks/block.js';
import { firstOfEachCore, parseProcessors } from '../../src/blocks/usable-processors.js';
import { explainOutcome, renderBlock, renderBlocks } from '../../src/report/block-text.js';

const measured: Block = {
  hex: '4801d8',
  status: 'measured',
  reason: null,
  cycles: 0.999,
  unit: 'calibrated',
  timings: [0.99, 0.991, 1, 1, 1, 1, 1, 1.01],
  naive: 1.104,
  copies: [250, 1000],
  pages: 2,
  subnormals: true,
  assembly: ['addq %rbx, %rax'],
  models: { 'llvm-mca': 1.02 },
};
const rejected: Block = {
  ...measured,
  hex: '0f31'.repeat(40),
  status: 'rejected',
  reason: 'reads-clock',
  cycles: null,
  timings: null,
  naive: null,
  copies: null,
  models: {},
};

test('a block with all that is known of it', () => {
  expect(renderBlock({ ...measured, value: 2, error: -0.5005 }, 80)).toBe(
    `  addq %rbx, %rax

cycles       1.00 an execution (calibrated)
timings      8 of 16 are clean, from 0.99 to 1.01; 1000 copies less 250
naive        1.10: 100 copies, divided by 100
llvm-mca     1.02
file         2.00: measured -50.0 %
memory       2 pages, all on one physical page
subnormals   flushed to zero
`,
  );
});

test('several blocks, 80 columns wide', () => {
  expect(renderBlocks([{ ...measured, value: 100, error: -0.99 }, rejected], 80)).toBe(
    `block               instr.  outcome      cycles  naive   file    error  llvm-mca
──────────────────  ──────  ───────────  ──────  ─────  ─────  ───────  ────────
4801d8                   1  measured       1.00   1.10  100.0  -99.0 %      1.02
0f310f310…0f310f31       1  reads-clock

2 blocks: 1 measured, 1 rejected; calibrated cycles (docs/blocks.md) an execution
`,
  );
});

test('why there is no number', () => {
  expect(explainOutcome(rejected)).toBe('rejected: it reads a clock or counter of the processor (reads-clock)');
});

describe("BHive's files", () => {
  test.each([
    ['4801d8,100', { hex: '4801d8', value: 100 }],
    [' 4801D8 , 1.5e2 \r', { hex: '4801d8', value: 150 }],
    ['4801d8', { hex: '4801d8' }],
    ['4801d8,', { hex: '4801d8' }],
    ['4801d8,0', { hex: '4801d8', value: 0 }],
  ])('%j', (line, block) => {
    expect(readBlockList(line)).toEqual({ blocks: [block], bad: [], badCount: 0 });
  });

  test.each(['hex,value', '480,1', '4801d8,x', '4801d8,-1', '4801d8,1,2', ',1', '"4801d8",1', '4801d8,Infinity'])(
    'refused: %j',
    (line) => {
      expect(readBlockList(`\n${line}\n`)).toEqual({ blocks: [], bad: [{ line: 2, text: line }], badCount: 1 });
    },
  );
});

test('processors as Linux lists them', () => {
  expect(parseProcessors('0-2,5,7-8')).toEqual([0, 1, 2, 5, 7, 8]);
});

test('of hardware threads that share a core, the first', () => {
  const siblings = ['0,4', '1', '2-3', '2-3', '0,4'];
  expect(firstOfEachCore([1, 2, 3, 4], (processor) => siblings[processor])).toEqual([1, 2, 4]);
});
