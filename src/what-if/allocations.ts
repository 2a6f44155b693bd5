// Stage: what-if. A run's allocations and frees, with other sizes, through a real allocator in a process of its own
// (runtime/allocations), to the addresses of the blocks.

import { spawnSync } from 'node:child_process';
import { DprofError } from '../base/dprof-error.js';
import { locateNative } from '../base/native-build.js';
import { OperationKind, type Operations } from './survey-columns.js';

const OPERATION_BYTES = 32;
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
  const input = Buffer.alloc(count * OPERATION_BYTES);
  for (let index = 0; index < count; index++) {
    const at = index * OPERATION_BYTES;
    input.writeUInt32LE(kind[index], at);
    input.writeUInt32LE(thread[index], at + 4);
    input.writeBigUInt64LE(BigInt(block[index]), at + 8);
    input.writeBigUInt64LE(BigInt(size[index]), at + 16);
    input.writeBigUInt64LE(BigInt(other[index]), at + 24);
  }
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
  for (let index = 0; index < count; index++)
    if (kind[index] !== OperationKind.free) addresses[block[index]] = Number(made.stdout.readBigUInt64LE(index * 8));
  return addresses;
}
