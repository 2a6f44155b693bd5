// Stage: test. STEPS is 5,000, ROWS is 16: `heat += step` is one load and one store, 16 x 5,000 = 80,000 times; printf
// loads one heat.
//   Each of the 16 lines is missed on every step, since 16 lines go round in 8 ways; the first time it is compulsory.
//   The store always hits, and so does printf's load of the cell that was warmed last.
import { expect } from 'vitest';
import { describeExample } from './example-suite.js';

describeExample({
  name: 'conflict',
  references: () => ({ 'struct cell': { heat: [80_001, 80_000] } }),
  finding: ({ row, classification }) => {
    const { l1, l2, llc } = row('struct cell', 'heat').levels;
    expect(l1).toMatchObject({
      misses: 80_000,
      classes: { compulsory: 16, 'true-sharing': 0, 'false-sharing': 0, conflict: 79_984, capacity: 0 },
    });
    // An L2 of 1,024 sets spreads rows 64 lines apart over 16 of them.
    expect(l2).toMatchObject({ misses: 16, classes: { compulsory: 16 } });
    expect(llc).toMatchObject({ misses: 16, classes: { compulsory: 16 } });
    expect(classification.totals.levels.l2.hits).toBe(79_984);
  },
});
