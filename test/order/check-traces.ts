// Stage: test. Recorded happens-before of traces under every schedule, one line a trace and schedule; ends with status 1 if any is violated.
//   npm run build && node dist/test/order/check-traces.js TRACE...

import { issueSteps } from '../../src/dump/issued-steps.js';
import { checkOrder } from '../../src/order/order-check.js';
import type { Schedule } from '../../src/replay/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { spellSchedule } from '../../src/replay/schedule.js';
import { TraceFile } from '../../src/trace/trace-reader.js';
import { randomMachine } from '../random/random-trace.js';

const SCHEDULES: readonly Schedule[] = [{ kind: 'logical' }, { kind: 'recorded' }, ...[1, 2, 3].map((seed) => ({ kind: 'random', seed }) as const)];

for (const path of process.argv.slice(2)) {
  const trace = openTrace(path);
  for (const schedule of SCHEDULES) {
    const file = TraceFile.open(path);
    const input = replayInput(trace, randomMachine(0), schedule);
    const { steps, acquires, releases, violations, examples } = checkOrder(file, input, issueSteps(file, input));
    file.close();
    console.log(`${path}, ${spellSchedule(schedule)}: ${steps} steps, ${acquires} acquires, ${releases} releases, ${violations} violations`);
    for (const example of examples) console.log(`  ${example}`);
    if (violations > 0) process.exitCode = 1;
  }
}
