// Stage: test. Twenty recordings of memcached with four workers, half of them on one CPU: where its threads did the
// same, a type's sharing misses are one number, or marked. They never do quite the same: a worker that finds its next
// request come already does not ask the kernel again. Nor does a connection always go to the worker of the same number.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outputOf } from '../cli/command-client.js';
import { FIRST_CPU, readRecording, unmarkedBetween, type Recording } from '../recorded/handed-on.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { buildMemcached, recordLoad } from './memcached-load.js';

/** References, of 1.3 million: what a worker does for one request takes thousands. */
const SAME = 100;

/** By number of the core. */
function referencesOf(trace: string): number[] {
  const words = ['report', trace, '--view', 'miss-classification', '--by', 'core', '--format', 'json'];
  const byCore: number[] = [];
  for (const { core, references } of JSON.parse(outputOf(words)).rows)
    byCore[core] = references.loads + references.stores;
  return byCore;
}

/** By how many references the work of the threads differs, all together. */
function differenceOf(one: readonly number[], other: readonly number[]): number {
  const longer = one.length < other.length ? other : one;
  return longer.reduce((sum, _, core) => sum + Math.abs((one[core] ?? 0) - (other[core] ?? 0)), 0);
}

it('20 recordings of memcached give one number for a type, or say what may differ', async () => {
  const folder = makeTemporaryFolder('memcached');
  const program = buildMemcached();
  const all: { recording: Recording; references: number[] }[] = [];
  for (let number = 0; number < 20; number++) {
    const isOnOneCpu = number % 2 === 1;
    const trace = join(folder, `memcached-${number}.dptrace`);
    const { status, hits } = await recordLoad(program, trace, isOnOneCpu ? FIRST_CPU : '0-1023', 500);
    expect([status, hits > 0]).toEqual([0, true]);
    all.push({ recording: readRecording(trace, isOnOneCpu), references: referencesOf(trace) });
  }
  // Each with itself, too: its number lies within its own bounds.
  const compared = all.flatMap((one) =>
    all
      .map((other) => ({ one, other, difference: differenceOf(one.references, other.references) }))
      .filter(({ difference }) => difference <= SAME),
  );
  expect(compared.length).toBeGreaterThan(all.length);
  const found = compared.flatMap(({ one, other, difference }) =>
    unmarkedBetween(one.recording, other.recording, difference),
  );
  expect(found).toEqual([]);
});
