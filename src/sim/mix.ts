// Stage: replay. A seed and a number to 32 bits that look random, the same in both engines: the finaliser of MurmurHash3.

export function mix(seed: number, number: number): number {
  let h = seed ^ Math.imul(number + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
