import { it, expect } from 'vitest';
import { replayNatively } from '../../src/replay/native-engine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { describeResult } from '../engine/compare-results.js';
it('real', () => {
  for (const path of (process.env.ZZ ?? '').split(',')) {
  const tr = openTrace(path);
  const m = { name: 'd', cores: Math.min(64,tr.threads.length), lineBytes: 64, l1: { sizeBytes: 32768, ways: 8, latencyCycles: 4 }, l2: { sizeBytes: 1 << 18, ways: 16, latencyCycles: 14 }, llc: { sizeBytes: 1 << 21, ways: 16, latencyCycles: 50 }, coresPerLlc: 64, memoryLatencyCycles: 200, cacheToCacheLatencyCycles: 200 };
  for (const kind of ['logical', 'recorded'] as const) {
  const input = replayInput(tr, m, { kind });
  const a = describeResult(simulate(input)); const b = describeResult(replayNatively(input));
  const sa = new Set(a), sb = new Set(b);
  console.log(path, kind, a.length, a.filter((x) => !sb.has(x)).slice(0, 6), b.filter((x) => !sa.has(x)).slice(0, 6)); }
  }
  expect(1).toBe(1);
}, 500000);
