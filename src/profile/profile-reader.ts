// Stage: file -> profile. Reads a *.dprofile; lengths, checksum and every index are checked before anything is used.

import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import lz4 from 'lz4-napi';
import { DprofError } from '../base/dprof-error.js';
import {
  COLUMNS,
  ELEMENTS,
  HEADER_BYTES,
  PROFILE_MAGIC,
  PROFILE_VERSION,
  ProfileError,
  type Column,
  type Directory,
  type Element,
} from './profile-format.js';
import { checkIndices } from './profile-indices.js';
import { checkRuns, checkWindow } from './merged-runs.js';
import { parseSchedule } from '../replay/schedule.js';
import type { Profile } from './profile.js';
import { checkScheduleTable } from './schedule-table.js';

/** LZ4 packs at most 255 bytes into one; what claims more is not LZ4. */
const MOST_BYTES_PER_BYTE = 255;

export function readProfile(path: string): Profile {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (error) {
    throw new DprofError(`cannot read ${path} (${(error as NodeJS.ErrnoException).code})`, 'check the path');
  }
  return decodeProfile(file);
}

export function decodeProfile(file: Buffer): Profile {
  const directory = readDirectory(file);
  const { run, runs, machine, schedule, schedules, totals, window, phases, strings } = directory;
  if (parseSchedule(String(schedule)) === null) throw new ProfileError('profile schedule', HEADER_BYTES, 'logical, recorded or random:SEED', JSON.stringify(schedule) ?? 'nothing');
  if (schedules !== undefined) checkScheduleTable(schedules);
  if (window !== undefined) checkWindow(window);
  const tables: Record<string, Record<string, Column>> = {};
  let offset = HEADER_BYTES + file.readUInt32LE(12);
  let next = 0;
  for (const [table, fields] of Object.entries(COLUMNS)) {
    tables[table] = {};
    for (const [field, element] of Object.entries(fields)) {
      const entry = directory.columns[next++];
      const name = `${table}.${field}`;
      if (entry?.name !== name || entry.element !== element) {
        throw new ProfileError('column list', HEADER_BYTES, `${name} (${element})`, `${entry?.name} (${entry?.element})`);
      }
      const stored = file.subarray(offset, offset + entry.storedBytes);
      if (stored.length !== entry.storedBytes) throw new ProfileError(`column ${name}`, offset, `${entry.storedBytes} bytes`, `${stored.length}`);
      tables[table][field] = unpackColumn(stored, name, element as Element, entry.length, offset);
      offset += entry.storedBytes;
    }
  }
  const profile = {
    run,
    ...(runs === undefined ? {} : { runs }),
    machine,
    schedule,
    ...(schedules === undefined ? {} : { schedules }),
    totals,
    ...(window === undefined ? {} : { window }),
    phases,
    strings,
    types: tables.types,
    sites: tables.sites,
    tallies: tables.tallies,
    sharing: { ...tables.sharing, missed: tables['sharing.missed'], writer: tables['sharing.writer'] },
    objects: tables.objects,
    objectCounters: tables.objectCounters,
    evictions: tables.evictions,
    invalidations: tables.invalidations,
    unusedBytes: tables.unusedBytes,
  } as unknown as Profile;
  checkIndices(profile);
  if (runs !== undefined) checkRuns(runs, profile.objects.address.length);
  return profile;
}

function readDirectory(file: Buffer): Directory {
  const magic = file.toString('latin1', 0, PROFILE_MAGIC.length);
  if (magic !== PROFILE_MAGIC) throw new ProfileError('profile magic', 0, PROFILE_MAGIC, JSON.stringify(magic), 'this is not a dprof profile');
  if (file.length < HEADER_BYTES) throw new ProfileError('profile header', 0, `${HEADER_BYTES} bytes`, `${file.length}`);
  const version = file.readUInt32LE(8);
  if (version !== PROFILE_VERSION) {
    throw new ProfileError('profile version', 8, `${PROFILE_VERSION}`, `${version}`, 'it was written by another dprof; update, or replay the trace again');
  }
  const directoryBytes = file.readUInt32LE(12);
  const expected = BigInt(HEADER_BYTES) + BigInt(directoryBytes) + file.readBigUInt64LE(16);
  if (expected !== BigInt(file.length)) throw new ProfileError('profile length', 12, `${expected} bytes`, `${file.length}`);
  const checksum = crc32(file.subarray(HEADER_BYTES), crc32(file.subarray(0, 28)));
  if (checksum !== file.readUInt32LE(28)) {
    throw new ProfileError('profile checksum', 28, `0x${file.readUInt32LE(28).toString(16)}`, `0x${checksum.toString(16)}`);
  }
  const packed = file.subarray(HEADER_BYTES, HEADER_BYTES + directoryBytes);
  try {
    const directory = JSON.parse(unpack(packed).toString()) as Directory;
    if (Array.isArray(directory.columns) && Array.isArray(directory.strings) && Array.isArray(directory.phases) && directory.run && directory.machine && directory.totals) return directory;
  } catch {
    // Falls through: what is not JSON and what lacks a part are equally not a directory.
  }
  throw new ProfileError('profile directory', HEADER_BYTES, 'JSON with run, machine, totals, phases, strings and columns', 'something else');
}

function unpack(packed: Buffer): Buffer {
  if (packed.length < 4 || packed.readUInt32LE(0) > packed.length * MOST_BYTES_PER_BYTE) throw new RangeError('not LZ4');
  return lz4.uncompressSync(packed);
}

function unpackColumn(stored: Buffer, name: string, element: Element, length: number, offset: number): Column {
  const array = ELEMENTS[element];
  if (length === 0 && stored.length === 0) return new array(0);
  const bytes = length * array.BYTES_PER_ELEMENT;
  let raw: Buffer | undefined;
  try {
    raw = unpack(stored);
  } catch {
    throw new ProfileError(`column ${name}`, offset, `${bytes} bytes behind LZ4`, `${stored.length} bytes that are not`);
  }
  if (raw.length !== bytes) throw new ProfileError(`column ${name}`, offset, `${bytes} bytes`, `${raw.length}`);
  // A copy: LZ4's buffer need not be aligned for the element.
  const column = new array(length);
  new Uint8Array(column.buffer).set(raw);
  return column;
}
