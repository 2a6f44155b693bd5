// Stage: trace -> replay. A MAPPINGS chunk's payload to what the process had of memory that others may have too.

import { LAYOUT, MappingKind } from './layout.js';
import { TraceError } from './trace-error.js';

export interface Mapping {
  readonly stamp: bigint;
  readonly address: number;
  readonly bytes: number;
  /** MappingKind. */
  readonly kind: number;
  readonly device: bigint;
  readonly inode: bigint;
  /** The offset of the first byte in that memory. */
  readonly offset: number;
}

const ROW = LAYOUT.dprof_chunk_mapping;
/** Both ends of a mapping are addresses of a process, and what it maps is as long at most as a file can be. */
const ADDRESS_END = 2n ** 47n;
const OFFSET_END = 2n ** 52n;

export function readMappings(payload: Buffer, offset: number): Mapping[] {
  if (payload.length % ROW.size !== 0)
    throw new TraceError('MAPPINGS chunk', offset, `rows of ${ROW.size} bytes`, `${payload.length} bytes`);
  return Array.from({ length: payload.length / ROW.size }, (_, index) => readRow(payload, index * ROW.size, offset));
}

function readRow(payload: Buffer, at: number, chunk: number): Mapping {
  const field = (name: keyof typeof ROW): bigint => payload.readBigUInt64LE(at + ROW[name]);
  const refuse = (name: keyof typeof ROW, expected: string, actual: string): never => {
    throw new TraceError(`${name} of a mapping`, chunk + at + ROW[name], expected, actual);
  };
  const [address, bytes, start] = [field('address'), field('bytes'), field('offset')];
  const kind = payload.readUInt32LE(at + ROW.kind);
  if (kind > MappingKind.sysv) refuse('kind', `at most ${MappingKind.sysv}`, `${kind}`);
  if (address >= ADDRESS_END) refuse('address', 'below 2^47', `0x${address.toString(16)}`);
  if (bytes === 0n || bytes > ADDRESS_END - address)
    refuse('bytes', '1 at least, and an end of at most 2^47', `${bytes} at 0x${address.toString(16)}`);
  if (start > OFFSET_END) refuse('offset', 'at most 2^52', `${start}`);
  return {
    stamp: field('stamp'),
    address: Number(address),
    bytes: Number(bytes),
    kind,
    device: field('device'),
    inode: field('inode'),
    offset: Number(start),
  };
}
