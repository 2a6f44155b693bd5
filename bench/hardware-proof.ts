// Stage: bench. Programs run with debug registers and under the recorder at once: how much of what registers saw in
// instrumented code the traces have. Part of `npm run bench -- hardware`; where the kernel gives no debug registers it
// says so.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import Table from 'cli-table3';
import { WATCHED, watchProgram } from '../test/real/watched-programs.js';
import { DPROF, ROOT, run } from '../test/real/real-program.js';
import type { HistoriesValidation } from '../src/hardware/validate/validate-histories.js';
import { nameMachine } from './machine-name.js';
import { formatSeconds } from './statistics.js';

const table = new Table({
  head: [
    'program',
    'objects',
    'registers saw',
    'in instrumented code',
    'of those in the trace',
    'at the same line',
    'explained',
    'validate took',
    'goal: all, or explained',
  ],
  style: { head: [], border: [] },
});
const isDenied = !(JSON.parse(run([resolve(ROOT, 'build/bin/dprof-probe')])) as { breakpoint: boolean }).breakpoint;
if (isDenied) {
  process.stderr.write(
    'the kernel gives no debug registers here: nothing to hold traces against (dprof doctor says why)\n',
  );
} else {
  for (const name of WATCHED) {
    process.stderr.write(`${name} ...\n`);
    const { trace, histories } = await watchProgram(name);
    const began = performance.now();
    const { objects, elements, verdict } = JSON.parse(
      spawnSync(DPROF, ['validate', trace, histories, '--format', 'json'], { encoding: 'utf8', maxBuffer: 1 << 28 })
        .stdout,
    ) as HistoriesValidation;
    const took = (performance.now() - began) / 1000;
    const { seen, instrumented, inTrace, agreement, reasons } = elements;
    // The trace has block operations, too, that ran in a library's code.
    const own = inTrace - agreement.foreign;
    const explained = Object.entries(reasons)
      .flatMap(([reason, count]) => (count > 0 ? [`${reason}: ${count}`] : []))
      .join(', ');
    table.push([
      name,
      objects.inTrace,
      seen,
      instrumented,
      `${`${own} (${own === instrumented ? '100' : ((100 * own) / instrumented).toFixed(2)} %)`}`,
      agreement.line,
      explained,
      formatSeconds(took),
      verdict === 'agrees' ? 'reached' : 'missed',
    ]);
  }
  process.stdout.write(`${nameMachine()}\na run of each\n${table.toString()}\n`);
}
