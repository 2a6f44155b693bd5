// Stage: test. What is printed of samples that were drawn: shares by what they stand for, each with its interval.

import { expect, test } from 'vitest';
import { summariseSamples } from '../../../src/hardware/samples/sample-summary.js';
import { renderSampleSummary } from '../../../src/hardware/report/sample-summary-text.js';
import { chooseStyle } from '../../../src/report/text-style.js';
import { drawTypedSamples } from '../drawn-samples.js';

test('samples of two periods: a share is of what they stand for', () => {
  const typed = drawTypedSamples({
    types: [{ name: 'struct packet' }],
    rows: [
      { what: 'struct packet', at: 'take net.c:4', samples: 30 },
      { what: '', at: 'take net.c:5', op: 'store', samples: 8 },
    ],
  });
  // 30 x 20,000 of 1,000,000; (Σp)² / Σp² = 10^12 / (30 x 4x10^8 + 8 x 25x10^8) = 31.25 draws: Wilson (0.6 + z²/62.5 ±
  // z √(0.24/31.25 + z²/4·31.25²)) / (1 + z²/31.25).
  expect(renderSampleSummary(summariseSamples(typed), { top: 10, style: chooseStyle({}, {}) })).toBe(
    [
      'program      ./program (exited with status 0; 1.000 s, 2 threads)',
      'samples      30 of mem-loads, one in 20,000',
      'samples      8 of mem-stores, one in 50,000',
      'lost         nothing',
      'untyped      8 unknown-memory',
      '',
      'samples by type',
      'type           samples  share  95 % interval',
      '─────────────  ───────  ─────  ─────────────',
      'struct packet       30  60.0%  42.7 to 75.2%',
      '(no type)            8  40.0%  24.8 to 57.3%',
      '  Sampled: shares are of 1,000,000 events, which 38 samples stand for by their periods; the true share ' +
        'is in the interval for 95 of',
      '  100 such runs, if samples are drawn fairly.',
      '',
    ].join('\n'),
  );
});
