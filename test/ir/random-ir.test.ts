// A few of what `node dist/test/ir/random-ir.js` does by the hundred: random modules compute under dprof-cc what a
// plain interpreter computes, and the references that are recorded are the interpreter's, in order.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  Comparison,
  compareReferences,
  compileHarness,
  describeReferences,
  Difference,
  resultOf,
} from './comparison.js';
import { generateModule, WHOLE } from './generator.js';
import { interpret } from './interpreter.js';
import { writeText } from './ir-text.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-ir-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const comparison = new Comparison(folder, compileHarness(folder));

function write(seed: number, stackAlign = 1): { source: string; run: ReturnType<typeof interpret> } {
  const module = generateModule(seed, WHOLE);
  const source = join(folder, 'module.ll');
  writeFileSync(source, writeText(module, stackAlign));
  return { source, run: interpret(module) };
}

test.each([1, 36, 48, 55, 195])('seed %i at -O0: the references are those of the interpreter', (seed) => {
  const { source, run } = write(seed);
  expect(comparison.runPlain(source, '-O0').result).toBe(resultOf(run));
  const recorded = comparison.record(source, '-O0');
  expect(recorded.result).toBe(resultOf(run));
  compareReferences(run, recorded);
});

test.each([
  [36, '-O1'],
  [49, '-O2'],
])('seed %i at %s: the references are the same with loops recorded once', (seed, level) => {
  const { source, run } = write(seed, 64);
  const [once, each] = [comparison.record(source, level, true), comparison.record(source, level, false)];
  expect(once.loops).toBeGreaterThan(0);
  expect(each.loops).toBe(0);
  expect(once.result).toBe(resultOf(run));
  expect(describeReferences(once)).toEqual(describeReferences(each));
});

describe('a comparison fails', () => {
  const { source, run } = write(3);
  const recorded = comparison.record(source, '-O0');
  const middle = Math.floor(recorded.references.length / 2);
  const changed = (change: Partial<(typeof recorded.references)[number]>): typeof recorded => ({
    ...recorded,
    references: recorded.references.with(middle, { ...recorded.references[middle], ...change }),
  });
  const { kind, bytes, address } = recorded.references[middle];

  test.each([
    ['where a reference is missing', { ...recorded, references: recorded.references.toSpliced(middle, 1) }],
    [
      'where one is there twice',
      { ...recorded, references: recorded.references.toSpliced(middle, 0, recorded.references[middle]) },
    ],
    ['where a load is a store', changed({ kind: kind === 'r' ? 'w' : 'r' })],
    ['where a size is wrong', changed({ bytes: bytes + 1 })],
    ['where an address is wrong', changed({ address: address + 1 })],
    ['where the last reference is missing', { ...recorded, references: recorded.references.slice(0, -1) }],
  ])('%s', (_, wrong) => {
    expect(() => compareReferences(run, wrong)).toThrow(Difference);
  });
});
