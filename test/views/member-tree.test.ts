// Members of members stand at their offsets in the outermost type, and a path finds them there.

import { expect, test } from 'vitest';
import type { MemberLayout, TypeLayout } from '../../src/profile/layouts.js';
import { findMember, growTree, type MemberNode } from '../../src/views/member-tree.js';

const member = (name: string, type: string, offsetBytes: number, sizeBytes: number, layout?: number): MemberLayout => ({
  name,
  type,
  offsetBytes,
  sizeBytes,
  ...(layout !== undefined && { layout }),
});
const struct = (name: string, sizeBytes: number, ...members: MemberLayout[]): TypeLayout => ({
  name,
  kind: 'struct',
  sizeBytes,
  file: 'main.c',
  line: 1,
  members,
});
const LAYOUTS = [
  struct('struct outer', 24, member('id', 'long', 0, 8), member('middle', 'struct middle', 8, 16, 1)),
  struct('struct middle', 16, member('count', 'long', 0, 8), member('inner', 'struct inner', 8, 8, 2)),
  struct('struct inner', 8, member('first', 'int', 0, 4), member('second', 'int', 4, 4)),
];

test('members of nested structs stand at their offsets in the outermost one', () => {
  const lines = (nodes: readonly MemberNode[]): string[] =>
    nodes.flatMap(({ member: { name }, offsetBytes, depth, children }) => [
      `${depth} ${name} ${offsetBytes}`,
      ...lines(children),
    ]);
  const tree = growTree(LAYOUTS, LAYOUTS[0]);
  expect(lines(tree)).toEqual(['1 id 0', '1 middle 8', '2 count 8', '2 inner 16', '3 first 16', '3 second 20']);
  const found = findMember(tree, 'middle.inner.second');
  expect(found.map((node) => node.offsetBytes)).toEqual([8, 16, 20]);
});
