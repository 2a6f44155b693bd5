// Replay on a worker thread: either engine, the same result as on the calling thread, progress, and errors that keep
// their hint.

import { expect, test } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { ENGINES, replay } from '../../src/replay/replay.js';
import { replayNatively } from './replay-natively.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { describeResult } from './compare-results.js';

const LOGICAL = { kind: 'logical' } as const;

test.each(ENGINES)('a worker with the %s engine gives what the native engine gives here', async (engine) => {
  const input = replayInput(openTrace(traceFile(randomTrace(3))), randomMachine(3), LOGICAL);
  expect(describeResult(await replay(input, { engine }))).toEqual(describeResult(replayNatively(input)));
});

test('the references done are in the shared progress at the end', async () => {
  const progress = new SharedArrayBuffer(16);
  const input = replayInput(openTrace(traceFile(randomTrace(4))), randomMachine(4), LOGICAL, progress);
  const { totals } = await replay(input, { engine: 'native' });
  expect([...new Float64Array(progress)]).toEqual([totals.references, totals.references]);
});

test('an error on the worker arrives with its message and hint', async () => {
  const trace = openTrace(traceFile(randomTrace(5, { actions: 5 })));
  const input = replayInput({ ...trace, path: '/nowhere/at-all.dptrace' }, randomMachine(5), LOGICAL);
  const error = await replay(input, { engine: 'native' }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DprofError);
  expect(error).toMatchObject({
    message: 'cannot open /nowhere/at-all.dptrace: No such file or directory',
    hint: 'was the trace moved or deleted meanwhile?',
    exitCode: 1,
  });
});
