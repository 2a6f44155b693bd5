// A trace whose flow is collected too, whoever replays it.

import { openTrace, type OpenedTrace } from '../../src/replay/open-trace.js';
import type { PathBy } from '../../src/replay/places.js';

export function openWithFlow(path: string, by: PathBy = 'line'): OpenedTrace {
  return { ...openTrace(path), flow: { by, mostPaths: 2000, mostSteps: 64 } };
}
