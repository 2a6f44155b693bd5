// Stage: command line. `dprof replay --shard I/N`: the part of a replay that concerns a share of the cache lines.

import { renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { DprofError } from '../base/dprof-error.js';
import { placeOf } from '../base/output-file.js';
import { whyNoShards } from '../contract/complete-machine.js';
import type { ReplayInput, Shard } from '../contract/input.js';
import { locateWindow } from '../replay/locate-window.js';
import { replayShard } from '../replay/native-engine.js';
import { replayInput } from '../replay/open-trace.js';
import { replay } from '../replay/replay.js';
import { onlyMachine, type ReplayRequest } from './machine-options.js';
import { refuseOwnInput } from './own-input.js';
import { withProgress } from './progress.js';
import { machinesFor, openFor } from './replay-trace.js';
import { windowOf } from './replay-window.js';
import { describeShard } from './shard-file.js';

const MOST_SHARDS = 4096;

/** `I/N`, I from 1 to N; 0/N is N/N, for those who count from 0. */
export function parseShard(text: string): Shard {
  const [, number, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text)?.map(Number) ?? [];
  if (count === undefined || count < 1 || count > MOST_SHARDS || number > count)
    throw new DprofError(
      `--shard: '${text}' is no share of a replay`,
      `for example --shard 1/8, the first of eight; at most ${MOST_SHARDS}`,
      2,
    );
  return { index: number % count, count };
}

/** Writes the shard's file; says first why there cannot be one. */
export async function writeShard(
  paths: readonly string[],
  request: ReplayRequest,
  shard: Shard,
  output: string,
  named: string,
): Promise<void> {
  const { schedule, schedules, engine, workers = availableParallelism(), window: asked } = request;
  onlyMachine(request);
  if (schedules !== undefined)
    throw new DprofError('--schedules does nothing with --shard: a shard is of one order', 'give --schedule', 2);
  if (engine === 'ts') throw new DprofError('shards need the native engine', 'leave out --engine ts', 2);
  refuseOwnInput(output, paths);
  if (output === '-') throw new DprofError('a shard is a file', 'name it: -o PART', 2);
  const trace = openFor(paths, request);
  const [machine] = machinesFor(trace, request.machines);
  const reason = whyNoShards(machine);
  if (reason !== null)
    throw new DprofError(
      `a shard cannot be exact on ${machine.name}: ${reason}`,
      'replay it whole, or on --machine default or paper, or one with --prefetch none (docs/replay/shards.md)',
      2,
    );
  const { written, target } = placeOf(output);
  try {
    await withProgress(`replaying shard ${shard.index || shard.count}/${shard.count} of ${named}`, async (progress) => {
      const whole = replayInput(trace, machine, schedule, progress);
      const locate = (window: NonNullable<typeof asked>): Promise<ReplayInput['window']> =>
        locateWindow(whole, windowOf(trace, window), (first) => replay(first, { engine, workers }));
      const input = asked === undefined ? whole : { ...whole, window: await locate(asked) };
      const header = JSON.stringify(describeShard(shard, paths, machine, request));
      await replayShard(input, shard, { path: written, header }, workers);
    });
    if (target !== undefined) renameSync(written, target);
  } catch (error) {
    if (target !== undefined) rmSync(written, { force: true });
    const isFull = error instanceof DprofError && error.message.startsWith('cannot write ');
    throw isFull ? new DprofError(error.message, 'choose another place: -o PART') : error;
  }
}
