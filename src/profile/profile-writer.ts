// Stage: profile -> file. Writes a *.dprofile (profile-format.ts draws the bytes) under an incomplete name and renames it when
// it is whole.

import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import lz4 from 'lz4-napi';
import { DprofError } from '../base/dprof-error.js';
import { COLUMNS, HEADER_BYTES, PROFILE_MAGIC, PROFILE_VERSION, type Column, type ColumnEntry, type Directory, type Element } from './profile-format.js';
import type { Profile } from './profile.js';

export function writeProfile(profile: Profile, path: string): void {
  // A device or a pipe is written to, never replaced: renaming over it would make it a file.
  const inPlace = statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  const target = inPlace ? path : `${path}.incomplete`;
  let file: number | undefined;
  try {
    file = openSync(target, 'w');
    for (const part of encodeProfile(profile)) for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
    closeSync(file);
    file = undefined;
    if (!inPlace) renameSync(target, path);
  } catch (error) {
    if (file !== undefined) closeSync(file);
    if (!inPlace) rmSync(target, { force: true });
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const hint = code === 'ENOSPC' ? 'the disk is full; free some space or write elsewhere with -o' : 'choose another place with -o';
    throw new DprofError(`cannot write the profile ${path} (${code})`, hint);
  }
}

/** The file as its parts, in order. */
export function encodeProfile(profile: Profile): Buffer[] {
  const columns: ColumnEntry[] = [];
  const stored: Buffer[] = [];
  for (const [table, fields] of Object.entries(COLUMNS)) {
    for (const [field, element] of Object.entries(fields)) {
      const column = pickColumn(profile, table, field);
      const bytes = column.length === 0 ? Buffer.alloc(0) : lz4.compressSync(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
      columns.push({ name: `${table}.${field}`, element: element as Element, length: column.length, storedBytes: bytes.length });
      stored.push(bytes);
    }
  }
  const { run, runs, machine, schedule, schedules, totals, window, phases, strings } = profile;
  const directory: Directory = { run, runs, machine, schedule, schedules, totals, window, phases, strings, columns };
  const packed = lz4.compressSync(Buffer.from(JSON.stringify(directory)));
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(PROFILE_MAGIC, 0, 'latin1');
  header.writeUInt32LE(PROFILE_VERSION, 8);
  header.writeUInt32LE(packed.length, 12);
  header.writeBigUInt64LE(BigInt(stored.reduce((sum, part) => sum + part.length, 0)), 16);
  const checksum = [packed, ...stored].reduce((sum, part) => crc32(part, sum), crc32(header.subarray(0, 28)));
  header.writeUInt32LE(checksum, 28);
  return [header, packed, ...stored];
}

function pickColumn(profile: Profile, table: string, field: string): Column {
  const owner = table.split('.').reduce((value: unknown, key) => (value as Record<string, unknown>)[key], profile);
  return (owner as Record<string, Column>)[field];
}
