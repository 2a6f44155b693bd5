// Stage: all. 32 bits to 32 bits that look random: the finaliser of MurmurHash3, one to one. engine/base/finaliser.h is
// the same.

export function finalise(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
