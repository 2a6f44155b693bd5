// Stage: test. An exact run, samples drawn evenly from it, and their profile: exact shares and rates lie in the
// intervals as often as these say.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTrace, replayInput } from '../../../src/replay/open-trace.js';
import { resolveMachine } from '../../../src/machine/parse-machine.js';
import { defaultCores } from '../../../src/replay/recorded-cpus.js';
import type { TypedSamples } from '../../../src/hardware/samples/typed-samples.js';
import { drawSamples, type NamedSamples } from '../../../src/hardware/validate/draw-samples.js';
import { atLength } from '../../at-length.js';
import { DPROF, DPROF_CC, makeFolder, run } from '../../cli/command-line.js';
import { drawTypedSamples, type DrawnRow } from '../drawn-samples.js';
import { profileOf, viewOf } from './sampled-fixture.js';

const folder = makeFolder();
const SEEDS = atLength(12, 25);
/** Small, so that there are misses to draw. */
const L1 = '1K/2';

/** As PEBS would have it: hits of the L1, and what is served from memory. Each access stands for `period`. */
function typedOf({ type, isMiss, latency, period }: NamedSamples, types: readonly string[]): TypedSamples {
  const counts = new Map<string, { readonly row: DrawnRow; samples: number }>();
  type.forEach((own, sample) => {
    const key = `${own} ${isMiss[sample]} ${latency[sample]}`;
    const known = counts.get(key) ?? {
      row: {
        what: types[own],
        at: 'run run.c:1',
        from: isMiss[sample] ? 'memory' : 'L1',
        samples: 0,
        latency: latency[sample],
      },
      samples: 0,
    };
    known.samples++;
    counts.set(key, known);
  });
  return drawTypedSamples({
    types: types.map((name) => ({ name })),
    rows: Array.from(counts.values(), ({ row, samples }) => ({ ...row, samples })),
    loadPeriod: Math.round(period),
  });
}

test(
  `an exact run, drawn ${SEEDS} times: at least 93 % of its references, shares of misses and latencies lie in ` +
    'their intervals',
  () => {
    const trace = join(folder, 'drawn.dptrace');
    const program = join(folder, 'shares');
    execFileSync(DPROF_CC, ['-g', '-O1', join(import.meta.dirname, 'programs/shares.c'), '-o', program]);
    expect(run(DPROF, 'record', '-o', trace, '--', program).status).toBe(0);
    const exact = JSON.parse(run(DPROF, 'report', trace, '--l1', L1, '--format', 'json').stdout);
    const opened = openTrace(trace);
    const { accesses, loads } = exact.totals;
    const [held, all] = [
      { references: 0, misses: 0, latency: 0 },
      { references: 0, misses: 0, latency: 0 },
    ];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const input = replayInput(opened, resolveMachine({ l1: L1 }, defaultCores(opened)), { kind: 'logical' });
      const { types, samplers } = drawSamples(input, {
        events: { accesses, loads, latencyCycles: 1e9, loadLatencyCycles: 1e9 },
        period: 23,
        samples: 0,
        skid: 0,
        seed,
      });
      const view = viewOf(
        profileOf([typedOf(samplers.find(({ sampler }) => sampler === 'even')!, types)]),
        'data-profile',
      );
      const check = (
        what: keyof typeof held,
        value: number,
        interval: readonly [number, number] | null | undefined,
      ): void => {
        if (!interval) return;
        all[what]++;
        if (interval[0] <= value && value <= interval[1]) held[what]++;
      };
      const totalMisses = exact.totals.levels.l1.misses;
      for (const { type, references, misses } of exact.rows) {
        const row = view.rows.find((one: any) => one.type === type);
        // An access is one reference or two; of this program, one.
        check('references', references.loads + references.stores, row?.intervals.total.references);
        check('misses', (misses.l1.loads + misses.l1.stores) / totalMisses, row?.intervals.share.ofL1Misses);
      }
      check(
        'latency',
        exact.totals.latencyCycles / exact.totals.references,
        view.totals.intervals.averageLatencyCycles,
      );
    }
    for (const what of ['references', 'misses', 'latency'] as const) {
      expect(all[what]).toBeGreaterThanOrEqual(what === 'latency' ? SEEDS : 3 * SEEDS);
      expect(held[what] / all[what], what).toBeGreaterThanOrEqual(0.93);
    }
  },
);
