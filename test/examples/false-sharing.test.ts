// Stage: test. EVENTS is 50,000; `counters.left++` on a volatile is one load and one store, at every optimisation
// level.
//   count_left:  50,000 loads and stores of left.  count_right: the same of right.
//   main: pthread_join(left), pthread_join(right): one load of each variable; printf: one load of each counter.
import { expect } from 'vitest';
import { describeExample } from './example-suite.js';

const EVENTS = 50_000;

describeExample({
  name: 'false-sharing',
  references: () => ({
    'struct counters': { left: [EVENTS + 1, EVENTS], right: [EVENTS + 1, EVENTS] },
    pthread_t: { left: [1, 0], right: [1, 0] },
  }),
  finding: ({ row, sharing }) => {
    const { misses, classes } = row('struct counters').levels.l1;
    // Two threads and main see the line for the first time; main may then find it changed since (it never looked
    // before).
    expect(classes).toMatchObject({ compulsory: 3, 'true-sharing': 0, conflict: 0, capacity: 0 });
    expect(classes['false-sharing']).toBe(misses - 3);
    expect(classes['false-sharing']).toBeGreaterThan(1000);
    const pairs = sharing.rows.filter(
      (pair) => pair.missed.type === 'struct counters' && pair.class === 'false-sharing',
    );
    const sides = (pair: Record<string, any>) => [
      pair.class,
      pair.relation,
      pair.missed.field,
      pair.missed.function,
      pair.writer.field,
      pair.writer.function,
    ];
    expect(pairs.map(sides)).toContainEqual([
      'false-sharing',
      'same-object',
      'left',
      'count_left',
      'right',
      'count_right',
    ]);
    expect(pairs.map(sides)).toContainEqual([
      'false-sharing',
      'same-object',
      'right',
      'count_right',
      'left',
      'count_left',
    ]);
    for (const pair of pairs) {
      const line = { left: 16, right: 22 } as Record<string, number>;
      expect(pair.missed.site).toBe(`examples/false-sharing/false-sharing.c:${line[pair.missed.field]}`);
      expect(pair.writer.site).toBe(`examples/false-sharing/false-sharing.c:${line[pair.writer.field]}`);
    }
    expect(pairs.reduce((sum, pair) => sum + pair.misses, 0)).toBe(classes['false-sharing']);
  },
});
