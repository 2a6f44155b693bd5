// Padding changes the size of memory without a type, and of types: they are one row all the same, with the size before.

import { expect, test } from 'vitest';
import { buildDiff, type Diff } from '../../src/diff/diff.js';
import { pairResizedSites } from '../../src/diff/resized-sites.js';
import { renderDiff } from '../../src/report/diff-text.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { profileDrawing } from '../drawn/drawn-profile.js';
import type { DrawnOptions } from '../drawn/replay-drawing.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';

const compare = (before: DrawnOptions, after: DrawnOptions, text: string, second = text): Diff =>
  buildDiff(
    { name: 'a', profile: profileDrawing(text, before) },
    { name: 'b', profile: profileDrawing(second, after) },
  );

const told = (diff: Diff): string =>
  renderDiff(diff, { top: 20, style: chooseStyle({ columns: 200 }, {}) }).replace(/ +/g, ' ');

test('an untyped allocation that was padded is one row, with its size before', () => {
  const before = buildProfile(handMadeResult(), catalog, facts);
  const strings = before.strings.map((text) => text.replace('heap-48@make', 'heap-128@make'));
  const diff = buildDiff({ name: 'a', profile: before }, { name: 'b', profile: { ...before, strings } });
  const rows = diff.rows.filter(({ type }) => type.endsWith('@make'));
  expect(rows.map(({ type, typeBefore, presence, sizeBytes }) => [type, typeBefore, presence, sizeBytes])).toEqual([
    ['heap-128@make', 'heap-48@make', 'both', { before: 48, after: 128, change: 80 }],
  ]);
  expect(rows[0].references).toEqual({ before: 15, after: 15, change: 0 });
});

test('sizes of one function are paired by rank if as many went as came; a size that both have stays', () => {
  const pairs = (before: string[], after: string[]): [string, string][] => [...pairResizedSites(before, after)];
  expect(pairs(['heap-16@f', 'heap-32@f', 'heap-8@g'], ['heap-32@f', 'heap-48@f', 'heap-8@g'])).toEqual([
    ['heap-16@f', 'heap-48@f'],
  ]);
  expect(pairs(['heap-100@f', 'heap-24@f'], ['heap-128@f', 'heap-64@f'])).toEqual([
    ['heap-24@f', 'heap-64@f'],
    ['heap-100@f', 'heap-128@f'],
  ]);
  expect(pairs(['heap-16@f', 'heap-24@f'], ['heap-32@f'])).toEqual([]);
  expect(pairs(['heap-16@f'], ['pool-16@f', 'heap-16@g'])).toEqual([]);
  expect(pairs(['heap-16@(unknown)'], ['heap-32@(unknown)'])).toEqual([]);
});

test('a type that gained a field is one row; its fields are paired by name, and the new one appeared', () => {
  const own = { x: [0, 8], y: [8, 8] } as const;
  const options = (size: number, fields: Record<string, readonly [number, number]>): DrawnOptions => ({
    types: { 'struct a': { size, fields } },
    globals: { a: ['struct a', 0x4000] },
  });
  const diff = compare(
    options(16, own),
    options(128, { ...own, z: [64, 8] }),
    'core 0\nR a.x\nR a.y',
    'core 0\nR a.x\nR a.y\nR a.z',
  );
  expect(diff.rows.map(({ type, field, presence }) => [type, field, presence])).toEqual([
    ['struct a', null, 'both'],
    ['struct a', 'z', 'appeared'],
    ['struct a', 'x', 'both'],
    ['struct a', 'y', 'both'],
  ]);
  expect(diff.rows[0].sizeBytes).toEqual({ before: 16, after: 128, change: 112 });
  const text = told(diff);
  expect(text).toContain('\nstruct a (was 16 B) ');
  expect(text).toContain(' presence\n');
  // What has not changed, and what neither run has, is in JSON alone.
  expect(text).not.toContain('\n y ');
  expect(text).not.toContain('\ninvalidations ');
});
