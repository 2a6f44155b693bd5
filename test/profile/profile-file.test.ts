// Stage: test. Profiles in files: round trip, and every way in which a file can be wrong.

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { decodeProfile, readProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile, writeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { catalog, facts, handMadeResult } from './hand-made-run.js';
import { HEADER_BYTES, ProfileError } from '../../src/profile/profile-error.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-profile-'));
afterAll(() => rmSync(folder, { recursive: true }));

const profile = buildProfile(handMadeResult(), catalog, facts);
const file = Buffer.concat(encodeProfile(profile));

function damage(change: (bytes: Buffer) => Buffer | void): ProfileError {
  const bytes = Buffer.from(file);
  const changed = change(bytes) ?? bytes;
  try {
    decodeProfile(changed);
  } catch (error) {
    expect(error).toBeInstanceOf(ProfileError);
    return error as ProfileError;
  }
  throw new Error('the damage went unnoticed');
}

/** Writes as a hostile writer can: any bytes under a checksum that fits. */
function seal(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES), crc32(bytes.subarray(0, 28))), 28);
  return bytes;
}

test('what is written is read back, column for column', async () => {
  const path = join(folder, 'whole.dprofile');
  await writeProfile(profile, path);
  expect(readProfile(path)).toEqual(profile);
  expect(readdirSync(folder)).toEqual(['whole.dprofile']);
});

test('a profile of nothing is a profile', () => {
  const { tallies, sharing, objects, objectCounters, evictions, invalidations, unusedBytes, ...rest } = profile;
  const empty = <Columns extends object>(columns: Columns): Columns =>
    Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, 'length' in column ? column.slice(0, 0) : empty(column)]),
    ) as Columns;
  const nothing: Profile = {
    ...rest,
    tallies: empty(tallies),
    sharing: empty(sharing),
    objects: empty(objects),
    objectCounters: empty(objectCounters),
    evictions: empty(evictions),
    invalidations: empty(invalidations),
    unusedBytes: empty(unusedBytes),
  };
  expect(decodeProfile(Buffer.concat(encodeProfile(nothing)))).toEqual(nothing);
});

test('another file is not a profile', () => {
  expect(damage(() => Buffer.from('#!/bin/sh\n')).message).toBe(
    'profile magic at offset 0: expected DPROFPRF, found "#!/bin/s"',
  );
});

test('a header that was cut short', () => {
  expect(damage((bytes) => bytes.subarray(0, 20)).message).toBe(
    'profile header at offset 0: expected 32 bytes, found 20',
  );
});

test('another version says what was found, what is read, and what to do', () => {
  const [newer, older] = [11, 9].map((version) => damage((bytes) => void bytes.writeUInt32LE(version, 8)));
  expect(newer.message).toBe('profile version at offset 8: expected 10 ("cold sharing"), found 11');
  expect(newer.hint).toBe('it was written by a newer dprof; update, or replay the trace again');
  expect(older.message).toBe('profile version at offset 8: expected 10 ("cold sharing"), found 9');
  expect(older.hint).toBe('it was written by an older dprof; replay the trace again');
});

test('a file that was cut short', () => {
  expect(damage((bytes) => bytes.subarray(0, bytes.length - 1)).message).toBe(
    `profile length at offset 12: expected ${file.length} bytes, found ${file.length - 1}`,
  );
});

test('every byte counts: any one flipped is noticed', () => {
  for (let at = 0; at < file.length; at += 7) damage((bytes) => void (bytes[at] ^= 0x10));
});

test('a checksum that fits does not make an index valid', () => {
  const outside = {
    ...profile,
    tallies: { ...profile.tallies, type: Uint32Array.from(profile.tallies.type, () => 99) },
  };
  expect(() => decodeProfile(Buffer.concat(encodeProfile(outside)))).toThrow(
    'column tallies.type, row 0, at offset 0: expected an index below 8, found 99',
  );
});

test('takers name types, levels and bins that there are', () => {
  const withTakers = (change: Partial<Profile['evictions']>): Buffer =>
    Buffer.concat(encodeProfile({ ...profile, evictions: { ...profile.evictions, ...change } }));
  const rows = profile.evictions.bin.length;
  expect(() => decodeProfile(withTakers({ bin: new Uint8Array(rows).fill(64) }))).toThrow(
    'column evictions.bin, row 0, at offset 0: expected a bin below 64, found 64',
  );
  expect(() => decodeProfile(withTakers({ level: new Uint8Array(rows).fill(3) }))).toThrow(
    'column evictions.level, row 0, at offset 0: expected an index below 3, found 3',
  );
  expect(() => decodeProfile(withTakers({ owner: new Uint32Array(rows).fill(8) }))).toThrow(
    'column evictions.owner, row 0, at offset 0: expected an index below 8, found 8',
  );
  expect(() => decodeProfile(withTakers({ lines: new Float64Array(rows - 1) }))).toThrow(
    `column evictions.lines at offset 0: expected ${rows} rows, found ${rows - 1}`,
  );
});

test('a column that claims more than LZ4 can hold is refused before it is unpacked', () => {
  const directoryBytes = file.readUInt32LE(12);
  const error = damage((bytes) => {
    bytes.writeUInt32LE(0xfffffff0, HEADER_BYTES + directoryBytes);
    return seal(bytes);
  });
  expect(error.expected).toBe('32 bytes behind LZ4');
  expect(error.offset).toBe(HEADER_BYTES + directoryBytes);
});

test('a directory that is not JSON', () => {
  expect(damage((bytes) => seal((bytes.fill(0, HEADER_BYTES, HEADER_BYTES + 4), bytes))).message).toBe(
    'profile directory at offset 32: expected JSON with run, machine, totals, phases, strings, columns and ' +
      'chunks, found something else',
  );
});

test('a folder that does not exist is an error with a hint, and leaves nothing behind', async () => {
  await expect(writeProfile(profile, join(folder, 'nowhere/a.dprofile'))).rejects.toThrow(
    /^cannot write the profile .* \(ENOENT\)$/,
  );
  writeFileSync(join(folder, 'file'), '');
  expect(() => readProfile(join(folder, 'missing'))).toThrow(/^cannot read .*missing \(ENOENT\)$/);
});

test('a full disk is an error with a hint, and a device stays a device', async () => {
  await expect(writeProfile(profile, '/dev/full')).rejects.toThrow('cannot write the profile /dev/full (ENOSPC)');
  expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
});
