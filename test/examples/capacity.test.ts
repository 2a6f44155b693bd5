// Stage: test. NODES is 2,048, WALKS is 50; a node is one line (64 bytes, 64-byte aligned).
//   build: one store of key, visits and next per node, and one more of the last node's next.
//   walk: visits++ is a load and a store, then a load of key and one of next: 2,048 x 50 = 102,400 each.
//   L1 misses: each node's first store, and each node's first load in each walk, 2,047 other lines (more than 512)
//   after its last use.
import { expect } from 'vitest';
import { describeExample } from './example-suite.js';

const VISITS = 102_400;

describeExample({
  name: 'capacity',
  references: () => ({
    'struct node': { key: [VISITS, 2048], next: [VISITS, 2049], visits: [VISITS, 2048 + VISITS] },
  }),
  finding: ({ row }) => {
    const { l1, l2 } = row('struct node').levels;
    expect(l1).toMatchObject({
      misses: 2048 + VISITS,
      classes: { compulsory: 2048, 'true-sharing': 0, 'false-sharing': 0, conflict: 0, capacity: VISITS },
    });
    expect(row('struct node', 'key').levels.l1.misses).toBe(2048);
    expect(row('struct node', 'visits').levels.l1.misses).toBe(VISITS);
    expect(l2).toMatchObject({ misses: 2048, classes: { compulsory: 2048, capacity: 0 } });
  },
});
