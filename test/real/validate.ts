// Stage: test. The hardware proof: programs run with debug registers and under the recorder at once, and every access
// that registers saw in instrumented code is in the trace, in its order. Run as `node dist/test/real/validate.js
// [NAME...]`.
import { spawnSync } from 'node:child_process';
import type { HistoriesValidation } from '../../src/hardware/validate/validate-histories.js';
import { conclude, DPROF } from './real-program.js';
import { WATCHED, watchProgram } from './watched-programs.js';

const faults: string[] = [];
for (const name of process.argv.length > 2 ? process.argv.slice(2) : WATCHED) {
  const { trace, histories } = await watchProgram(name);
  const found = JSON.parse(
    spawnSync(DPROF, ['validate', trace, histories, '--format', 'json'], { encoding: 'utf8', maxBuffer: 1 << 28 })
      .stdout,
  ) as HistoriesValidation;
  process.stdout.write(
    `${name}\n${spawnSync(DPROF, ['validate', trace, histories], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout}\n`,
  );
  if (found.verdict !== 'agrees') faults.push(`${name}: ${found.verdict}`);
  if (found.elements.inTrace < 10)
    faults.push(`${name}: registers saw ${found.elements.inTrace} accesses that are in the trace`);
  if (found.objects.inTrace !== found.objects.watched)
    faults.push(`${name}: ${found.objects.watched - found.objects.inTrace} objects are not in the trace`);
}
conclude('validate', faults);
