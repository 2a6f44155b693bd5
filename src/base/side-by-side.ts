// Work on several things at a time: as many as there are processors.

import { availableParallelism } from 'node:os';

/**
 * As many at a time as there are processors, which the last ones share. After a failure no further one begins, and
 * those that had begun have ended when it is told.
 */
export async function sideBySide<Item>(
  items: readonly Item[],
  work: (item: Item, index: number, workers: number) => Promise<void>,
): Promise<void> {
  const processors = availableParallelism();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      const left = items.length - index; // this one, and those that come after it
      try {
        await work(items[index], index, Math.max(1, Math.floor(processors / left)));
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(items.length, processors) }, lane));
  for (const one of lanes) if (one.status === 'rejected') throw one.reason;
}
