// Stage: validation. Two shares of each type -> how alike they rank types: Spearman's correlation, ties sharing the
// mean of their ranks.

/**
 * The rank correlation of the pairs `first[i]`, `second[i]`: from -1 (backwards) to 1 (one order). null: fewer than
 * two pairs, or one side ranks nothing.
 */
export function rankCorrelation(first: readonly number[], second: readonly number[]): number | null {
  const [a, b] = [ranks(first), ranks(second)];
  const middle = (a.length + 1) / 2;
  let [both, ownA, ownB] = [0, 0, 0];
  for (let row = 0; row < a.length; row++) {
    both += (a[row] - middle) * (b[row] - middle);
    ownA += (a[row] - middle) ** 2;
    ownB += (b[row] - middle) ** 2;
  }
  return ownA === 0 || ownB === 0 ? null : both / Math.sqrt(ownA * ownB);
}

/** From 1, the smallest value's. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((_, row) => row).sort((a, b) => values[a] - values[b]);
  const ranked = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to]] === values[order[from]]) to++;
    for (let at = from; at < to; at++) ranked[order[at]] = (from + 1 + to) / 2;
    from = to;
  }
  return ranked;
}
