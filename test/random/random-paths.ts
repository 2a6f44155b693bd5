// One pass through a region of a random program: a way through its nodes, and the words that it leaves. Derived addresses are worked out here once
// more, so that a reader can be checked.

import { PATHS_PER_ENTRY, SlotKind } from '../../src/trace/layout.js';
import type { Unit, UnitRecord, UnitSlot } from '../../src/trace/unit.js';
import type { RandomNumbers } from './random-numbers.js';

/** A record with all its words but a stamp. */
export interface FilledRecord {
  readonly record: number;
  readonly words: readonly bigint[];
}

export type PassedRecord = UnitRecord & { readonly record: number };

/** `firstPath`: the region's path 0. */
export function randomPath(unit: Unit, firstPath: number, random: RandomNumbers): { path: number; records: PassedRecord[] } {
  const { firstNode } = unit.regions[firstPath / PATHS_PER_ENTRY];
  const records: PassedRecord[] = [];
  let path = firstPath;
  for (let node = unit.nodes[firstNode]; ; ) {
    for (let index = 0; index < node.recordCount; index++) records.push({ ...unit.records[node.firstRecord + index], record: node.firstRecord + index });
    const way = random.below(node.edgeCount + (node.ends ? 1 : 0));
    if (way === node.edgeCount) return { path, records };
    const edge = unit.edges[node.firstEdge + way];
    path += edge.before;
    node = unit.nodes[firstNode + edge.node];
  }
}

/** Words from `makeWords`, or where `logged` is given, from there. */
export function fillRecords(
  unit: Unit, records: readonly PassedRecord[], makeWords: (slot: UnitSlot) => bigint[], logged?: readonly bigint[],
): { records: FilledRecord[]; logged: bigint[] } {
  const taken: bigint[] = [];
  const addresses = new Map<number, bigint>();
  const filled = records.map(({ record, firstSlot, slotCount }) => {
    const words: bigint[] = [];
    for (let index = firstSlot; index < firstSlot + slotCount; index++) {
      const slot = unit.slots[index];
      const made = makeWords(slot);
      const own = slot.base === 0 ? made : made.slice(1);
      const given = logged?.slice(taken.length, taken.length + own.length) ?? own;
      taken.push(...given);
      const base = addresses.get(slot.base - 1);
      if (slot.base !== 0 && base === undefined) throw new Error(`slot ${slot.base - 1} is not before slot ${index}`);
      words.push(...(base === undefined ? given : [BigInt.asUintN(64, base + BigInt(slot.delta)), ...given]));
      if (slot.base === 0 && slot.kind !== SlotKind.gather) addresses.set(index, words[words.length - given.length]);
    }
    return { record, words };
  });
  return { records: filled, logged: taken };
}
