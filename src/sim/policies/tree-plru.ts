// Stage: replay. Tree-PLRU: a binary tree over the ways, with a bit in each node that says in which half the next
// victim is. A hit and a fill make the bits on the way's path point away from it. Bits start pointing to the lower
// half.

import type { ReplacementPolicy } from './policy.js';

export const treePlru: ReplacementPolicy = (ways) => () => {
  /** By node: the root is 1, the children of node n are 2n and 2n + 1, and way w is the leaf `ways` + w. */
  const pointsUp = new Array<boolean>(ways).fill(false);
  const pointAway = (way: number): void => {
    for (let node = way + ways; node > 1; node >>= 1) pointsUp[node >> 1] = node % 2 === 0;
  };
  const victim = (): number => {
    let node = 1;
    while (node < ways) node = 2 * node + (pointsUp[node] ? 1 : 0);
    return node - ways;
  };
  return { hit: pointAway, fill: pointAway, victim };
};
