// Stage: all. Search in a sorted column.

/** First row of a sorted column that is not below `limit`; its length if there is none. */
export function lowerBound(column: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
