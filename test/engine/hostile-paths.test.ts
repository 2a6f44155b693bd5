// Paths that no plugin numbers and lengths that no program copies: both engines refuse them alike, and neither loses
// its way.

import { describe, expect, test } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { TraceWriter } from '../trace/trace-writer.js';
import type { PathStep } from '../trace/event-encoder.js';
import { writeUnit } from '../trace/unit-writer.js';
import { addLoop, addRegion } from '../drawn/region-builder.js';
import { STRIDE_LOGGED } from '../../src/trace/layout.js';
import { replayNatively } from './replay-natively.js';
import { DYNAMIC, UnitBuilder } from '../drawn/unit-builder.js';
import { damageRegions } from '../random/damaged-unit.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';
import { atLength } from '../at-length.js';

function traceOf(builder: UnitBuilder, steps: readonly PathStep[]): Uint8Array {
  const writer = new TraceWriter();
  writer.module('m', [writeUnit(builder.unit)], []);
  writer.events(0, steps);
  return writer.finish();
}

/** The results or errors of each engine. */
function outcomes(trace: Uint8Array, seed = 1): (ReplayResult | DprofError)[] {
  const input = replayInput(openTrace(traceFile(trace)), randomMachine(seed), { kind: 'logical' });
  return [simulate, replayNatively].map((engine) => {
    try {
      return engine(input);
    } catch (error) {
      if (error instanceof DprofError) return error;
      throw error;
    }
  });
}

function refusals(builder: UnitBuilder, steps: readonly PathStep[]): string[] {
  return outcomes(traceOf(builder, steps)).map((outcome) => {
    expect(outcome).toBeInstanceOf(TraceError);
    return (outcome as TraceError).expected;
  });
}

const load = (builder: UnitBuilder): number => builder.record('segment', [builder.slot('load')]);

test('a loop that is longer than any batch, leaves in the middle and moves both ways', () => {
  const builder = new UnitBuilder();
  const first = builder.record('segment', [
    builder.slot('load', { delta: 8 }),
    builder.slot('store', { delta: STRIDE_LOGGED }),
  ]);
  const loop = addLoop(builder.unit, [first, load(builder)]);
  const [slow, fast] = outcomes(
    traceOf(builder, [
      { path: loop + 1, words: [9_999n, 0x8000n, 0x80_0000n, 2n ** 64n - 8n, 0x40n] },
      { path: loop, words: [0n, 1n, 2n, 3n, 4n] },
    ]),
  ) as ReplayResult[];
  expect(describeResult(fast)).toEqual(describeResult(slow));
  expect(slow.totals.accesses).toBe(9_999 * 3 + 2);
});

describe('both engines refuse', () => {
  test('a path number that no region has, and one above its region', () => {
    const builder = new UnitBuilder();
    addRegion(builder.unit, [{ records: [load(builder)] }]);
    expect(refusals(builder, [{ path: 32, words: [8n] }])).toEqual(
      Array(2).fill('below 32, as the MODULE chunks have'),
    );
    expect(refusals(builder, [{ path: 31, words: [8n] }])).toEqual(Array(2).fill('a path of the 1 of region 0'));
    expect(refusals(builder, [{ path: 1e9, words: [8n] }])).toEqual(
      Array(2).fill('below 32, as the MODULE chunks have'),
    );
  });

  test('a trace without regions that takes one', () => {
    expect(refusals(new UnitBuilder(), [{ path: 0, words: [] }])).toEqual(
      Array(2).fill('below 0, as the MODULE chunks have'),
    );
  });

  test('a loop of more than 2^40 records', () => {
    const builder = new UnitBuilder();
    addLoop(builder.unit, [load(builder), load(builder)]);
    expect(refusals(builder, [{ path: 0, words: [2n ** 39n + 1n, 8n, 8n] }])).toEqual([
      'a loop of at most 2^40 records',
      'at most 2^40 records in all',
    ]);
    expect(refusals(builder, [{ path: 0, words: [2n ** 64n - 1n, 8n, 8n] }])).toHaveLength(2);
  });

  test('an address in a loop that derives from nothing before it', () => {
    const builder = new UnitBuilder();
    addLoop(builder.unit, [
      builder.record('segment', [builder.slot('load', { base: 2, delta: 8 }), builder.slot('load')]),
    ]);
    for (const expected of refusals(builder, [{ path: 0, words: [1n, 8n] }]))
      expect(expected).toMatch(/^slot 1, the base of slot 0, before it/);
  });

  test('a path for which no edge fits', () => {
    const builder = new UnitBuilder();
    addRegion(builder.unit, [{ records: [load(builder)], to: [1] }, { records: [] }]);
    builder.unit.edges[0].before = 1;
    for (const expected of refusals(builder, [{ path: 0, words: [8n] }]))
      expect(expected).toMatch(/^an edge of region 0/);
  });

  test('a path without records', () => {
    const builder = new UnitBuilder();
    addRegion(builder.unit, [{ records: [] }]);
    for (const expected of refusals(builder, [{ path: 0, words: [] }])) expect(expected).toMatch(/^a record/);
  });

  test('a STAMPED record that another follows', () => {
    const builder = new UnitBuilder();
    const stamped = builder.record('segment', [builder.slot('atomicUpdate')]);
    addRegion(builder.unit, [{ records: [stamped, load(builder)] }]);
    for (const expected of refusals(builder, [{ path: 0, words: [8n, 8n] }]))
      expect(expected).toMatch(/^nothing behind (the|its) STAMPED record/);
  });

  test('a derived slot whose base is on another way, or behind it', () => {
    const builder = new UnitBuilder();
    const [derived, base] = [{ base: 2 }, {}].map((more) => builder.record('segment', [builder.slot('load', more)]));
    addRegion(builder.unit, [{ records: [derived, base] }]);
    addRegion(builder.unit, [{ records: [], to: [1, 2] }, { records: [base], to: [2] }, { records: [derived] }]);
    for (const expected of refusals(builder, [{ path: 0, words: [8n] }]))
      expect(expected).toMatch(/^slot 1, the base of slot 0, before it/);
    for (const expected of refusals(builder, [{ path: 33, words: [] }]))
      expect(expected).toMatch(/^slot 1, the base of slot 0, before it/);
    for (const outcome of outcomes(traceOf(builder, [{ path: 32, words: [8n] }])))
      expect(outcome).toMatchObject({ totals: { accesses: 2 } });
  });

  test('more than 2^20 words on a path, and more than 2^20 records', () => {
    const wide = new UnitBuilder();
    const gathers = Array.from({ length: (1 << 14) + 1 }, () => wide.slot('gather', { lanes: 64 }));
    wide.alone('segment', gathers);
    for (const expected of refusals(wide, [{ path: 0, words: [] }]))
      expect(expected).toMatch(/^at most 1048576 records and words/);
    const long = new UnitBuilder();
    const empty = Array.from({ length: 1 << 10 }, () => long.record('segment', []));
    addRegion(
      long.unit,
      Array.from({ length: (1 << 10) + 1 }, (_, node) => ({ records: empty, to: node < 1 << 10 ? [node + 1] : [] })),
    );
    for (const expected of refusals(long, [{ path: 0, words: [] }]))
      expect(expected).toMatch(/^at most 1048576 records and words/);
  });

  test.each(['fill', 'scan', 'copyStore'] as const)('a %s of more than 2^40 bytes', (kind) => {
    const builder = new UnitBuilder();
    const slots =
      kind !== 'copyStore'
        ? [builder.slot(kind, { sizeBytes: DYNAMIC })]
        : [builder.slot('copyLoad'), builder.slot('copyStore', { sizeBytes: DYNAMIC })];
    const path = builder.alone('segment', slots);
    const addresses = slots.map(() => 0x1000n);
    expect(
      refusals(builder, [
        { path, words: [...addresses, 1n] },
        { path, words: [...addresses, (1n << 40n) + 1n] },
      ]),
    ).toEqual(Array(2).fill('at most 2^40 bytes'));
    expect(refusals(builder, [{ path, words: [...addresses, 1n << 63n] }])).toEqual(
      Array(2).fill('at most 2^40 bytes'),
    );
  });

  test('a derived address below 0, as any other that no program has', () => {
    const builder = new UnitBuilder();
    const path = builder.alone('segment', [builder.slot('load'), builder.slot('load', { base: 1, delta: -16 })]);
    expect(refusals(builder, [{ path, words: [8n] }])).toHaveLength(2);
  });
});

test('a derived address is worked out modulo 2^64', () => {
  const builder = new UnitBuilder();
  const high = builder.record('marker', [builder.slot('object')]);
  const low = builder.record('segment', [builder.slot('load', { base: 1, delta: 0x7fff_fff8 })]);
  addRegion(builder.unit, [{ records: [high, low] }]);
  for (const outcome of outcomes(traceOf(builder, [{ path: 0, words: [(1n << 64n) - 8n] }])))
    expect(outcome).toMatchObject({ totals: { accesses: 1 } });
});

test('units damaged in one number of their tables: both engines refuse them, or give the same result', () => {
  const random = new RandomNumbers(11);
  const counts = { same: 0, refused: 0, notOpened: 0 };
  for (let attempt = 0; attempt < atLength(60, 150); attempt++) {
    const damaged = damageRegions(randomTrace(attempt % 15, { actions: 60 }), random);
    let found: (ReplayResult | DprofError)[];
    try {
      found = outcomes(damaged, attempt);
    } catch (error) {
      expect(error).toBeInstanceOf(TraceError);
      counts.notOpened++;
      continue;
    }
    const [expected, actual] = found.map((outcome) =>
      outcome instanceof DprofError ? 'refused' : describeResult(outcome),
    );
    expect(actual, `attempt ${attempt}: ${found.map(String).join(' | ')}`).toEqual(expected);
    counts[expected === 'refused' ? 'refused' : 'same']++;
  }
  for (const count of Object.values(counts)) expect(count, JSON.stringify(counts)).toBeGreaterThan(10);
});
