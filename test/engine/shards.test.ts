// Shards of a replay give together what one replay gives: random cases on machines whose lines depend on no others.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isPlainMachine } from '../../src/contract/complete-machine.js';
import type { ReplayInput } from '../../src/contract/input.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { replayNativelyOn, replayShard } from '../../src/replay/native-engine.js';
import { Comparison } from '../fuzz/engines.js';
import { RandomCases } from '../random/random-case.js';
import { atLength } from '../at-length.js';
import { differences } from './equal-results.js';

const FIRST = Number(process.env.DPROF_FIRST_SEED ?? 1);
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(150, 3000));
const COUNTS = [1, 2, 3, 4, 8, 64];

const folder = mkdtempSync(join(tmpdir(), 'dprof-shards-'));
afterAll(() => rmSync(folder, { recursive: true }));
const comparison = new Comparison([]);
afterAll(() => comparison.close());

async function byShards(input: ReplayInput, count: number, workers: number): Promise<ReplayResult> {
  const files = Array.from({ length: count }, (_, index) => join(folder, `${index}`));
  for (const [index, path] of files.entries())
    await replayShard(input, { index, count }, { path, header: '{}' }, 1 + ((index + workers) % 3));
  return replayNativelyOn({ ...input, shardFiles: files }, [], workers)[0];
}

test(`${SEEDS} random cases`, async () => {
  const cases = new RandomCases();
  const met = { cases: 0, misses: 0, invalidations: 0, alone: 0, windows: 0, flows: 0 };
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const input = comparison.input(cases.at(seed));
    if (!isPlainMachine(input.machine)) continue;
    const [expected] = replayNativelyOn(input, [], 1);
    const count = COUNTS[seed % COUNTS.length];
    const joined = await byShards(input, count, 1 + (seed % 3));
    expect(differences(expected, joined, 'one replay', 'shards'), `seed ${seed}, ${count} shards`).toEqual([]);
    met.cases++;
    met.misses += expected.totals.misses[0];
    met.invalidations += expected.totals.invalidations;
    met.alone += Number(input.machine.cores === 1);
    met.windows += Number(input.window !== undefined);
    met.flows += Number(input.flow !== undefined);
  }
  for (const [what, times] of Object.entries(met)) expect(times, what).toBeGreaterThan(0);
});
