// One pass through a region of a random program: a way through its nodes, and the words that it leaves. Derived
// addresses are worked out here once more, so that a reader can be checked.

import { PATHS_PER_ENTRY, SlotKind, STRIDE_LOGGED } from '../../src/trace/layout.js';
import type { Unit, UnitRecord, UnitSlot } from '../../src/trace/unit.js';
import type { RandomNumbers } from './random-numbers.js';

/** A record with all its words but a stamp. */
export interface FilledRecord {
  readonly record: number;
  readonly words: readonly bigint[];
}

export type PassedRecord = UnitRecord & { readonly record: number };

/** `firstPath`: the region's path 0. */
export function randomPath(
  unit: Unit,
  firstPath: number,
  random: RandomNumbers,
): { path: number; records: PassedRecord[] } {
  const { firstNode } = unit.regions[firstPath / PATHS_PER_ENTRY];
  const records: PassedRecord[] = [];
  let path = firstPath;
  for (let node = unit.nodes[firstNode]; ; ) {
    for (let index = 0; index < node.recordCount; index++)
      records.push({ ...unit.records[node.firstRecord + index], record: node.firstRecord + index });
    const way = random.below(node.edgeCount + (node.ends ? 1 : 0));
    if (way === node.edgeCount) return { path, records };
    const edge = unit.edges[node.firstEdge + way];
    path += edge.before;
    node = unit.nodes[firstNode + edge.node];
  }
}

/** Words from `makeWords`, or where `logged` is given, from there. */
export function fillRecords(
  unit: Unit,
  records: readonly PassedRecord[],
  makeWords: (slot: UnitSlot) => bigint[],
  logged?: readonly bigint[],
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
      if (slot.base === 0 && slot.kind !== SlotKind.gather && slot.kind !== SlotKind.value)
        addresses.set(index, words[words.length - given.length]);
    }
    return { record, words };
  });
  return { records: filled, logged: taken };
}

/** One execution of a loop: `tail` records of an iteration follow `iterations` whole ones. */
export function fillLoop(
  unit: Unit,
  loop: number,
  tail: number,
  iterations: number,
  makeAddress: () => bigint,
  makeStride: () => bigint,
): { records: FilledRecord[]; logged: bigint[] } {
  const { firstRecord, recordCount } = unit.nodes[unit.regions[loop / PATHS_PER_ENTRY].firstNode];
  const logged = [BigInt(iterations)];
  const motions = new Map<number, { address: bigint; stride: bigint }>(); // by slot
  for (const { firstSlot, slotCount } of unit.records.slice(firstRecord, firstRecord + recordCount)) {
    for (let index = firstSlot; index < firstSlot + slotCount; index++) {
      const { base, delta } = unit.slots[index];
      if (base !== 0) {
        const { address, stride } = motions.get(base - 1)!;
        motions.set(index, { address: address + BigInt(delta), stride });
        continue;
      }
      const motion = { address: makeAddress(), stride: delta === STRIDE_LOGGED ? makeStride() : BigInt(delta) };
      logged.push(motion.address, ...(delta === STRIDE_LOGGED ? [motion.stride] : []));
      motions.set(index, motion);
    }
  }
  const records: FilledRecord[] = [];
  for (let made = 0; made < iterations * recordCount + tail; made++) {
    const { firstSlot, slotCount } = unit.records[firstRecord + (made % recordCount)];
    const iteration = BigInt(Math.floor(made / recordCount));
    const words = Array.from({ length: slotCount }, (_, index) => {
      const { address, stride } = motions.get(firstSlot + index)!;
      return BigInt.asUintN(64, address + iteration * stride);
    });
    records.push({ record: firstRecord + (made % recordCount), words });
  }
  return { records, logged };
}
