// Stage: what-if. Whether steps may change places: none may load, or store to, what another one stored, unless they
// stay in their order. The specification of engine/placing/dependences.h.

import type { HeldStep } from './held-step.js';

const MOST_UNIT = 64;

/**
 * The slot of the first access that would come before a store, or of a store that would come before an access, that it
 * followed; null: none does. `steps`: in the recorded order; `places`: of each in the other one.
 */
export function brokenDependence(steps: readonly HeldStep[], places: Uint32Array): number | null {
  const stored = storedRange(steps);
  const isNear = (address: number, sizeBytes: number): boolean =>
    address < stored.end && address + sizeBytes > stored.begin;
  const unit = unitOf(steps, isNear);
  /** By unit: the last place of an access, and of a store. */
  const accessed = new Map<number, number>();
  const storedAt = new Map<number, number>();
  for (const [index, { accesses }] of steps.entries()) {
    const place = places[index];
    for (const { slot, address, sizeBytes, isStore } of accesses) {
      if (!isNear(address, sizeBytes)) continue;
      for (let at = Math.floor(address / unit); at * unit < address + sizeBytes; at++) {
        const last = accessed.get(at) ?? 0;
        if (place < (isStore ? last : (storedAt.get(at) ?? 0))) return slot;
        accessed.set(at, Math.max(last, place));
        if (isStore) storedAt.set(at, place);
      }
    }
  }
  return null;
}

function storedRange(steps: readonly HeldStep[]): { readonly begin: number; readonly end: number } {
  let [begin, end] = [Number.POSITIVE_INFINITY, 0];
  for (const { accesses } of steps)
    for (const { address, sizeBytes, isStore } of accesses) {
      if (!isStore) continue;
      begin = Math.min(begin, address);
      end = Math.max(end, address + sizeBytes);
    }
  return { begin, end };
}

/** The largest power of two that divides all their addresses and sizes. */
function unitOf(steps: readonly HeldStep[], isNear: (address: number, sizeBytes: number) => boolean): number {
  let bits = MOST_UNIT;
  for (const { accesses } of steps)
    for (const { address, sizeBytes } of accesses)
      if (isNear(address, sizeBytes)) bits |= (address % MOST_UNIT) | (sizeBytes % MOST_UNIT);
  return bits & -bits;
}
