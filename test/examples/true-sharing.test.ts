// Stage: test. REQUESTS is 50,000: each of two threads makes 50,000 atomic updates of requests (one store each, as an
// atomic counts).
//   main: pthread_join(first), pthread_join(second): one load of each; one atomic load of requests; one load of limit.
import { expect } from 'vitest';
import { describeExample, leadingClass } from './example-suite.js';

describeExample({
  name: 'true-sharing',
  references: () => ({
    'struct statistics': { requests: [1, 100_000], limit: [1, 0] },
    pthread_t: { first: [1, 0], second: [1, 0] },
  }),
  finding: ({ row, sharing }) => {
    const { misses, classes } = row('struct statistics').levels.l1;
    expect(leadingClass(classes)).toBe('true-sharing');
    // Both threads add to the same eight bytes; main's one look at them is its first.
    expect(classes).toMatchObject({ compulsory: 3, 'false-sharing': 0, conflict: 0, capacity: 0 });
    expect(classes['true-sharing']).toBe(misses - 3);
    // The threads run side by side, so that nearly every update follows one of the other thread.
    expect(classes['true-sharing']).toBeGreaterThan(90_000);
    expect(sharing.rows[0]).toMatchObject({
      class: 'true-sharing',
      relation: 'same-object',
      missed: {
        type: 'struct statistics',
        field: 'requests',
        function: 'serve',
        site: 'examples/true-sharing/true-sharing.c:17',
      },
      writer: {
        type: 'struct statistics',
        field: 'requests',
        function: 'serve',
        site: 'examples/true-sharing/true-sharing.c:17',
      },
    });
  },
});
