// Stage: replay. True LRU: a hit and a fill make a line the newest, and the oldest leaves.

import type { ReplacementPolicy } from './policy.js';

export const lru: ReplacementPolicy = () => () => {
  /** The oldest first. */
  const ways: number[] = [];
  const renew = (way: number): void => {
    const at = ways.indexOf(way);
    if (at >= 0) ways.splice(at, 1);
    ways.push(way);
  };
  return { hit: renew, fill: renew, victim: () => ways[0] };
};
