// Stage: replay. Several replays of one trace that share the workers: each keeps one busy, so as many run at a time as
// there are workers.

import { availableParallelism } from 'node:os';

export interface OneOfMany {
  readonly index: number;
  /** Workers of its own. */
  readonly workers: number;
  /** As that of ReplayOptions. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * The values of all, in order whichever ends first. `sizes`: how much each has to do, as multiples of one replay.
 * `progress`: [done, total] over all of them as two float64, as in ReplayInput. After a failure no further one begins.
 */
export async function replaySideBySide<Value>(
  sizes: readonly number[],
  workers = availableParallelism(),
  progress: SharedArrayBuffer,
  replayOne: (one: OneOfMany) => Promise<Value>,
): Promise<Value[]> {
  const count = sizes.length;
  const atOnce = Math.min(workers, count);
  const size = sizes.reduce((sum, one) => sum + one, 0);
  const shown = new Float64Array(progress);
  const done = new Float64Array(count);
  const totals = new Float64Array(count);
  const values: Value[] = [];
  let next = 0;
  const onProgress = (index: number, references: number, total: number): void => {
    done[index] = references;
    totals[index] = total;
    // The progress of passes ahead is shown until something is replayed.
    const replayed = done.reduce((sum, one) => sum + Math.max(one, 0), 0);
    shown[0] = replayed > 0 ? replayed : done.reduce((sum, one) => sum + one, 0);
    // Each replays the same trace: those that have not begun will take as much.
    shown[1] = totals.reduce((most, one, at) => Math.max(most, one / sizes[at]), 0) * size;
  };
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      try {
        const workersOfOne = Math.max(1, Math.floor(workers / atOnce));
        values[index] = await replayOne({
          index,
          workers: workersOfOne,
          onProgress: (references, total) => onProgress(index, references, total),
        });
      } catch (error) {
        next = count;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return values;
}
