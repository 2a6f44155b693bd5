// Counts by thread, by the words of one column and by those of another.
import type { Words } from 'dprof';

/** By thread; by code of the one; by code of the other. */
export type WordCounts = Float64Array[][];

export function countWords(counts: WordCounts, count: number, thread: ArrayLike<number>, by: Words, of: Words): void {
  for (let row = 0; row < count; row++) {
    const own = (counts[thread[row]] ??= by.words.map(() => new Float64Array(of.words.length)));
    own[by.codes[row]][of.codes[row]]++;
  }
}

export function mergeCounts(a: WordCounts, b: WordCounts): WordCounts {
  b.forEach((theirs, thread) => {
    if (a[thread] === undefined) a[thread] = theirs;
    else theirs.forEach((row, code) => row.forEach((times, at) => void (a[thread][code][at] += times)));
  });
  return a;
}

export function total(counts: WordCounts): number {
  return counts.flat().reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0), 0);
}
