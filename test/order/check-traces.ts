// Stage: test. Recorded happens-before of traces under many schedules; ends with status 1 if any violates it.
//   npm run build && node dist/test/order/check-traces.js TRACE...

import { checkSchedule } from '../../src/dump/issued-steps.js';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { spellSchedule } from '../../src/replay/schedule.js';
import { SCHEDULES } from './schedules.js';

for (const path of process.argv.slice(2)) {
  const trace = openTrace(path);
  for (const schedule of SCHEDULES) {
    const { steps, acquires, releases, violations, examples } = checkSchedule(
      replayInput(trace, resolveMachine({}, trace.threads.length), schedule),
    );
    console.log(
      `${path}, ${spellSchedule(schedule)}: ${steps} steps, ${acquires} acquires, ${releases} releases, ` +
        `${violations} violations`,
    );
    for (const example of examples) console.log(`  ${example}`);
    if (violations > 0) process.exitCode = 1;
  }
}
