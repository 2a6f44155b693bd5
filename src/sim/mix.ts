// Stage: replay. A seed and a number to 32 bits that look random, the same in both engines.

import { finalise } from '../base/finaliser.js';

export function mix(seed: number, number: number): number {
  return finalise(seed ^ Math.imul(number + 1, 0x9e3779b1));
}
