// Stage: trace -> blocks. How often each record of a trace was made: docs/blocks.md, "How often". The native engine's
// engine/trace/record_executions.h has the same numbers.

import type { ReplayInput } from '../contract/input.js';
import { stepsOf } from '../order/step-cursor.js';
import { addonInput, ask, loadAddon } from '../replay/native-engine.js';
import { spillPlace, type EngineName } from '../replay/replay.js';
import { PathTable } from '../trace/path-table.js';
import { TraceFile } from '../trace/trace-file.js';

/** By record of the catalog, over all threads and the whole run. */
export async function countExecutions(input: ReplayInput, engine: EngineName): Promise<Float64Array> {
  if (engine === 'ts') return countHere(input);
  const asked = addonInput({ ...input, flow: undefined, sharedVariables: undefined, spill: spillPlace() }, 1);
  return (await ask(input, () => loadAddon().recordExecutions(asked))) as Float64Array;
}

function countHere(input: ReplayInput): Float64Array {
  const counts = new Float64Array(input.catalog.records.count);
  const file = TraceFile.open(input.path);
  try {
    const paths = new PathTable(input.catalog);
    for (const number of input.threads.keys()) {
      const steps = stepsOf(file, input, paths, number);
      while (steps.next()) if (steps.step.isRecord) counts[steps.step.record]++;
    }
    return counts;
  } finally {
    file.close();
  }
}
