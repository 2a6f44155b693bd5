// Locks, as drawings; docs/threads.md. Rows are time: a row is one instruction of each thread, unless a thread waits.
// Both engines are asked each time.

import { describe, expect, it } from 'vitest';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import { listBrokenInvariants } from '../profile/profile-invariants.js';
import type { Profile } from '../../src/profile/profile.js';
import { decodeProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import { buildLocks } from '../../src/views/locks.js';
import { profileDrawing } from '../drawn/drawn-profile.js';
import type { DrawnOptions } from '../drawn/replay-drawing.js';

const memory: DrawnOptions = {
  types: { 'struct s': { size: 64, fields: { count: [0, 8], lock: [8, 8], other: [16, 8] } } },
  globals: { stats: ['struct s', 0x4000], table: ['struct s', 0x4100] },
  heap: { p: { address: 0x5000, size: 64, type: 'struct s' }, q: { address: 0x6000, size: 64 } },
  functions: { outer: {}, inner: {} },
};

/** "stats.lock mutex: 2 acquired, 1 waited 3 (3), 2 held 5 (4)" with the longest in brackets. */
function rowsOf(profile: Profile): string[] {
  expect(listBrokenInvariants(profile)).toEqual([]);
  return buildLocks(profile)
    .rows.map((row) => {
      const wait =
        row.waits === 0 ? '' : `, ${row.waits} waited ${row.waitInstructions} (${row.longestWaitInstructions})`;
      const hold =
        row.holds === 0 ? '' : `, ${row.holds} held ${row.holdInstructions} (${row.longestHoldInstructions})`;
      const more =
        `${row.locks === 1 ? '' : ` (${row.locks} locks)`}` +
        `${row.unreleased === 0 ? '' : `, ${row.unreleased} unreleased`}`;
      return `${row.lock} ${row.kind}: ${row.acquisitions} acquired${wait}${hold}${more}`;
    })
    .sort();
}

/** "stats.lock: struct s 3 references, 1 miss": what holders touched. */
function dataOf(profile: Profile): string[] {
  return buildLocks(profile)
    .rows.flatMap(({ lock, data }) =>
      data.map(
        ({ type, references, l1Misses, trueSharing, falseSharing }) =>
          `${lock}: ${type} ${references}/${l1Misses}/${trueSharing}/${falseSharing}`,
      ),
    )
    .sort();
}

describe('waiting and holding', () => {
  it('a hold goes from acquisition to release, a wait is how far the acquisition raises the clock', () => {
    const profile = profileDrawing(
      `
      core 0                core 1
      lock stats.lock
      W stats.count         W table.count
      W stats.count         lock stats.lock
      unlock stats.lock
                            W stats.count
                            unlock stats.lock
      W table.other         W table.count
      `,
      { ...memory, stamp: (row, core) => 1000 + 500 * core + 10 * row }, // it gets the lock behind the release of row 3
    );
    // Thread 1 comes at 2 and waits for the release at 3; it holds from 3 on, for two rows without a reference and one
    // with.
    expect(rowsOf(profile)).toEqual(['stats.lock mutex: 2 acquired, 1 waited 1 (1), 2 held 6 (3)']);
    expect(buildLocks(profile).rows[0].threads).toEqual({ 0: 1, 1: 1 });
    expect(dataOf(profile)).toEqual(['stats.lock: struct s 3/2/0/0']);
  });

  it('in the recorded schedule nobody waits', () => {
    const drawing =
      'core 0                         core 1\nlock m; W stats.count; unlock m\n                               ' +
      'lock m; W stats.count; unlock m';
    expect(rowsOf(profileDrawing(drawing, { ...memory, schedule: 'recorded' }))).toEqual([
      '(no object) mutex: 2 acquired, 2 held 3 (2)',
    ]);
  });

  it('who acquires again holds on until all are released', () => {
    const profile = profileDrawing(
      `
      core 0            core 1
      lock @4008        W table.count
      work
      lock @4008
      work
      unlock @4008
      work
      unlock @4008
      `,
      memory,
    );
    expect(rowsOf(profile)).toEqual(['stats.lock mutex: 2 acquired, 1 held 6 (6)']);
  });

  it('a release by another thread ends no hold; what is held at the end is unreleased', () => {
    const profile = profileDrawing(
      'core 0            core 1\nlock stats.lock\n                  unlock stats.lock\nW stats.count     W table.count',
      memory,
    );
    expect(rowsOf(profile)).toEqual(['stats.lock mutex: 1 acquired, 1 unreleased']);
    expect(dataOf(profile)).toEqual(['stats.lock: struct s 1/1/0/0']);
  });

  it('readers of an rwlock hold it side by side', () => {
    const drawing =
      'core 0                       core 1\nacquire rwlock stats.lock    acquire rwlock stats.lock' +
      '\nR stats.count                R stats.count\nrelease rwlock stats.lock    release rwlock stats.lock';
    expect(rowsOf(profileDrawing(drawing, memory))).toEqual(['stats.lock rwlock: 2 acquired, 2 held 4 (2)']);
  });

  it('a semaphore is held from the last wait to the post of the same thread; nothing counts as touched', () => {
    const profile = profileDrawing(
      `
      core 0                          core 1
      acquire semaphore stats.lock    work
      W stats.count                   work
      acquire semaphore stats.lock    work
      W stats.count                   work
      W stats.count                   work
      release semaphore stats.lock    work
      W stats.count                   work
      release semaphore stats.lock    W table.count
      `,
      memory,
    );
    // The second wait begins the hold anew, over three rows; the second post ends none.
    expect(rowsOf(profile)).toEqual(['stats.lock semaphore: 2 acquired, 1 held 3 (3)']);
    expect(dataOf(profile)).toEqual([]);
  });

  it('a semaphore that another thread posts is acquired and waited for, and held by nobody', () => {
    const drawing =
      'core 0                         core 1\n                               acquire semaphore ' +
      'stats.lock\nwork                           W stats.count\nrelease semaphore stats.lock';
    const profile = profileDrawing(drawing, {
      ...memory,
      stamp: (row, core) => 1000 + (core === 1 ? 900 : 0) + row * 10,
    });
    expect(rowsOf(profile)).toEqual(['stats.lock semaphore: 1 acquired, 1 waited 2 (2)']);
    expect(dataOf(profile)).toEqual([]);
  });

  it('a condition, a barrier and an atomic are no locks; one thread has nobody to wait for', () => {
    expect(
      rowsOf(
        profileDrawing(
          'core 0               core 1\nacquire condition c  acquire barrier b\nA stats.count        A stats.count',
          memory,
        ),
      ),
    ).toEqual([]);
    expect(rowsOf(profileDrawing('core 0\nlock m; W stats.count; unlock m', memory))).toEqual([]);
  });
});

describe('names', () => {
  it('locks of one name are one row; memory that is allocated again has a lock of its own', () => {
    const profile = profileDrawing(
      `
      core 0                              core 1
      alloc p; lock p.lock; unlock p.lock
      lock p.lock; unlock p.lock; free p
      alloc p; lock p.lock; unlock p.lock    
                                          lock stats.lock; unlock stats.lock
                                          lock table.lock; unlock table.lock
      `,
      memory,
    );
    expect(rowsOf(profile)).toEqual([
      'stats.lock mutex: 1 acquired, 1 held 0 (0)',
      'struct s.lock mutex: 3 acquired, 3 held 0 (0) (2 locks)',
      'table.lock mutex: 1 acquired, 1 held 0 (0)',
    ]);
  });

  it('a lock in an object without a type is called by the site, one in no object by nothing', () => {
    const drawing = 'core 0                       core 1\nalloc q; lock q; unlock q    lock @9000; unlock @9000';
    expect(rowsOf(profileDrawing(drawing, memory))).toEqual([
      '(no object) mutex: 1 acquired, 1 held 0 (0)',
      'heap-64@(unknown) mutex: 1 acquired, 1 held 0 (0)',
    ]);
  });

  it('functions are those that the thread is in, innermost first', () => {
    const profile = profileDrawing(
      `
      core 0                           core 1
      enter outer; lock m; unlock m    W stats.count
      enter inner; lock m; unlock m
      leave inner; lock m; unlock m
      `,
      memory,
    );
    expect(buildLocks(profile).rows[0].functions).toEqual([
      { function: 'outer', path: ['outer'], acquisitions: 2 },
      { function: 'inner', path: ['inner', 'outer'], acquisitions: 1 },
    ]);
  });
});

describe('what is touched', () => {
  it('counts for the lock that was acquired last and is still held', () => {
    const profile = profileDrawing(
      `
      core 0              core 1
      lock @4008          W table.count
      W stats.count
      lock @4108
      W stats.count
      unlock @4008
      R stats.count
      unlock @4108
      R stats.count
      `,
      memory,
    );
    expect(dataOf(profile)).toEqual(['stats.lock: struct s 1/1/0/0', 'table.lock: struct s 2/0/0/0']);
  });

  it('each reference of a split access, with the class of its miss', () => {
    const profile = profileDrawing(
      `
      core 0              core 1
      R @403c:8
                          W @4040:8
      lock m
      R @403c:8
      R stats.other
      unlock m            W stats.count
      lock m
      R stats.other
      `,
      { ...memory, globals: { stats: ['struct s', 0x4000], after: ['', 0x4040, 8] } },
    );
    // The first byte of each piece says what it is to: stats, then what is behind it. In the end a word of stats beside
    // the one stored.
    expect(dataOf(profile)).toEqual(['(no object): (untyped) 1/1/1/0', '(no object): struct s 3/1/0/1']);
  });
});

it('a window counts what happens in it; who holds what comes from before', () => {
  const drawing = `
    core 0              core 1
    lock @4008          W table.count
    W stats.count
    mark m
    W stats.count
    unlock @4008
    lock @4108
  `;
  const window = { from: { kind: 'mark', name: 'm', occurrence: 1 } } as const;
  const profile = profileDrawing(drawing, { ...memory, window });
  expect(rowsOf(profile)).toEqual([
    'stats.lock mutex: 0 acquired, 1 held 4 (4) (0 locks)',
    'table.lock mutex: 1 acquired, 1 unreleased',
  ]);
  expect(dataOf(profile)).toEqual(['stats.lock: struct s 1/0/0/0']);
});

it('threads are threads wherever they run', () => {
  const drawing =
    'core 0                          core 1\ncpu 3; lock m; W stats.count    cpu 4; W table.count\ncpu 4; ' +
    'unlock m                 W table.count';
  expect(rowsOf(profileDrawing(drawing, { ...memory, isOnCpus: true }))).toEqual([
    '(no object) mutex: 1 acquired, 1 held 1 (1)',
  ]);
});

it('profiles keep them, and merged ones add them up', () => {
  const profile = profileDrawing(
    'core 0                                               core 1\nlock stats.lock; W stats.count; unlock ' +
      'stats.lock    W table.count',
    memory,
  );
  expect(decodeProfile(Buffer.concat(encodeProfile(profile)))).toEqual(profile);
  const merged = mergeProfiles([
    { name: 'a', profile },
    { name: 'b', profile },
  ]);
  expect(rowsOf(merged)).toEqual(['stats.lock mutex: 2 acquired, 2 held 2 (1) (2 locks)']);
  expect(dataOf(merged)).toEqual(['stats.lock: struct s 2/2/0/0']);
  expect(decodeProfile(Buffer.concat(encodeProfile(merged)))).toEqual(merged);
  const { locks: _, lockThreads: _threads, lockCallers: _callers, lockData: _data, ...before } = profile;
  expect(() => buildLocks(before)).toThrow('this profile says nothing of locks: an older dprof made it');
  expect(() =>
    mergeProfiles([
      { name: 'a', profile },
      { name: 'b', profile: before },
    ]),
  ).toThrow('a and b cannot be merged: locks: they were replayed by a dprof with and without');
});
