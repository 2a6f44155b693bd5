// Stage: test. The line of a report that says what was simulated.

import { expect, test } from 'vitest';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { describeMachine } from '../../src/report/machine-line.js';

test('a plain machine is its caches', () => {
  expect(describeMachine(resolveMachine({}, 1))).toBe(
    'default, 1 core, L1 32K/8, L2 1M/16, LLC 32M/16, lines of 64 bytes',
  );
  expect(describeMachine(resolveMachine({ machine: 'paper' }, 1))).toBe(
    'paper, 16 cores, L1 64K/2, L2 512K/16, LLC 2M/32 per 4 cores, lines of 64 bytes',
  );
  expect(describeMachine(resolveMachine({ share: 'llc=1' }, 2))).toBe(
    'default, 2 cores, L1 32K/8, L2 1M/16, LLC 32M/16 per 1 core, lines of 64 bytes',
  );
});

test('what a machine has beyond that is named', () => {
  expect(describeMachine(resolveMachine({ machine: 'zen3' }, 4))).toBe(
    'zen3, 4 cores, L1 32K/8, L2 512K/8, LLC 32M/16, lines of 64 bytes, L1 prefetches next-line and stride, L2 ' +
      'inclusive, L2 prefetches next-line and adjacent-line, LLC exclusive, MOESI, TLB 64/64 and 2048/16, pages ' +
      'of 4K',
  );
  expect(
    describeMachine(
      resolveMachine(
        {
          smt: '2',
          sockets: '2',
          policy: 'l1=tree-plru,llc=random',
          tlb: '64/4',
          pages: '2M',
          colouring: 'first-touch',
          seed: '5',
        },
        8,
      ),
    ),
  ).toBe(
    'default, 8 cores, L1 32K/8 per 2 cores, L2 1M/16 per 2 cores, LLC 32M/16 per 4 cores, lines of 64 bytes, ' +
      'L1 tree-plru, LLC random, sockets of 4 cores, TLB 64/4, first-touch colouring, pages of 2M, seed 5',
  );
});

test('what is as in the default machine is not, even where it is said', () => {
  expect(
    describeMachine(
      resolveMachine(
        {
          policy: 'lru',
          inclusion: 'non-inclusive',
          prefetch: 'none',
          protocol: 'mesi',
          pages: '4K',
          colouring: 'virtual',
          sockets: '1',
          seed: '5',
        },
        1,
      ),
    ),
  ).toBe('default, 1 core, L1 32K/8, L2 1M/16, LLC 32M/16, lines of 64 bytes');
});
