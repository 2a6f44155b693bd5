// Stage: what-if. A run's allocations and frees, with other sizes, through a real allocator in a process of its own
// (runtime/allocations), to the addresses of the blocks.

import { spawnSync } from 'node:child_process';
import { DprofError } from '../base/dprof-error.js';
import { locateNative } from '../base/native-build.js';
import { Allocator } from '../trace/layout.js';

export const OperationKind = { malloc: 1, calloc: 2, realloc: 3, aligned: 4, free: 5 } as const;
const OPERATION_BYTES = 32;
const EXITS: readonly string[] = ['', '', 'too many blocks', 'an operation that is none', 'no memory', 'a closed pipe'];

export interface Operation {
  kind: number;
  readonly thread: number;
  /** Number of the block. */
  readonly block: number;
  /** Bytes; 0 of a free. */
  readonly size: number;
  /** OperationKind.aligned: bytes; realloc: the block that is moved. */
  other: number;
}

/** A library that is loaded in front of the C library: jemalloc and the like. Undefined: the C library's. */
export interface AllocatorChoice {
  readonly name: string;
  readonly library?: string;
}

/** By block: where it is handed out. Blocks that no operation makes are 0. */
export function addressesOf(
  operations: readonly Operation[],
  blocks: number,
  allocator: AllocatorChoice,
): Float64Array {
  const input = Buffer.alloc(operations.length * OPERATION_BYTES);
  operations.forEach(({ kind, thread, block, size, other }, index) => {
    const at = index * OPERATION_BYTES;
    input.writeUInt32LE(kind, at);
    input.writeUInt32LE(thread, at + 4);
    input.writeBigUInt64LE(BigInt(block), at + 8);
    input.writeBigUInt64LE(BigInt(size), at + 16);
    input.writeBigUInt64LE(BigInt(other), at + 24);
  });
  const { LD_PRELOAD: _, ...environment } = process.env;
  const made = spawnSync(locateNative('bin/dprof-allocations'), [`${blocks}`], {
    input,
    maxBuffer: operations.length * 8 + 65536,
    env: { ...environment, ...(allocator.library !== undefined && { LD_PRELOAD: allocator.library }) },
  });
  if (made.error) throw new DprofError(`cannot run dprof-allocations: ${made.error.message}`, 'npm run build');
  if (made.status !== 0 || made.stdout.length !== operations.length * 8) {
    const why = EXITS[made.status ?? 0] || (made.signal ?? made.stderr.toString().split('\n', 1)[0]);
    throw new DprofError(`the allocator ${allocator.name} failed: ${why}`, 'try another one: --allocator glibc');
  }
  const addresses = new Float64Array(blocks);
  operations.forEach(({ kind, block }, index) => {
    if (kind !== OperationKind.free) addresses[block] = Number(made.stdout.readBigUInt64LE(index * 8));
  });
  return addresses;
}

/** How the program asked for a block that an ALLOCATE event tells of; undefined: not from the heap. */
export function kindOf(allocator: number): number | undefined {
  switch (allocator) {
    case Allocator.malloc:
    case Allocator.new:
      return OperationKind.malloc;
    case Allocator.calloc:
      return OperationKind.calloc;
    case Allocator.realloc:
      return OperationKind.realloc;
    case Allocator.aligned:
      return OperationKind.aligned;
    default:
      return undefined;
  }
}
