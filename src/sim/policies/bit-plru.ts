// Stage: replay. Bit-PLRU: a hit and a fill set the way's bit; if all bits are set then, the others are cleared. The
// lowest way whose bit is clear leaves; with one way that one.

import type { ReplacementPolicy } from './policy.js';

export const bitPlru: ReplacementPolicy = (ways) => () => {
  const isRecent = new Array<boolean>(ways).fill(false);
  const touch = (way: number): void => {
    isRecent[way] = true;
    if (isRecent.includes(false)) return;
    isRecent.fill(false);
    isRecent[way] = true;
  };
  return { hit: touch, fill: touch, victim: () => Math.max(isRecent.indexOf(false), 0) };
};
