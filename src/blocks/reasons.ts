// Stage: blocks. The words that say why a block has no number. dprof-blocks says the words, docs/blocks.md explains
// them.

export const REASONS: Readonly<Record<string, string>> = {
  // rejected: as it stands
  'not-hexadecimal': 'no hexadecimal bytes',
  empty: 'no bytes',
  'too-long': 'more bytes than a block may have',
  'illegal-instruction': 'bytes that are no instruction',
  'control-flow': 'it jumps, calls or returns',
  'system-call': 'it calls the kernel',
  privileged: 'it has an instruction of the kernel',
  'reads-clock': 'it reads a clock or counter of the processor',
  'system-state': 'it changes state of the processor that others depend on',
  'cache-control': 'it moves lines out of the cache',
  trap: 'it raises a trap',
  'addresses-unknown': 'it has an access whose address is not known beforehand',
  // rejected: as it ran
  'l1i-overflow': 'its copies do not fit the instruction cache',
  'l1d-overflow': 'its data do not fit the data cache',
  'line-crossing': "an access crosses a cache line's end",
  '4k-aliasing': 'a load follows a store 4 KiB from it',
  subnormals: 'it computes with subnormal numbers, and does not flush them to zero',
  'x87-stack': 'it takes values from the x87 stack that nobody put there',
  // crashed
  'own-window': 'it touches the code around it',
  'writes-code': 'it writes its own code',
  'too-many-pages': 'it touches more than 64 pages',
  'null-page': 'it touches an address below 64 KiB',
  'kernel-address': "it touches an address of the kernel's",
  'protected-address': 'it touches an address that it may not',
  'general-protection': 'an address is not canonical, a vector is not aligned, or an instruction is not allowed',
  'jumps-away': 'it goes on outside of its code',
  unmappable: 'it touches a page that cannot be mapped',
  'divide-error': 'it divides by zero, or the quotient does not fit',
  'floating-point-trap': 'a floating point exception',
  'unsupported-instruction': 'this processor does not have one of its instructions',
  misaligned: 'a misaligned access, which it has forbidden itself',
  killed: 'it was killed from outside',
  signal: 'a signal',
  // timed out, unstable
  'time-limit': 'it took more than 0.2 s of processor time',
  calibration: 'the clock changed its pace',
  'context-switch': 'the system interrupted it',
  'shared-core': 'another program used its core at the same time',
  'timings-disagree': 'fewer than 8 of 16 timings agreed',
  'attempts-disagree': 'no two series of timings agreed',
};
