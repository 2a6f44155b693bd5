// The bits of perf_mem_data_src from its parts: what src/hardware/samples/data-source.ts takes apart.

import type { DataSourceParts } from '../../src/hardware/samples/data-source-bits.js';

export function joinDataSource(parts: DataSourceParts): bigint {
  const { operation, level, snoop, lock, tlb, levelNumber, remote, blocked, hops } = parts;
  const low = (operation | (level << 5) | ((snoop & 31) << 19) | (lock << 24) | (tlb << 26)) >>> 0;
  const high =
    ((tlb >> 6) | (levelNumber << 1) | (remote << 5) | ((snoop >> 5) << 6) | (blocked << 8) | (hops << 11)) >>> 0;
  return (BigInt(high) << 32n) | BigInt(low);
}
