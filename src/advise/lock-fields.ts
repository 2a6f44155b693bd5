// Stage: catalog -> advice. Fields that are locks: somewhere taken by an atomic update, and somewhere given back by an
// atomic store. A number that threads only add to has no such store.

import type { Catalog } from '../contract/catalog.js';
import { SlotKind } from '../trace/layout.js';

export function lockFields({ slots, types }: Catalog): (type: string, field: string | null) => boolean {
  const updated = new Set<string>();
  const stored = new Set<string>();
  for (let slot = 0; slot < slots.count; slot++) {
    if (slots.path[slot] === '') continue;
    const key = keyOf(types.name[slots.type[slot]], slots.path[slot]);
    const kind = slots.kind[slot];
    if (kind === SlotKind.atomicUpdate || kind === SlotKind.atomicResult) updated.add(key);
    else if (kind === SlotKind.atomicStore) stored.add(key);
  }
  return (type, field) => {
    if (field === null) return false;
    const key = keyOf(type, field);
    return updated.has(key) && stored.has(key);
  };
}

function keyOf(type: string, field: string): string {
  return `${type}\n${field}`;
}
