// Stage: replay. Random: way x mod ways leaves, where x is the next number of the cache's stream. The stream is
// Marsaglia's xorshift of 32 bits; a number is drawn only when a line has to leave.

import { mix } from '../mix.js';
import type { ReplacementPolicy } from './policy.js';

export const random: ReplacementPolicy = (ways, { seed, level, unit }) => {
  let state = mix(seed, level * 65536 + unit) || 1;
  const draw = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>>= 0);
  };
  return () => ({ hit: () => {}, fill: () => {}, victim: () => draw() % ways });
};
