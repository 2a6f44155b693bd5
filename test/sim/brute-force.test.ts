// src/sim against the naive simulator of brute-force.ts, count for count, on seeded random traces.

import { describe, expect, it } from 'vitest';
import { dumpReferences } from '../../src/dump/reference-text.js';
import { CLASSES, LEVELS, type Machine, type Schedule } from '../../src/contract/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { bruteForce, type BruteForceTotals } from './brute-force.js';
import { atLength } from '../at-length.js';

function sum({ tallies }: ReplayResult, name: string): number {
  let total = 0;
  for (let row = 0; row < tallies.count; row++)
    total += tallies.counters[row * COUNTERS.length + COUNTERS.indexOf(name)];
  return total;
}

function compare(seed: number, machine: Machine, schedule: Schedule): BruteForceTotals {
  const input = replayInput(openTrace(traceFile(randomTrace(seed, { actions: atLength(20, 110) }))), machine, schedule);
  const parts: Buffer[] = [];
  dumpReferences(input, (bytes) => parts.push(Buffer.from(bytes)));
  const naive = bruteForce(Buffer.concat(parts).toString('latin1'), machine);
  const result = simulate(input);
  const { totals } = result;
  expect({
    references: totals.references,
    hits: totals.hits,
    misses: totals.misses,
    classes: LEVELS.map((level) => CLASSES.map((name) => sum(result, `${level}.${name}`))),
    compulsoryShared: LEVELS.map((level) => sum(result, `${level}.compulsoryShared`)),
    invalidations: totals.invalidations,
    upgrades: totals.upgrades,
    writeBacks: totals.writeBacks,
    cacheToCache: sum(result, 'served.cache'),
  }).toEqual(naive);
  return naive;
}

describe('the simulator agrees with a naive one that searches backwards', () => {
  const SEEDS = atLength(10, 60);

  it(`${SEEDS} seeds, every other one in recorded order`, () => {
    const classes = new Set<string>();
    let transfers = 0;
    for (let seed = 100; seed < 100 + SEEDS; seed++) {
      const naive = compare(seed, randomMachine(seed), { kind: seed % 2 === 0 ? 'logical' : 'recorded' });
      naive.classes.forEach((counts, level) =>
        counts.forEach((count, missClass) => count > 0 && classes.add(`${level} ${missClass}`)),
      );
      transfers += naive.cacheToCache;
    }
    expect(classes.size).toBe(15);
    expect(transfers).toBeGreaterThan(50);
  });
});
