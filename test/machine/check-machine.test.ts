// Stage: test. What makes no sense is refused, naming the field; what is odd but possible is not. And which machines
// are plain.

import { expect, test } from 'vitest';
import { checkMachine } from '../../src/machine/check-machine.js';
import { DEFAULT_MACHINE } from '../../src/machine/machine-description.js';
import { isPlainMachine } from '../../src/contract/complete-machine.js';
import type { Machine } from '../../src/contract/machine.js';
import { refusalOf } from './refusal.js';

const PLAIN: Machine = { ...DEFAULT_MACHINE, cores: 8, coresPerLlc: 8 };
const { l1, l2, llc } = PLAIN;

test.each<[what: string, change: Partial<Machine>, message: string]>([
  [
    'tree-plru of 12 ways',
    { l1: { ...l1, sizeBytes: 48 << 10, ways: 12, policy: 'tree-plru' } },
    'l1.policy: tree-plru needs a power of two of ways, not 12',
  ],
  [
    'an inclusive L1',
    { l1: { ...l1, inclusion: 'inclusive' } },
    'l1.inclusion: inclusive of what? No level is above the L1',
  ],
  [
    'an exclusive L1',
    { l1: { ...l1, inclusion: 'exclusive' } },
    'l1.inclusion: exclusive of what? No level is above the L1',
  ],
  [
    'an inclusive L2 smaller than the L1',
    { l2: { ...l2, sizeBytes: 16 << 10, inclusion: 'inclusive' } },
    'l2.inclusion: 16K can not hold all of an l1 of 32K',
  ],
  [
    'an inclusive LLC smaller than the L2',
    { llc: { ...llc, sizeBytes: 512 << 10, inclusion: 'inclusive' } },
    'llc.inclusion: 512K can not hold all of an l2 of 1M',
  ],
  [
    'a prefetcher of the LLC',
    { llc: { ...llc, prefetchers: ['stride'] } },
    'llc.prefetchers: prefetchers are simulated at the L1 and the L2',
  ],
  [
    'a prefetcher twice',
    { l2: { ...l2, prefetchers: ['stride', 'stride'] } },
    'l2.prefetchers: stride, stride says one twice',
  ],
  [
    'more lines than 2^28',
    { llc: { ...llc, sizeBytes: 2 ** 35 } },
    'llc: 32G are 536870912 lines of 64 bytes, more than 268435456',
  ],
  [
    'L1s that straddle L2s',
    { coresPerL1: 2, coresPerL2: 3 },
    'coresPerL2: 3 cores are not a multiple of coresPerL1, 2',
  ],
  [
    'L2s that straddle LLCs',
    { coresPerL2: 4, coresPerLlc: 6 },
    'coresPerLlc: 6 cores are not a multiple of coresPerL2, 4',
  ],
  [
    'LLCs that straddle sockets',
    { coresPerLlc: 4, coresPerSocket: 6 },
    'coresPerSocket: 6 cores are not a multiple of coresPerLlc, 4',
  ],
  ['one LLC on two sockets', { coresPerSocket: 4 }, 'coresPerSocket: 4 cores are not a multiple of coresPerLlc, 8'],
  [
    'siblings across LLCs, with no word on L2s',
    { coresPerL1: 4, coresPerLlc: 6 },
    'coresPerLlc: 6 cores are not a multiple of coresPerL2, 4',
  ],
  ['no core on a socket', { coresPerSocket: 0 }, 'coresPerSocket: 0 is not a positive whole number'],
  ['half a core per L1', { coresPerL1: 0.5 }, 'coresPerL1: 0.5 is not a positive whole number'],
  [
    'TLB entries that are not whole sets',
    { tlb: { l1: { entries: 64, ways: 5 }, l2LatencyCycles: 7, walkLatencyCycles: 30 } },
    'tlb.l1: 64 entries are not a multiple of 5 ways',
  ],
  [
    'second-level entries that are not whole sets',
    { tlb: { l1: { entries: 64, ways: 4 }, l2: { entries: 10, ways: 16 }, l2LatencyCycles: 7, walkLatencyCycles: 30 } },
    'tlb.l2: 10 entries are not a multiple of 16 ways',
  ],
  [
    'a TLB without end',
    { tlb: { l1: { entries: 1 << 21, ways: 4 }, l2LatencyCycles: 7, walkLatencyCycles: 30 } },
    'tlb.l1: 2097152 entries are more than 1048576',
  ],
  ['pages of 1 GiB', { pageBytes: 2 ** 30 }, 'pageBytes: 1073741824 is neither 4096 nor 2097152'],
  ['a seed of 33 bits', { seed: 2 ** 32 }, 'seed: 4294967296 is not a whole number from 0 to 4294967295'],
])('%s is refused', (_, change, message) => {
  expect(refusalOf(() => checkMachine({ ...PLAIN, ...change }))[0]).toBe(message);
});

test.each<[what: string, change: Partial<Machine>]>([
  ['tree-plru of one way', { l1: { ...l1, ways: 1, policy: 'tree-plru' } }],
  ['bit-plru of 12 ways', { l1: { ...l1, sizeBytes: 48 << 10, ways: 12, policy: 'bit-plru' } }],
  ['a fully associative L1', { l1: { ...l1, ways: 512 } }],
  ['an LLC of 2^28 lines', { llc: { ...llc, sizeBytes: 2 ** 34 } }],
  ['57,344 sets', { llc: { ...llc, sizeBytes: 39424 << 10, ways: 11 } }],
  ['a last LLC with fewer cores', { coresPerLlc: 3 }],
  ['a single LLC for more cores than there are, whatever L2s share', { coresPerL2: 3, coresPerLlc: 64 }],
  ['an exclusive LLC smaller than the L2', { llc: { ...llc, sizeBytes: 512 << 10, inclusion: 'exclusive' } }],
  ['an inclusive LLC as large as the L2', { llc: { ...llc, sizeBytes: 1 << 20, inclusion: 'inclusive' } }],
  ['an L1 that says non-inclusive', { l1: { ...l1, inclusion: 'non-inclusive' } }],
  ['seed 0', { seed: 0 }],
])('%s is possible', (_, change) => {
  expect(checkMachine({ ...PLAIN, ...change })).toEqual({ ...PLAIN, ...change });
});

const TLB = { l1: { entries: 64, ways: 4 }, l2LatencyCycles: 7, walkLatencyCycles: 30 };

test.each<[what: string, change: Partial<Machine>]>([
  ['the default machine', {}],
  ['other sizes and latencies', { l1: { sizeBytes: 8192, ways: 2, latencyCycles: 9 }, memoryLatencyCycles: 7 }],
  ['several LLCs', { coresPerLlc: 2 }],
  [
    'a machine that says what is so anyway',
    {
      l1: { ...l1, policy: 'lru', prefetchers: [] },
      llc: { ...llc, inclusion: 'non-inclusive' },
      coresPerL1: 1,
      coresPerL2: 1,
      coresPerSocket: 8,
      protocol: 'mesi',
      colouring: 'virtual',
      pageBytes: 4096,
      seed: 1,
    },
  ],
  ['one socket that has room for more cores', { coresPerSocket: 64, remoteCacheLatencyCycles: 999 }],
  ['a seed and a page size that nothing asks for', { seed: 7, pageBytes: 2 << 20 }],
])('%s is plain', (_, change) => {
  expect(isPlainMachine({ ...PLAIN, ...change })).toBe(true);
});

test.each<[what: string, change: Partial<Machine>]>([
  ['96 sets', { l2: { ...l2, sizeBytes: 96 << 10 } }],
  ['another policy', { llc: { ...llc, policy: 'srrip' } }],
  ['an inclusive LLC', { llc: { ...llc, inclusion: 'inclusive' } }],
  ['a prefetcher', { l1: { ...l1, prefetchers: ['stride'] } }],
  ['siblings', { coresPerL1: 2, coresPerL2: 2 }],
  ['siblings, with no word on L2s', { coresPerL1: 2 }],
  ['shared L2s', { coresPerL2: 2 }],
  ['two sockets', { coresPerLlc: 4, coresPerSocket: 4 }],
  ['another protocol', { protocol: 'mesif' }],
  ['a TLB', { tlb: TLB }],
  ['colouring', { colouring: 'first-touch' }],
])('%s: not plain', (_, change) => {
  expect(isPlainMachine({ ...PLAIN, ...change })).toBe(false);
});
