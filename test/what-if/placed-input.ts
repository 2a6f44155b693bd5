// Stage: test. The input of a replay with the steps of a placed trace in the place of the trace's own.

import { DprofError } from '../../src/base/dprof-error.js';
import type { ReplayInput } from '../../src/contract/input.js';
import type { PlacedTrace } from '../../src/what-if/placed-trace.js';
import { withPlainPaths } from '../../src/what-if/plain-catalog.js';
import { withVariants } from '../../src/what-if/variant-records.js';

export function inputOf(input: ReplayInput, { descriptor, threads, variants }: PlacedTrace): ReplayInput {
  const catalog = withPlainPaths(withVariants(input.catalog, variants));
  return { ...input, path: `/proc/self/fd/${descriptor}`, threads, catalog };
}

export function placedAll(placed: PlacedTrace | DprofError): PlacedTrace {
  if (placed instanceof DprofError) throw placed;
  return placed;
}
