// Stage: test. 512 keys in 128 buckets, four each; two threads add to every key in 20 sweeps: 20,480 times in all.
//   insert, 512 times: load the bucket, store next, key and value of the new entry, store the bucket.
//   add: load the bucket; of the entries up to the one looked for, load each key, and next of all but that one. Entries
//   go in at the front, so
//   over the four of a bucket that is 1 + 2 + 3 + 4 keys and 0 + 1 + 2 + 3 nexts per sweep; load and store value; load
//   and store updates.
//   clear: the bucket is loaded five times (four entries and the end), stored four; value and next of each entry
//   loaded.
//   main: pthread_join(first), pthread_join(second).
import { expect } from 'vitest';
import { describeExample, leadingClass } from './example-suite.js';
import { report } from './example-program.js';

const KEYS = 512;
const BUCKETS = 128;
const SWEEPS = 2 * 20;

describeExample({
  name: 'striped-table',
  references: () => ({
    'cache::Entry': {
      next: [SWEEPS * BUCKETS * 6 + KEYS, KEYS],
      key: [SWEEPS * BUCKETS * 10, KEYS],
      value: [SWEEPS * KEYS + KEYS, KEYS + SWEEPS * KEYS],
    },
    'cache::Table': {
      'stripes[].buckets[]': [KEYS + SWEEPS * KEYS + BUCKETS * 5, KEYS + KEYS],
      'stripes[].updates': [SWEEPS * KEYS, SWEEPS * KEYS],
    },
    pthread_t: { first: [1, 0], second: [1, 0] },
  }),
  finding: ({ row, trace }) => {
    for (const type of ['cache::Entry', 'cache::Table']) {
      const profile = report(trace, 'data-profile').rows.find((candidate) => candidate.type === type) as Record<
        string,
        any
      >;
      expect(profile).toMatchObject({ bounce: true, writeShared: true });
      // Which thread has a stripe first is up to its recorded lock: the line moves every time, or the row says who
      // decided that.
      const shared = ['true-sharing', 'false-sharing'].includes(leadingClass(row(type).levels.l1.classes));
      expect(shared || profile.orderBound).toBe(true);
    }
  },
});
