// Stage: test. Several threads of a live trace, by made-up runs: in whatever pieces their chunks come, and whatever is
// said of those that sleep, the report is that of the trace.

import { writeSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { LiveProgress } from '../../src/cli/live-progress.js';
import { LiveReplay } from '../../src/cli/live-replay.js';
import type { ReplayRequest } from '../../src/cli/machine-options.js';
import { replayTrace } from '../../src/cli/replay-trace.js';
import type { Profile } from '../../src/profile/profile.js';
import { LiveTrace } from '../../src/replay/live-trace.js';
import { VIEWS, viewsOf as namesOf } from '../../src/views/views.js';
import { writeStream } from '../random/live-stream.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomRun } from '../random/random-trace.js';
import { makeFolder, saveTrace } from './command-line.js';
import { request } from './live-request.js';
import { atLength } from '../at-length.js';

const folder = makeFolder();
const NOBODY = 0x7fffffff;
const WRITTEN = 16; // in struct dprof_live_control
const SEEDS = Number(process.env.DPROF_SEEDS ?? atLength(3, 12));
const machines = [{}, { cores: '2' }, { machine: 'paper' }];

const viewsOf = (profile: Profile): unknown[] => namesOf(profile).map((name) => VIEWS[name].build(profile));

/**
 * All at once: what there is of a thread is read only when the order needs it, so it waits as often as for a program.
 */
async function replayStream(
  stream: Buffer,
  asked: ReplayRequest,
): Promise<{ profile: Profile; wasCollected: boolean }> {
  const live = new LiveTrace(64 << 20);
  const collect = vi.spyOn(live, 'collect');
  try {
    writeSync(live.data, stream, 0, stream.length, 0);
    const written = Buffer.alloc(8);
    written.writeBigUInt64LE(BigInt(stream.length));
    writeSync(live.control, written, 0, 8, WRITTEN);
    live.end();
    const [profile] = await new LiveReplay(live, asked, 2, new LiveProgress('drawn'), () => {}).run();
    return { profile, wasCollected: collect.mock.calls.length > 0 };
  } finally {
    await live.destroy();
  }
}

/** How many of them were replayed as they came. */
async function compareSeeds(first: number, liesPercent: number): Promise<number> {
  let live = 0;
  for (let seed = first; seed < first + SEEDS; seed++) {
    const asked: ReplayRequest = { ...request, machines: [machines[seed % machines.length]] };
    const { stream, trace } = writeStream(randomRun(seed, { actions: 150 }), new RandomNumbers(seed), {
      pid: NOBODY,
      liesPercent,
    });
    const { profile, wasCollected } = await replayStream(stream, asked);
    const path = saveTrace(folder, `${seed}.dptrace`, trace);
    expect(viewsOf(profile), `seed ${seed}`).toEqual(viewsOf((await replayTrace([path], asked, path))[0]));
    live += wasCollected ? 0 : 1;
  }
  return live;
}

test('random streams: the report is that of the trace', async () => {
  expect(await compareSeeds(0, 0)).toBe(SEEDS);
});

test('random streams in which a fifth of what threads were seen to wait for is not so: likewise', async () => {
  expect(await compareSeeds(10_000, 20)).toBeGreaterThan(0);
});
