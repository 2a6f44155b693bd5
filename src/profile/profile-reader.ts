// Stage: file -> profile. Reads a *.dprofile; lengths, checksum and every index are checked before anything is used.

import { checkParallelism } from './parallelism.js';
import { crc32 } from 'node:zlib';
import { bytesOfBuffer, bytesOfFile, type ByteSource } from './byte-source.js';
import type { Machine } from '../contract/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import { parseSchedule } from '../replay/schedule.js';
import { readTables } from './column-reader.js';
import { checkFlowFacts } from './flow.js';
import { checkLayouts } from './layouts.js';
import { checkFiles } from './merged-names.js';
import { checkMarks } from './marks.js';
import { checkRuns, checkWindow } from './merged-runs.js';
import { ObjectReader } from './object-reader.js';
import { countObjects, loadObjects, objectsOf } from './object-source.js';
import { unpack } from './packed-column.js';
import { PROFILE_MAGIC, PROFILE_VERSION, PROFILE_VERSION_NAME, pickFacts, type Directory } from './profile-format.js';
import type { Profile } from './profile.js';
import { checkAddresses, checkDirectoryFacts } from './run-facts.js';
import { checkSamplingFacts } from './sampled.js';
import { checkScheduleTable } from './schedule-table.js';
import { StoredNames } from './stored-names.js';
import { checkTables, rowCounts } from './table-check.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/** A profile with more chunks of objects leaves them in the file. */
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
  const { directory, end: begin } = readDirectory(file);
  checkDirectory(directory);
  const { columns, objectColumns, chunks, names: lists, flow, sampling } = directory;
  const facts = pickFacts(directory);
  const { machine, strings, cpus, runs } = facts;
  const names = new StoredNames(lists);
  const { tables, end } = readTables(file, columns, names, begin);
  const { types, sites, flow: flowTables, sampled, ...others } = tables;
  requireBoth('flow', flow, 'its tables', flowTables);
  requireBoth('sampling', sampling, 'its tables', sampled);
  requireBoth('sharedAddresses', facts.sharedAddresses, 'the table sharedVariables', others.sharedVariables);
  const objects = new ObjectReader(file, {
    columns: objectColumns,
    chunks,
    names,
    begin: end,
    counts: rowCounts(types.name.length, sites.function.length, strings.length, machine.cores),
    hasCores: cpus !== undefined,
  });
  const profile: Profile = {
    ...facts,
    types,
    sites,
    ...others,
    ...(flow && { flow: { ...flowTables!, by: flow.by, mostPaths: flow.mostPaths, mostSteps: flow.mostSteps } }),
    ...(sampling && { sampled: { ...sampled!, facts: sampling } }),
    ...(chunks.length > MOST_CHUNKS_IN_MEMORY ? objectsOf(objects) : loadObjects(objects)),
  };
  checkTables(profile);
  if (runs !== undefined) checkRuns(runs, countObjects(profile));
  return profile;
}

/** Facts, where anything may stand. */
function checkDirectory(directory: Directory): void {
  const {
    schedule,
    cpus,
    machine,
    schedules,
    window,
    parallelism,
    marks,
    flow,
    layouts,
    files,
    sampling,
    sharedAddresses,
    objectsAreSums,
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
  if (parallelism !== undefined) checkParallelism(parallelism);
  checkMarks(marks);
  if (flow !== undefined) checkFlowFacts(flow);
  if (layouts !== undefined) checkLayouts(layouts);
  if (files !== undefined) checkFiles(files);
  if (sampling !== undefined) checkSamplingFacts(sampling);
  if (sharedAddresses !== undefined) checkAddresses(sharedAddresses);
  if (objectsAreSums !== undefined && objectsAreSums !== true)
    throw new ProfileError('profile objectsAreSums', HEADER_BYTES, 'true', JSON.stringify(objectsAreSums));
}

/** A group of tables and the facts about it: the directory has both or neither. */
function requireBoth(name: string, facts: unknown, what: string, tables: unknown): void {
  if ((facts === undefined) !== (tables === undefined))
    throw new ProfileError(`profile ${name}`, HEADER_BYTES, `it and ${what}`, 'one of them');
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

/** Reads the directory; `end` is the offset at which the first column begins. */
function readDirectory(file: ByteSource): { directory: Directory; end: number } {
  const header = file.read(0, HEADER_BYTES);
  const magic = header.toString('latin1', 0, PROFILE_MAGIC.length);
  if (magic !== PROFILE_MAGIC)
    throw new ProfileError('profile magic', 0, PROFILE_MAGIC, JSON.stringify(magic), 'this is not a dprof profile');
  if (header.length < HEADER_BYTES)
    throw new ProfileError('profile header', 0, `${HEADER_BYTES} bytes`, `${header.length}`);
  const version = header.readUInt32LE(8);
  if (version !== PROFILE_VERSION)
    throw new ProfileError(
      'profile version',
      8,
      `${PROFILE_VERSION} ("${PROFILE_VERSION_NAME}")`,
      `${version}`,
      version < PROFILE_VERSION
        ? 'it was written by an older dprof; replay the trace again'
        : 'it was written by a newer dprof; update, or replay the trace again',
    );
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
    const { columns, strings, phases, objectColumns, chunks } = directory;
    const lists = [columns, strings, phases, objectColumns, chunks];
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
