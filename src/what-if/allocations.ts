// Stage: what-if. A run's allocations and frees, with other sizes, through a real allocator in a process of its own
// (runtime/allocations), to the addresses of the blocks.

import { spawnSync } from 'node:child_process';
import { DprofError } from '../base/dprof-error.js';
import { locateNative } from '../base/native-build.js';
import { handsOut, type Operations } from './survey-columns.js';

/** Little-endian, as this machine is. */
const OPERATION_BYTES = 32;
const TWO_32 = 2 ** 32;
const EXITS: readonly string[] = ['', '', 'too many blocks', 'an operation that is none', 'no memory', 'a closed pipe'];

/** A library that is loaded in front of the C library: jemalloc and the like. Undefined: the C library's. */
export interface AllocatorChoice {
  readonly name: string;
  readonly library?: string;
  /** The C library's, but each block has lines of its own. */
  readonly ownLines?: boolean;
}

/** By block: where it is handed out. Blocks that no operation makes are 0. */
export function addressesOf(
  { count, kind, thread, block, size, other }: Operations,
  blocks: number,
  allocator: AllocatorChoice,
): Float64Array {
  const words = new Uint32Array((count * OPERATION_BYTES) / 4);
  const put = (at: number, value: number): void => {
    words[at] = value % TWO_32;
    words[at + 1] = value / TWO_32;
  };
  for (let index = 0; index < count; index++) {
    const at = index * 8;
    words[at] = kind[index];
    words[at + 1] = thread[index];
    put(at + 2, block[index]);
    put(at + 4, size[index]);
    put(at + 6, other[index]);
  }
  const input = Buffer.from(words.buffer);
  const { LD_PRELOAD: _, ...environment } = process.env;
  const made = spawnSync(locateNative('bin/dprof-allocations'), [`${blocks}`], {
    input,
    maxBuffer: count * 8 + 65536,
    env: { ...environment, ...(allocator.library !== undefined && { LD_PRELOAD: allocator.library }) },
  });
  if (made.error) throw new DprofError(`cannot run dprof-allocations: ${made.error.message}`, 'npm run build');
  if (made.status !== 0 || made.stdout.length !== count * 8) {
    const why = EXITS[made.status ?? 0] || (made.signal ?? made.stderr.toString().split('\n', 1)[0]);
    throw new DprofError(`the allocator ${allocator.name} failed: ${why}`, 'try another one: --allocator glibc');
  }
  const addresses = new Float64Array(blocks);
  const { stdout } = made;
  for (let index = 0; index < count; index++)
    if (handsOut(kind[index]))
      addresses[block[index]] = stdout.readUInt32LE(index * 8 + 4) * TWO_32 + stdout.readUInt32LE(index * 8);
  return addresses;
}
