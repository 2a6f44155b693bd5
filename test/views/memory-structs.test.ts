// Pools in the data profile: which types nobody can count, how rows were named, and the function to describe.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { facts } from '../profile/hand-made-run.js';
import { replayDrawing } from '../drawn/replay-drawing.js';

const drawn = replayDrawing(
  `
  core 0
  R g.left in take
  alloc pool in grow
  W node.left in take
  W edge.low in take
  R @10100 in take
  alloc own in main
  R own.left in main
  alloc page in main
  R head.left in main
  R @31000 in main
  `,
  {
    types: {
      'struct node': { size: 16, fields: { left: [0, 8], right: [8, 8] } },
      'struct edge': { size: 64, fields: { low: [0, 8], high: [32, 8] } },
    },
    globals: { g: ['struct node', 0x4000] },
    heap: {
      pool: { address: 0x10000, size: 65536 },
      own: { address: 0x30000, size: 16, type: 'struct node' },
      page: { address: 0x31000, size: 1001 },
    },
    views: { node: ['struct node', 0x10200], edge: ['struct edge', 0x10300], head: ['struct node', 0x31100] },
  },
);
const profile = buildProfile(drawn.result, drawn.catalog, facts);
const view = buildDataProfile(profile);
const rowOf = (type: string) => view.rows.find((row) => row.type === type);

test('rows say what named them', () => {
  expect(view.rows.map(({ type, namedBy }) => [type, namedBy]).sort()).toEqual([
    ['bytes beside struct node', 'vote'],
    ['pool-65536@grow', 'site'],
    ['struct edge', 'access'],
    ['struct node', 'declared'],
  ]);
  expect(rowOf('struct node')?.namedByReferences).toEqual({ declared: 2, access: 2, vote: 0, site: 0, none: 0 });
});

test('a type that accesses name in a pool has at least the objects that are counted', () => {
  expect(rowOf('struct node')).toMatchObject({ memoryObjects: 1, liveObjects: 3 });
  expect(rowOf('struct edge')).toMatchObject({ memoryObjects: 1, liveObjects: 0 });
  expect(rowOf('pool-65536@grow')).toMatchObject({ memoryObjects: 0, liveObjects: 1 });
  const text = renderText(new Map([['data-profile', view]]), { top: 20, style: chooseStyle({ columns: 200 }, {}) });
  const cellsOf = (type: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(type))
      ?.trim()
      .split(/ {2,}/);
  expect(cellsOf('struct node ')?.slice(13, 15)).toEqual(['da', '3+']);
  expect(cellsOf('struct edge ')?.slice(13, 16)).toEqual(['a', '?', '?']);
  expect(cellsOf('~ bytes ')?.slice(13, 15)).toEqual(['v', '0']);
  expect(text.replace(/\s+/g, ' ')).toContain(
    'Accesses name structs in memory that nobody counts as objects of theirs: what grow allocates (struct edge, ' +
      'struct node). If a function hands out parts of it, describe that, for dprof-cc --allocators=FILE, and they ' +
      'are objects: "- {function: grow, size: N}", N its argument with the size, from 0 on (docs/allocators.md).',
  );
});

test('the structs in pools are stored and added up; an older profile has none', () => {
  const { memoryStructs } = decodeProfile(Buffer.concat([...encodeProfile(profile)]));
  expect(memoryStructs).toEqual(profile.memoryStructs);
  expect([...(memoryStructs?.objects ?? [])]).toEqual([1, 1]);
  const named = [1, 2].map((run) => ({ name: `run ${run}`, profile }));
  expect([...(mergeProfiles(named).memoryStructs?.objects ?? [])]).toEqual([2, 2]);
  const { memoryStructs: _, ...older } = profile;
  expect(buildDataProfile(older)).not.toHaveProperty('memory');
  expect(buildDataProfile(older).rows.every(({ memoryObjects }) => memoryObjects === 0)).toBe(true);
});
