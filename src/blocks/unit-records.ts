// Stage: trace -> blocks. The units of a module by what their probes call them: llvm-pass/probes.cpp.

import { createHash } from 'node:crypto';
import type { ModuleChunk } from '../trace/module-chunk.js';
import { readUnits, splitUnits } from '../trace/unit-reader.js';

/** By module: from the digest of each of its units to that unit's first record in the catalog. */
export function unitRecords(modules: readonly ModuleChunk[]): ReadonlyMap<string, number>[] {
  let record = 0;
  return modules.map(({ units }) => {
    const first = new Map<string, number>();
    const read = readUnits(units);
    for (const [index, { bytes }] of splitUnits(units).entries()) {
      const digest = digestOf(bytes);
      // The same unit twice: its code is counted with the first one's.
      if (!first.has(digest)) first.set(digest, record);
      record += read[index].records.count;
    }
    return first;
  });
}

/** The lower half of the MD5 digest, hexadecimal. */
function digestOf(unit: Uint8Array): string {
  return `0x${createHash('md5').update(unit).digest().readBigUInt64LE(0).toString(16)}`;
}
