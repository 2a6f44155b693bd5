// Stage: file -> profile. Reads a *.dprofile; lengths, checksum and every index are checked before anything is used.

import { crc32 } from 'node:zlib';
import { bytesOfBuffer, bytesOfFile, type ByteSource } from './byte-source.js';
import {
  HEADER_BYTES,
  OPTIONAL_TABLES,
  PROFILE_MAGIC,
  ProfileError,
  READ_VERSIONS,
  wholeColumns,
  type Column,
  type Directory,
} from './profile-format.js';
import { checkFlow, checkFlowFacts } from './flow-indices.js';
import type { Flow, FlowFacts } from './flow.js';
import { checkIndices } from './profile-indices.js';
import { checkLayouts } from './layouts.js';
import { checkMarks } from './marks.js';
import { checkDirectoryFacts } from './run-facts.js';
import { checkRuns, checkWindow } from './merged-runs.js';
import { countObjects, loadObjects, objectsOf } from './object-source.js';
import { ObjectReader } from './object-reader.js';
import { readColumn, unpack } from './packed-column.js';
import type { Machine } from '../replay/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import { parseSchedule } from '../replay/schedule.js';
import type { Profile } from './profile.js';
import { checkScheduleTable } from './schedule-table.js';
import { checkSampled, checkSamplingFacts } from './sampled-indices.js';
import { checkThreadTables } from './thread-tables.js';

/** More stay where they are. */
const MOST_CHUNKS_IN_MEMORY = 4;
const PART_BYTES = 1 << 20;

export function readProfile(path: string): Profile {
  const bytes = bytesOfFile(path);
  try {
    const profile = decodeBytes(bytes);
    if (profile.objectSource === undefined) bytes.close();
    return profile;
  } catch (error) {
    bytes.close();
    throw error;
  }
}

export function decodeProfile(file: Buffer): Profile {
  return decodeBytes(bytesOfBuffer(file));
}

function decodeBytes(file: ByteSource): Profile {
  const { directory, end } = readDirectory(file);
  const {
    run,
    runs,
    machine,
    schedule,
    cpus,
    schedules,
    totals,
    window,
    phases,
    marks = [],
    strings,
    flow,
    sampling,
    layouts,
    sharedAddresses,
  } = directory;
  checkDirectoryFacts(directory);
  if (typeof schedule !== 'string' || parseSchedule(schedule) === null)
    throw new ProfileError(
      'profile schedule',
      HEADER_BYTES,
      'logical, recorded or random:SEED',
      JSON.stringify(schedule) ?? 'nothing',
    );
  if (cpus !== undefined) checkCpus(cpus, machine);
  if (schedules !== undefined) checkScheduleTable(schedules);
  if (window !== undefined) checkWindow(window);
  checkMarks(marks);
  if (flow !== undefined) checkFlowFacts(flow);
  if (layouts !== undefined) checkLayouts(layouts);
  if (sampling !== undefined) checkSamplingFacts(sampling);
  const tables: Record<string, Record<string, Column>> = {};
  let offset = end;
  const named = new Set(directory.columns.map((entry) => String(entry?.name).replace(/\.[^.]*$/, '')));
  const expected = wholeColumns((table) => named.has(table));
  for (const [next, { table, field, element }] of expected.entries()) {
    const entry = directory.columns[next];
    const name = `${table}.${field}`;
    if (entry?.name !== name || entry.element !== element) {
      throw new ProfileError('column list', HEADER_BYTES, `${name} (${element})`, `${entry?.name} (${entry?.element})`);
    }
    (tables[table] ??= {})[field] = readColumn(file, name, element, entry.length, offset, entry.storedBytes);
    offset += entry.storedBytes;
  }
  if (directory.columns.length > expected.length)
    throw new ProfileError('column list', HEADER_BYTES, `${expected.length} columns`, `${directory.columns.length}`);
  const objects = new ObjectReader(file, directory.chunks, offset, {
    types: tables.types.name.length,
    sites: tables.sites.function.length,
    strings: strings.length,
    ...(cpus && { cores: machine.cores }),
  });
  const profile = {
    run,
    ...(runs === undefined ? {} : { runs }),
    machine,
    schedule,
    ...(cpus === undefined ? {} : { cpus }),
    ...(schedules === undefined ? {} : { schedules }),
    totals,
    ...(window === undefined ? {} : { window }),
    phases,
    marks,
    strings,
    types: tables.types,
    sites: tables.sites,
    tallies: tables.tallies,
    sharing: { ...tables.sharing, missed: tables['sharing.missed'], writer: tables['sharing.writer'] },
    evictions: tables.evictions,
    invalidations: tables.invalidations,
    unusedBytes: tables.unusedBytes,
    ...(flow === undefined ? {} : { flow: flowOf(flow, tables) }),
    ...(layouts === undefined ? {} : { layouts }),
    ...Object.fromEntries(
      Object.keys(OPTIONAL_TABLES).flatMap((table) =>
        table in tables && !table.includes('.') ? [[table, tables[table]]] : [],
      ),
    ),
    ...(sharedAddresses === undefined ? {} : { sharedAddresses }),
    ...(sampling === undefined ? {} : { sampled: { facts: sampling, ...tablesOf('sampled.', tables) } }),
    ...(directory.chunks.length > MOST_CHUNKS_IN_MEMORY ? objectsOf(objects) : loadObjects(objects)),
  } as unknown as Profile;
  checkIndices(profile);
  if (profile.flow !== undefined)
    checkFlow(
      profile.flow,
      { types: profile.types.name.length, sites: profile.sites.function.length, strings: strings.length },
      machine,
    );
  checkThreadTables(profile);
  checkSampled(profile);
  if (runs !== undefined) checkRuns(runs, countObjects(profile));
  return profile;
}

function flowOf({ by, mostPaths }: FlowFacts, tables: Readonly<Record<string, object>>): Flow {
  return { by, mostPaths, ...tablesOf('flow.', tables) } as unknown as Flow;
}

function tablesOf(prefix: string, tables: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(
    Object.keys(OPTIONAL_TABLES)
      .filter((table) => table.startsWith(prefix))
      .map((table) => [table.slice(prefix.length), tables[table]]),
  );
}

function checkCpus(cpus: unknown, { cores }: Machine): void {
  const isNumber = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const isCpu = (one: unknown): boolean => {
    const { cpu, core } = (one ?? {}) as Partial<Record<keyof CpuCore, unknown>>;
    return isNumber(cpu) && isNumber(core) && (core as number) < cores;
  };
  if (Array.isArray(cpus) && cpus.length > 0 && cpus.every(isCpu)) return;
  throw new ProfileError('profile cpus', HEADER_BYTES, 'CPUs, each with its core', JSON.stringify(cpus).slice(0, 100));
}

/** And where the first column begins. */
function readDirectory(file: ByteSource): { directory: Directory; end: number } {
  const header = file.read(0, HEADER_BYTES);
  const magic = header.toString('latin1', 0, PROFILE_MAGIC.length);
  if (magic !== PROFILE_MAGIC)
    throw new ProfileError('profile magic', 0, PROFILE_MAGIC, JSON.stringify(magic), 'this is not a dprof profile');
  if (header.length < HEADER_BYTES)
    throw new ProfileError('profile header', 0, `${HEADER_BYTES} bytes`, `${header.length}`);
  const version = header.readUInt32LE(8);
  if (!READ_VERSIONS.includes(version)) {
    throw new ProfileError(
      'profile version',
      8,
      READ_VERSIONS.join(' or '),
      `${version}`,
      'it was written by another dprof; update, or replay the trace again',
    );
  }
  const directoryBytes = header.readUInt32LE(12);
  const expected = BigInt(HEADER_BYTES) + BigInt(directoryBytes) + header.readBigUInt64LE(16);
  if (expected !== BigInt(file.length))
    throw new ProfileError('profile length', 12, `${expected} bytes`, `${file.length}`);
  let checksum = crc32(header.subarray(0, 28));
  for (let at = HEADER_BYTES; at < file.length; at += PART_BYTES) checksum = crc32(file.read(at, PART_BYTES), checksum);
  if (checksum !== header.readUInt32LE(28)) {
    throw new ProfileError(
      'profile checksum',
      28,
      `0x${header.readUInt32LE(28).toString(16)}`,
      `0x${checksum.toString(16)}`,
    );
  }
  try {
    const directory = JSON.parse(unpack(file.read(HEADER_BYTES, directoryBytes)).toString()) as Directory;
    const lists = [directory.columns, directory.strings, directory.phases, directory.chunks];
    if (lists.every(Array.isArray) && directory.run && directory.machine && directory.totals)
      return { directory, end: HEADER_BYTES + directoryBytes };
  } catch {
    // Falls through: what is not JSON and what lacks a part are equally not a directory.
  }
  throw new ProfileError(
    'profile directory',
    HEADER_BYTES,
    'JSON with run, machine, totals, phases, strings, columns and chunks',
    'something else',
  );
}
