// Made-up mappings of shared memory over the places that random runs use, so that they overlap in address, in memory
// and in time.

import { MappingKind } from '../../src/trace/layout.js';
import type { Mapping } from '../../src/trace/mapping-chunk.js';
import { GLOBALS_AT, STACKS_AT, THREAD_LOCALS_AT } from '../random/random-program.js';
import type { RandomNumbers } from '../random/random-numbers.js';

const HEAP_AT = 0x10_0000;
const MAPPINGS_AT = 0x20_0000;

export function randomMappings(random: RandomNumbers): Mapping[] {
  let stamp = 990n;
  return Array.from({ length: random.between(2, 12) }, (): Mapping => {
    stamp += BigInt(random.pick([0, 1, 5, 20, 300]));
    const place = random.pick([GLOBALS_AT, HEAP_AT, MAPPINGS_AT, MAPPINGS_AT, THREAD_LOCALS_AT, STACKS_AT]);
    const unit = random.pick([64, 256, 4096]);
    return {
      stamp,
      address: place + unit * random.below(8),
      bytes: unit * random.between(1, 6),
      kind: random.chance(15) ? MappingKind.none : random.chance(80) ? MappingKind.file : MappingKind.sysv,
      device: BigInt(random.between(1, 2)),
      inode: BigInt(random.between(1, 3)),
      offset: unit * random.below(6),
    };
  });
}
