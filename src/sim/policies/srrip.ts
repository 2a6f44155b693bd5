// Stage: replay. SRRIP-HP with two bits (Jaleel et al., "High performance cache replacement using re-reference interval
// prediction", ISCA 2010): each way has a distance to its next expected use, 0 after a hit and 2 after a fill. The
// lowest way at distance 3 leaves; while there is none, all distances grow by one.

import type { ReplacementPolicy } from './policy.js';

const FARTHEST = 3;

export const srrip: ReplacementPolicy = (ways) => () => {
  const distances = new Array<number>(ways).fill(0);
  const victim = (): number => {
    while (!distances.includes(FARTHEST)) for (let way = 0; way < ways; way++) distances[way]++;
    return distances.indexOf(FARTHEST);
  };
  return { hit: (way) => (distances[way] = 0), fill: (way) => (distances[way] = FARTHEST - 1), victim };
};
