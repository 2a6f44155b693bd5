// Sharing pairs as rows: pairs of threads that allocated what one pair of accesses is about are one row, and a core's
// first reference to what another core stored is cold sharing. docs/replay/attribution.md, "Sharing".

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { buildSharingView } from '../../src/views/sharing-rows.js';
import { sharing } from '../../src/views/sharing.js';
import { profileDrawing } from '../drawn/drawn-profile.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';

const types = { 'struct message': { size: 64, fields: { number: [0, 8], square: [8, 8] } } } as const;
const message = { site: true, size: 64, type: 'struct message' } as const;
const heap = { a: { address: 0x10000, ...message }, b: { address: 0x10100, ...message } };

test('the first reference of a core to a line is cold sharing, because of the last store to it before', () => {
  const profile = profileDrawing(
    `
    core 0       core 1       core 2
    alloc a
    W a.number
    W a.square
                 R a.number
                              R a.number
    W a.number
                 R a.number
    `,
    { types, heap },
  );
  const { rows, coldSharing, totals } = buildSharingView(profile);
  const told = rows.map((row) => [
    row.class,
    row.misses,
    row.relation,
    `${row.missed.type}.${row.missed.field}`,
    `${row.writer.type}.${row.writer.field}`,
  ]);
  expect(told.sort()).toEqual([
    ['cold-sharing', 1, 'same-object', 'struct message.number', 'struct message.square'],
    ['cold-sharing', 1, 'same-object', 'struct message.number', 'struct message.square'],
    ['true-sharing', 1, 'same-object', 'struct message.number', 'struct message.number'],
  ]);
  expect(coldSharing).toBe(2);
  // Totals are as without: both are compulsory.
  expect(totals.levels.l1.classes).toMatchObject({ compulsory: 3, 'true-sharing': 1, 'false-sharing': 0 });
});

test('memory that changed its owner before the first reference is recycled', () => {
  const profile = profileDrawing(
    `
    core 0       core 1
    alloc a
    W a.number
    free a
                 alloc a
                 R a.square
    `,
    { types, heap },
  );
  expect(buildSharingView(profile).rows.map(({ class: name, relation }) => [name, relation])).toEqual([
    ['cold-sharing', 'recycled'],
  ]);
});

test('a core that stores first to what another stored is cold sharing too; its own lines are none', () => {
  const profile = profileDrawing(
    `
    core 0       core 1
    alloc a
    alloc b
    W a.number
                 W a.square
                 W b.number
                 R b.number
    `,
    { types, heap },
  );
  const { rows } = buildSharingView(profile);
  expect(rows.map((row) => [row.class, row.missed.field, row.writer.field])).toEqual([
    ['cold-sharing', 'square', 'number'],
  ]);
});

/** Objects 2 and 3 are nodes of threads 0 and 1. Each pair: missed object, stored object, misses. */
function withPairs(pairs: readonly (readonly [missed: number, writer: number, misses: number])[]) {
  const all = (value: number): number[] => pairs.map(() => value);
  const table = {
    count: pairs.length,
    class: Uint8Array.from(all(2)),
    relation: Uint8Array.from(all(1)),
    missSlot: Uint32Array.from(all(0)),
    missObject: Uint32Array.from(pairs, ([missed]) => missed),
    missLeaf: Uint32Array.from(all(0)),
    writeSlot: Uint32Array.from(all(1)),
    writeObject: Uint32Array.from(pairs, ([, writer]) => writer),
    writeLeaf: Uint32Array.from(all(0)),
    misses: Float64Array.from(pairs, ([, , misses]) => misses),
  };
  return buildProfile({ ...handMadeResult(), sharing: table }, catalog, facts);
}

test('pairs that differ in threads alone are one row, with the misses of each pair of threads', () => {
  const view = buildSharingView(
    withPairs([
      [2, 3, 5],
      [3, 2, 7],
      [3, 3, 5],
    ]),
  );
  expect(view.rows).toHaveLength(1);
  const [{ misses, missed, writer, allocatedBy }] = view.rows;
  expect([misses, missed.allocatedBy, writer.allocatedBy]).toEqual([17, null, null]);
  expect(allocatedBy).toEqual([
    { missed: 1, writer: 0, misses: 7 },
    { missed: 0, writer: 1, misses: 5 },
    { missed: 1, writer: 1, misses: 5 },
  ]);
  expect(sharing.table(view, 20).lines.filter((line) => Array.isArray(line))).toEqual([
    ['    missed > stored, by allocating thread: 1 > 0: 7  0 > 1: 5  1 > 1: 5'],
  ]);
});

test('one pair of threads is said with the sides, and by no line of its own', () => {
  const view = buildSharingView(withPairs([[2, 3, 5]]));
  const [{ missed, writer, allocatedBy }] = view.rows;
  expect([missed.allocatedBy, writer.allocatedBy, allocatedBy]).toEqual([0, 1, [{ missed: 0, writer: 1, misses: 5 }]]);
  expect(sharing.table(view, 20).lines.filter((line) => Array.isArray(line))).toEqual([]);
});
