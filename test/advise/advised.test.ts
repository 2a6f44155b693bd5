// The first finding of programs of which it is known what to change; with the change made in the source there is
// nothing serious. The options of a change, given to dprof what-if, repeat what was predicted.

import { beforeAll, describe, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { DPROF, run } from '../cli/command-line.js';
import { ADVISED, readAdvice, recordAdvised, type AdviceRead } from '../real/advised.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const folder = makeTemporaryFolder('advised');

/** By kind of finding. The rule has no word for cold sharing: what is stored once, and then read once. */
const CACHEPERF_CLASSES: Readonly<Record<string, string>> = {
  conflict: 'conflict',
  'false-sharing': 'false-sharing',
  'true-sharing': 'true-sharing',
  'cold-sharing': 'capacity',
  'unused-bytes': 'capacity',
};

describe.each(ADVISED.filter(({ isSample }) => isSample || atLength(false, true)))('$source', (one) => {
  let trace = '';
  let advice: AdviceRead;
  beforeAll(() => {
    trace = recordAdvised(one, folder);
    advice = readAdvice(trace);
  });

  test('the first finding is what to change', () => {
    const [{ kind, type, origin, change, advice: words }] = advice.findings;
    expect({ kind, type, origin }).toEqual({ kind: one.kind, type: one.type, origin: one.origin ?? 'application' });
    if (one.options === null) expect([change, words === null]).toEqual([null, false]);
    else expect(change!.options.join(' ')).toContain(one.options.join(' '));
  });

  test("CachePerf's rule says the same, in its words", () => {
    const [{ cacheperfRule }] = advice.findings;
    const own = CACHEPERF_CLASSES[one.kind];
    const origin = own === 'capacity' ? null : (one.origin ?? 'application');
    expect({ class: cacheperfRule.class, origin: cacheperfRule.origin }).toEqual({ class: own, origin });
  });

  test('what-if with its options predicts the same', () => {
    const [{ change, predicted }] = advice.findings;
    if (change === null || predicted === null) return;
    const { status, stdout, stderr } = run(
      DPROF,
      'what-if',
      trace,
      ...change.options,
      '--format',
      'json',
      '--no-cache',
    );
    expect([status, stderr]).toEqual([0, '']);
    const { totals } = JSON.parse(stdout);
    expect([totals.missLatencyCycles.before, totals.missLatencyCycles.after]).toEqual([
      predicted.cycles.before,
      predicted.cycles.after,
    ]);
  });

  test.runIf(one.isFixable)('with the change made there is nothing serious', () => {
    expect(readAdvice(recordAdvised(one, folder, '-DFIXED')).findings).toEqual([]);
  });
});

const PADDED = ADVISED.filter(({ kind, isFixable }) => kind === 'false-sharing' && isFixable);
const THREADS = [2, 4, 16];
/** Of estimated cycles: who is served first depends on the addresses. */
const CLOSE = 0.02;

describe.each(PADDED.filter(({ isSample }) => isSample || atLength(false, true)))('padding: $source', (one) => {
  test.each(THREADS.filter((threads) => threads === 2 || atLength(false, true)))('%i threads', (threads) => {
    const flag = `-DTHREADS=${threads}`;
    const words = [...one.options!, '--format', 'json', '--no-cache'];
    const foretold = JSON.parse(run(DPROF, 'what-if', recordAdvised(one, folder, flag), ...words).stdout);
    const made = readAdvice(recordAdvised(one, folder, flag, '-DFIXED'));
    const { before, after } = foretold.totals.missLatencyCycles;
    // Two threads may have a line each already.
    expect(after / before).toBeLessThan(threads === 2 ? 1.001 : 0.5);
    expect(Math.abs(made.cycles - after) / before, `${made.cycles} instead of ${after}`).toBeLessThan(CLOSE);
  });
});
