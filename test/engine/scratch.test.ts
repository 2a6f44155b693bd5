import { test } from 'vitest';
import { replayNatively } from '../../src/replay/native-engine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { simulate } from '../../src/sim/simulate.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';
test('scratch', () => {
  let bad = 0;
  for (let seed = 1; seed <= 400; seed++) for (const kind of ['logical', 'recorded'] as const) {
    const input = replayInput(openTrace(traceFile(randomTrace(seed, { actions: seed % 3 === 0 ? 3000 : 400 }))), randomMachine(seed), { kind });
    const strip = (rows: string[]) => rows.map((row) => row.replace(/freeSlot=\d+/, ''));
    const e = strip(describeResult(simulate(input))), a = strip(describeResult(replayNatively(input)));
    const es = new Set(e), as = new Set(a);
    const rows = [...e.filter((r) => !as.has(r)).map((r) => 'ts ' + r), ...a.filter((r) => !es.has(r)).map((r) => 'na ' + r)];
    if (rows.length) { bad++; if (bad < 6) console.log(`SEED ${seed} ${kind} ${rows.length}\n` + rows.slice(0, 8).join('\n')); }
  }
  console.log(`BAD ${bad}`);
});
