// Shared variables, as drawings; docs/threads.md. A row of a drawing is a source line. Both engines are asked each
// time.

import { describe, expect, it } from 'vitest';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import type { Profile } from '../../src/profile/profile.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import { buildSharedVariables } from '../../src/views/shared-variables.js';
import { profileDrawing } from '../drawn/drawn-profile.js';
import type { DrawnOptions } from '../drawn/replay-drawing.js';

const memory: DrawnOptions = {
  mostSharedCounts: 1000,
  types: { 'struct s': { size: 64, fields: { hits: [0, 8], misses: [8, 8] } } },
  globals: { stats: ['struct s', 0x4000], count: ['', 0x4100, 8] },
  heap: { p: { address: 0x5000, size: 64, type: 'struct s' }, q: { address: 0x5000, size: 64 } },
};

/** "3 stats.hits: 0 x1, 1 x2": source line, variable, and by thread. */
function rowsOf(profile: Profile): string[] {
  return buildSharedVariables(profile)
    .rows.map(({ line, variable, threads, threadcount, totalcount }) => {
      const counts = Object.entries(threads);
      expect([threadcount, totalcount]).toEqual([counts.length, counts.reduce((sum, [, count]) => sum + count, 0)]);
      return `${line} ${variable}: ${counts.map(([thread, count]) => `${thread} x${count}`).join(', ')}`;
    })
    .sort();
}

function addressesOf(profile: Profile): [shared: number, kept: number, uncounted: number, isFull: boolean] {
  const { shared, kept, uncounted, isFull } = buildSharedVariables(profile).addresses;
  return [shared, kept, uncounted, isFull];
}

describe('loads and stores', () => {
  it('are counted apart, and rows of a variable that nobody stores to stand last', () => {
    const profile = profileDrawing(
      `
      core 0          core 1
      R stats.misses  R stats.misses
      R stats.misses  R stats.misses
      R stats.hits    W stats.hits
      R stats.hits    R stats.hits
      `,
      memory,
    );
    expect(
      buildSharedVariables(profile).rows.map((row) => [
        row.line,
        row.variable,
        row.totalcount,
        row.loads,
        row.stores,
        row.isOnlyRead,
      ]),
    ).toEqual([
      [2, 'stats.hits', 2, 1, 1, false],
      [3, 'stats.hits', 2, 2, 0, false],
      [0, 'stats.misses', 2, 2, 0, true],
      [1, 'stats.misses', 2, 2, 0, true],
    ]);
  });

  it('one thread that loads and stores on one line is one thread', () => {
    const globals = { lines: ['', 0x4000, 8] } as const;
    const profile = profileDrawing('core 0    core 1\nW lines   W lines\nR lines   R lines', { ...memory, globals });
    // Both lines of the drawing are one line of the source.
    const line = profile.sharedVariables!.site[0];
    const moved = {
      ...profile,
      sharedVariables: { ...profile.sharedVariables!, site: profile.sharedVariables!.site.map(() => line) },
    };
    const [row, ...others] = buildSharedVariables(moved).rows;
    expect(others).toEqual([]);
    expect([row.threadcount, row.totalcount, row.loads, row.stores, row.threads]).toEqual([2, 4, 2, 2, { 0: 2, 1: 2 }]);
  });
});

describe('which addresses', () => {
  it('those of several threads, the busiest below twice the next; a line counts only accesses to them', () => {
    const profile = profileDrawing(
      `
      core 0          core 1
      W stats.hits
      W stats.hits    W stats.hits
      W stats.misses
                      W stats.misses
      R stats.misses
      R stats.hits    R stats.hits
      W count
      `,
      memory,
    );
    // hits: 3 and 2; misses: 2 and 1, twice as many; count: one thread.
    expect(rowsOf(profile)).toEqual(['0 stats.hits: 0 x1', '1 stats.hits: 0 x1, 1 x1', '5 stats.hits: 0 x1, 1 x1']);
    expect(addressesOf(profile)).toEqual([2, 1, 0, false]);
  });

  it(
    'an address is the first byte of an access, split or not, whatever its size; bytes of one line are not ' +
      'shared for it',
    () => {
      const profile = profileDrawing(
        `
      core 0          core 1
      W @403c:8       W @403c:4
      W @4008:8       W @4010:8
      R @4080:4       R @4084:4
      `,
        memory,
      );
      expect(rowsOf(profile)).toEqual(['0 stats.(padding): 0 x1, 1 x1']);
      expect(addressesOf(profile)).toEqual([1, 1, 0, false]);
    },
  );

  it('each piece of a copy or fill is an access of its line', () => {
    const profile = profileDrawing(
      `
      core 0             core 1
      fill @8000:128
                         copy @9000:128 < @8000:128
      W @8040:8
      `,
      memory,
    );
    expect(rowsOf(profile)).toEqual(['0 (untyped): 0 x1', '1 (untyped): 1 x1']);
    expect(addressesOf(profile)).toEqual([2, 1, 0, false]); // 8040 has two of thread 0 and one of thread 1
  });

  it('threads, not cores: on one core too', () => {
    const drawing = 'core 0          core 1\nW stats.hits    W stats.hits';
    expect(rowsOf(profileDrawing(drawing, { ...memory, machine: { cores: 1, coresPerLlc: 1 } }))).toEqual([
      '0 stats.hits: 0 x1, 1 x1',
    ]);
    expect(rowsOf(profileDrawing('core 0\nW stats.hits\nR stats.hits', memory))).toEqual([]);
  });

  it('a thread on several CPUs is one', () => {
    expect(
      rowsOf(
        profileDrawing(
          'core 0                 core 1\ncpu 3; W stats.hits    cpu 4; W count\ncpu 4; W stats.hits    W count',
          { ...memory, isOnCpus: true },
        ),
      ),
    ).toEqual([]);
  });
});

describe('lives', () => {
  it('what was freed and allocated again is another address', () => {
    const profile = profileDrawing(
      `
      core 0              core 1
      alloc p; W p.hits
      free p
                          alloc p; W p.hits
                          W p.misses
      R p.misses
      `,
      memory,
    );
    expect(rowsOf(profile)).toEqual(['3 struct s.misses: 1 x1', '4 struct s.misses: 0 x1']);
  });

  it('addresses in no object live throughout; what is beside an object is none of it', () => {
    const profile = profileDrawing(
      `
      core 0              core 1
      W @5000
      alloc p; R p.hits
      free p
                          R @5000
      `,
      memory,
    );
    expect(rowsOf(profile)).toEqual(['0 (untyped): 0 x1', '3 (untyped): 1 x1']);
  });

  it('a heap object without a type goes by its site, or by what the access says', () => {
    const drawing =
      'core 0             core 1\nalloc q; W @5000\nW v.misses         W v.misses\n                   R @5000';
    expect(rowsOf(profileDrawing(drawing, { ...memory, views: { v: ['struct s', 0x5000] } }))).toEqual([
      '0 struct s: 0 x1',
      '1 struct s.misses: 0 x1, 1 x1',
      '2 struct s: 1 x1',
    ]);
  });
});

it('a window counts its accesses alone', () => {
  const drawing =
    'core 0          core 1\nW stats.hits    W stats.hits\nW stats.hits    W count\nmark m\nR stats.hits    R ' +
    'stats.hits';
  const window = { from: { kind: 'mark', name: 'm', occurrence: 1 } } as const;
  expect(rowsOf(profileDrawing(drawing, memory))).toEqual([
    '0 stats.hits: 0 x1, 1 x1',
    '1 stats.hits: 0 x1',
    '3 stats.hits: 0 x1, 1 x1',
  ]);
  expect(rowsOf(profileDrawing(drawing, { ...memory, window }))).toEqual(['3 stats.hits: 0 x1, 1 x1']);
});

it('without room for more counts, what can not be counted is left out whole', () => {
  const drawing = `
    core 0          core 1
    W stats.hits    W stats.hits
    R stats.misses  R stats.misses
    R stats.hits    W stats.hits
  `;
  // Lines that one thread refers to take no room.
  const few = profileDrawing(drawing, { ...memory, mostSharedCounts: 3 });
  expect(rowsOf(few)).toEqual([]);
  expect(addressesOf(few)).toEqual([0, 0, 6, true]);
  const enough = profileDrawing(`${drawing}    W count\n`, { ...memory, mostSharedCounts: 6 });
  expect(addressesOf(enough)).toEqual([2, 2, 0, false]);
});

describe('profiles', () => {
  const profile = profileDrawing('core 0          core 1\nW stats.hits    W stats.hits', memory);

  it('keep them in their file', () => {
    expect(decodeProfile(Buffer.concat(encodeProfile(profile)))).toEqual(profile);
  });

  it('that are merged add them up by the numbers of threads', () => {
    const other = profileDrawing(
      'core 0          core 1\nW stats.hits    W stats.hits\n                W stats.hits',
      memory,
    );
    const merged = mergeProfiles([
      { name: 'a', profile },
      { name: 'b', profile: other },
    ]);
    expect(rowsOf(merged)).toEqual(['0 stats.hits: 0 x1, 1 x1']); // 1 x2 of the other is twice 0 x1
    const twice = mergeProfiles([
      { name: 'a', profile },
      { name: 'b', profile },
    ]);
    expect(rowsOf(twice)).toEqual(['0 stats.hits: 0 x2, 1 x2']);
    expect(addressesOf(twice)).toEqual([2, 2, 0, false]);
  });

  it('are merged if both have them', () => {
    const without = profileDrawing('core 0          core 1\nW stats.hits    W stats.hits', {
      ...memory,
      mostSharedCounts: undefined,
    });
    expect(() =>
      mergeProfiles([
        { name: 'a', profile },
        { name: 'b', profile: without },
      ]),
    ).toThrow('a and b cannot be merged: shared variables: they were replayed with and without');
    expect(() => buildSharedVariables(without)).toThrow(
      'shared variables were not collected when this profile was made',
    );
  });
});
