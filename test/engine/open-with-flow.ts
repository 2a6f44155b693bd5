// A trace whose flow is collected too, whoever replays it.

import { openTrace, type OpenedTrace } from '../../src/replay/open-trace.js';

export function openWithFlow(path: string): OpenedTrace {
  return { ...openTrace(path), flow: { by: 'line', mostPaths: 2000 } };
}
