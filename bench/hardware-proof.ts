// Stage: bench. Programs run with debug registers and under the recorder at once: how much of what registers saw in instrumented code the traces have. Part of
// `npm run bench -- hardware`.
import { spawnSync } from 'node:child_process';
import Table from 'cli-table3';
import { WATCHED, watchProgram } from '../test/real/watched-programs.js';
import { DPROF } from '../test/real/real-program.js';
import type { HistoriesValidation } from '../src/validate/validate-histories.js';
import { nameMachine } from './machine-name.js';
import { formatSeconds } from './statistics.js';

const table = new Table({ head: ['program', 'objects', 'registers saw', 'in instrumented code', 'in the trace', 'at the same line', 'validate took', 'goal: 100 %'], style: { head: [], border: [] } });
const isDenied = spawnSync(DPROF, ['history', '-o', '/dev/null', '--', 'true']).status !== 0;
if (isDenied) {
  process.stderr.write('the kernel gives no debug registers here: nothing to hold traces against (dprof doctor says why)\n');
} else {
  for (const name of WATCHED) {
    process.stderr.write(`${name} ...\n`);
    const { trace, histories } = await watchProgram(name);
    const began = performance.now();
    const { objects, elements, verdict } = JSON.parse(spawnSync(DPROF, ['validate', trace, histories, '--format', 'json'], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout) as HistoriesValidation;
    const took = (performance.now() - began) / 1000;
    const { seen, instrumented, inTrace, agreement } = elements;
    const isReached = verdict === 'agrees' && inTrace === instrumented && inTrace > 0;
    table.push([name, objects.inTrace, seen, instrumented, `${inTrace} (${((100 * inTrace) / instrumented).toFixed(1)} %)`, agreement.line, formatSeconds(took), isReached ? 'reached' : 'missed']);
  }
  process.stdout.write(`${nameMachine()}\na run of each\n${table.toString()}\n`);
}
