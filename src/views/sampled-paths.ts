// Stage: profile -> views. Paths and steps from histories: the certainty of a frequency, of hits and of a latency, and
// the numbers that no sample says.

import { meanInterval, shareInterval } from '../base/intervals.js';
import type { Flow } from '../profile/flow.js';
import type { SampledPart } from '../profile/sampled.js';
import { SERVERS, type Server } from '../contract/machine.js';
import type { SampledPathFacts, SampledStepFacts } from './path-rows.js';

export function sampledPath({ paths }: Flow, { paths: columns }: SampledPart, row: number): SampledPathFacts {
  const [histories, ofHistories] = [columns.histories[row], columns.ofHistories[row]];
  const share = histories / ofHistories;
  const bounds = shareInterval(share, ofHistories);
  const scale = paths.lives[row] / share;
  return {
    histories,
    ofHistories,
    averageLifetimeNanoseconds: paths.lifetime[row] / paths.lives[row],
    intervals: { frequency: bounds && [bounds[0] * scale, bounds[1] * scale] },
  };
}

/** `time`: since the life began. */
export function sampledStep(
  { steps }: Flow,
  { steps: columns }: SampledPart,
  servers: readonly Server[],
  row: number,
  time: number,
): SampledStepFacts {
  const served = servers.map((server) => steps.served[row * SERVERS.length + SERVERS.indexOf(server)]);
  const known = served.reduce((sum, count) => sum + count, 0);
  const [samples, timed] = [columns.samples[row], columns.timed[row]];
  const mean = timed > 0 && known > 0 ? steps.latencyCycles[row] / known : null;
  return {
    references: columns.references[row],
    hit: known === 0 ? null : Object.fromEntries(servers.map((server, index) => [server, served[index] / known])),
    averageLatencyCycles: mean,
    averageTimeSinceAllocationNanoseconds: time,
    samples: { served: samples, timed },
    intervals: {
      ...(known > 0 && {
        hit: Object.fromEntries(
          servers.map((server, index) => [server, shareInterval(served[index] / known, samples)]),
        ),
      }),
      ...(mean !== null && { averageLatencyCycles: meanInterval(mean, columns.latencyVariance[row], timed) }),
    },
  };
}
