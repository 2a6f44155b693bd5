// Stage: trace -> blocks. The ELF files of a run, and where their records are in the catalog. Programs that loaded one
// file have its units once each; what they ran of it is counted together.

import { createHash } from 'node:crypto';
import type { ModuleChunk } from '../trace/module-chunk.js';
import { readUnits, splitUnits } from '../trace/unit-reader.js';
import type { RecordExecutions } from './record-executions.js';

export interface LoadedFile {
  readonly path: string;
  readonly buildId: string;
  /** The first record of each of its units in the catalog, by the unit's digest: what probes call it. */
  readonly units: ReadonlyMap<string, number>;
  /** By program that loaded it: the number that its first record has in the catalog. */
  readonly begins: readonly number[];
  readonly records: number;
}

/** `modules`: those whose units are the catalog's, in its order. */
export function loadedFiles(modules: readonly ModuleChunk[]): LoadedFile[] {
  const files: { readonly module: ModuleChunk; readonly file: LoadedFile & { begins: number[] } }[] = [];
  let begin = 0;
  for (const module of modules) {
    const { path, buildId } = module;
    const same = files.find(({ module: other }) => isSameFile(module, other));
    if (same === undefined) {
      const { units, records } = unitRecords(module, begin);
      files.push({ module, file: { path, buildId, units, begins: [begin], records } });
      begin += records;
    } else {
      same.file.begins.push(begin);
      begin += same.file.records;
    }
  }
  return files.map(({ file }) => file);
}

function isSameFile(one: ModuleChunk, other: ModuleChunk): boolean {
  return (
    one.path === other.path &&
    one.buildId === other.buildId &&
    (one.units === other.units || Buffer.compare(one.units, other.units) === 0)
  );
}

function unitRecords({ units: section }: ModuleChunk, begin: number): Pick<LoadedFile, 'units' | 'records'> {
  const units = new Map<string, number>();
  const read = readUnits(section);
  let records = 0;
  for (const [index, { bytes }] of splitUnits(section).entries()) {
    const digest = digestOf(bytes);
    // The same unit twice: its code is counted with the first one's.
    if (!units.has(digest)) units.set(digest, begin + records);
    records += read[index].records.count;
  }
  return { units, records };
}

/** The lower half of the MD5 digest, hexadecimal. */
function digestOf(unit: Uint8Array): string {
  return `0x${createHash('md5').update(unit).digest().readBigUInt64LE(0).toString(16)}`;
}

/** What all programs ran of a file, as if the first that loaded it had. */
export function joinLoads(files: readonly LoadedFile[], { made, next }: RecordExecutions): RecordExecutions {
  if (files.every(({ begins }) => begins.length === 1)) return { made, next };
  const own = Uint32Array.from(made, (_, record) => record);
  for (const { begins, records } of files)
    for (const begin of begins) for (let at = 0; at < records; at++) own[begin + at] = begins[0] + at;
  const joined = new Float64Array(made.length);
  for (const [record, times] of made.entries()) joined[own[record]] += times;
  const pairs = new Map<number, Map<number, number>>();
  for (const [from, ways] of next) {
    const joinedWays = pairs.get(own[from]) ?? new Map<number, number>();
    pairs.set(own[from], joinedWays);
    for (const [to, times] of ways) joinedWays.set(own[to], (joinedWays.get(own[to]) ?? 0) + times);
  }
  return { made: joined, next: pairs };
}

/** The same record of each program that loaded the file. */
export function recordOfLoads({ begins }: LoadedFile, record: number): number[] {
  return begins.map((begin) => record - begins[0] + begin);
}
