// Stage: test. Layouts in a profile: which types, in which order, merged, in files of before and after, and damaged.

import { expect, test } from 'vitest';
import { checkLayouts, mergeLayouts, type TypeLayout } from '../../src/profile/layouts.js';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import { annotateType } from '../../src/views/annotated-type.js';
import { catalog as bare, facts, handMadeResult } from './hand-made-run.js';

/** Without new names. */
const merge = (all: readonly (readonly TypeLayout[] | undefined)[]): readonly TypeLayout[] | undefined =>
  mergeLayouts(
    all,
    all.map(() => ({ type: (name: string) => name, file: (spelling: string) => spelling })),
  );

/**
 * struct args { int sx; int sy : 3; } and the two struct node, one with an array of the other; long[] is never a member
 * of anything.
 */
const catalog = {
  ...bare,
  types: {
    ...bare.types,
    firstMember: Uint32Array.of(0, 0, 0, 2, 0, 4),
    memberCount: Uint32Array.of(0, 0, 2, 2, 0, 1),
  },
  members: {
    count: 5,
    name: ['sx', 'sy', 'key', 'next', 'pair'],
    type: Uint32Array.of(1, 1, 4, 1, 2),
    offsetBytes: Float64Array.of(0, 4, 0, 8, 16),
    flags: Uint32Array.of(0, 2, 0, 0, 0),
    bits: Uint32Array.of(0, (5 << 16) | 3, 0, 0, 0),
  },
};
const profile = buildProfile(handMadeResult(), catalog, facts);
const file = Buffer.concat(encodeProfile(profile));

const args: TypeLayout = {
  name: 'struct args',
  kind: 'struct',
  sizeBytes: 8,
  file: '',
  line: 0,
  members: [
    { name: 'sx', type: 'int', offsetBytes: 0, sizeBytes: 4 },
    { name: 'sy', type: 'int', offsetBytes: 4, sizeBytes: 4, isBitField: true, firstBit: 5, bits: 3 },
  ],
};
const small: TypeLayout = {
  name: 'struct node',
  kind: 'struct',
  sizeBytes: 16,
  file: '',
  line: 0,
  members: [
    { name: 'key', type: 'int', offsetBytes: 0, sizeBytes: 64, elements: 16 },
    { name: 'next', type: 'int', offsetBytes: 8, sizeBytes: 4 },
  ],
};
const large: TypeLayout = {
  ...small,
  sizeBytes: 24,
  members: [{ name: 'pair', type: 'struct args', offsetBytes: 16, sizeBytes: 8, layout: 0 }],
};

test('types that the tables name, by name and size, nested ones by row', () => {
  expect(profile.layouts).toEqual([args, small, large]);
});

test('they are read back', () => {
  expect(decodeProfile(file)).toEqual(profile);
});

test('a profile without them is read back without them, with everything else', () => {
  const { layouts: _, ...without } = profile;
  expect(decodeProfile(Buffer.concat(encodeProfile(without)))).toEqual(without);
});

test('merged: each type once, whichever profile comes first; of those with none what the others have', () => {
  const other: readonly TypeLayout[] = [
    { ...large, name: 'struct a', members: [{ ...large.members[0], layout: 1 }] },
    args,
  ];
  const merged = merge([profile.layouts, other])!;
  expect(merged.map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([
    ['struct a', 24],
    ['struct args', 8],
    ['struct node', 16],
    ['struct node', 24],
  ]);
  expect(merged.map(({ members }) => members.map(({ layout }) => layout))).toEqual([
    [1],
    [undefined, undefined],
    [undefined, undefined],
    [1],
  ]);
  expect(merge([other, undefined, profile.layouts])).toEqual(merged);
  expect(merge([undefined, undefined])).toBeUndefined();
  expect(
    mergeProfiles([
      { name: 'a', profile },
      { name: 'b', profile },
    ]).layouts,
  ).toEqual(profile.layouts);
});

test.each([
  ['no list', {}],
  ['no type', [null]],
  ['another kind', [{ ...args, kind: 'enum' }]],
  ['a member of nothing', [{ ...args, members: [{}] }]],
  ['a row that is not there', [{ ...args, members: [{ ...args.members[0], layout: 1 }] }]],
  ['half a byte', [{ ...args, members: [{ ...args.members[0], offsetBytes: 0.5 }] }]],
])('%s is refused', (_, layouts) => {
  expect(() => checkLayouts(layouts)).toThrow(
    'layouts of the profile at offset 32: expected types with name, kind, size, place and members, found ' +
      'something else',
  );
  expect(() => decodeProfile(Buffer.concat(encodeProfile({ ...profile, layouts: layouts as TypeLayout[] })))).toThrow(
    'layouts of the profile',
  );
});

test('of more members than a reader takes: what nested types consist of is left out, and said to be', () => {
  const scalar = { type: 'int', offsetBytes: 0, sizeBytes: 4 };
  const wide: TypeLayout = {
    ...args,
    name: 'struct a',
    members: Array.from({ length: 4096 }, (_, at) => ({ ...scalar, name: `m${at}` })),
  };
  const around = Array.from(
    { length: 300 },
    (_, number): TypeLayout => ({
      ...args,
      name: `struct b${String(number).padStart(3, '0')}`,
      members: [{ name: 'wide', type: 'struct a', offsetBytes: 0, sizeBytes: 8, layout: 0 }],
    }),
  );
  expect(() => checkLayouts([wide, ...around])).toThrow(
    'expected at most 1048576 members, those of nested types with each, found 1232896',
  );
  const told = merge([[wide, ...around]])!;
  expect(() => checkLayouts(told)).not.toThrow();
  // (1048576 - 4096 - 300) / 4095 of them have room for theirs.
  expect(told.map(({ isFlat = false, members }) => [isFlat, members[0].layout])).toEqual([
    [false, undefined],
    ...around.map((_, number) => (number < 254 ? [false, 0] : [true, undefined])),
  ]);
  expect(annotateType({ ...profile, layouts: told }, 'struct b299').layouts).toMatchObject([
    { isFlat: true, members: 1 },
  ]);
  expect(decodeProfile(Buffer.concat(encodeProfile({ ...profile, layouts: told }))).layouts).toEqual(told);
  // If the members of all types are too many, the last types go.
  const many = Array.from(
    { length: 300 },
    (_, number): TypeLayout => ({ ...wide, name: `struct c${String(number).padStart(3, '0')}` }),
  );
  expect(merge([many])).toEqual(many.slice(0, 256));
});

test('a layout that holds itself ends', () => {
  const self = {
    ...args,
    members: Array.from({ length: 3 }, (_, at) => ({ ...args.members[0], name: `m${at}`, layout: 0 })),
  };
  // 300 of them, each told as far as types are, would take for ever.
  const many = Array.from(
    { length: 300 },
    (_, layout): TypeLayout => ({
      ...self,
      members: self.members.map((member) => ({ ...member, layout: (layout + 1) % 300 })),
    }),
  );
  expect(() => checkLayouts(many)).toThrow(
    'layouts of the profile at offset 32: expected at most 1048576 members, those of nested types with each, ' +
      'found 1228800',
  );
  expect(annotateType({ ...profile, layouts: [self] }, 'struct args').rows.length).toBeLessThan(200_000);
});
