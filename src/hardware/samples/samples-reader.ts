// Stage: hardware. File to samples: the mirror of samples-writer.ts. Lengths, checksums and indices are checked before
// anything is used; chunks are read one at a time, or all into one set of columns.

import { crc32 } from 'node:zlib';
import { bytesOfBuffer, bytesOfFile, type ByteSource } from '../../profile/byte-source.js';
import { unpack } from '../../profile/packed-column.js';
import {
  COLUMN_NAMES,
  COLUMNS,
  ELEMENTS,
  makeColumns,
  makeColumnsOf,
  type Column,
  type ColumnsOf,
  type Element,
  type SampleColumns,
  type SampledEvent,
  type SampleTables,
} from './samples.js';
import {
  END_MAGIC,
  HEADER_BYTES,
  SAMPLES_MAGIC,
  SAMPLES_VERSION,
  TRAILER_BYTES,
  type ChunkEntry,
  type Directory,
  type TypedDirectory,
} from './samples-format.js';
import { SamplesError } from './samples-error.js';
import { checkTables, isCount, isEvent } from './table-invariants.js';
import { checkTyped } from './typed-invariants.js';
import { TYPED_OBJECTS, TYPED_ROWS, type TypedSamples } from './typed-samples.js';

const HINT = 'the file is damaged, or neither dprof import nor dprof sample wrote it; import the recording again';
const MOST_CHUNK_ROWS = 1 << 24;

export interface SampleChunk {
  readonly columns: SampleColumns;
  readonly rows: number;
}

export interface OpenedSamples {
  readonly tables: SampleTables;
  readonly rows: number;
  /** In order of time, each read when it is asked for. */
  chunks(): Generator<SampleChunk>;
  /** null: samples without types, as dprof import leaves them. */
  typed(): TypedSamples | null;
  close(): void;
}

export function openSamples(path: string): OpenedSamples {
  const file = bytesOfFile(path);
  try {
    return open(file);
  } catch (error) {
    file.close();
    throw error;
  }
}

export function decodeSamples(bytes: Buffer): OpenedSamples {
  return open(bytesOfBuffer(bytes));
}

/** All of them at once. */
export function loadColumns(samples: OpenedSamples): SampleColumns {
  const all = makeColumns(samples.rows);
  let at = 0;
  for (const { columns, rows } of samples.chunks()) {
    for (const name of COLUMN_NAMES) (all[name] as Uint32Array).set(columns[name] as Uint32Array, at);
    at += rows;
  }
  return all;
}

function open(file: ByteSource): OpenedSamples {
  const { directory, end } = readDirectory(file);
  const { columns, chunks, typed, ...tables } = directory;
  for (const [index, name] of COLUMN_NAMES.entries()) {
    const entry = columns[index];
    if (entry?.name !== name || entry.element !== COLUMNS[name])
      throw wrong('column list', end, `${name} (${COLUMNS[name]})`, `${entry?.name} (${entry?.element})`);
  }
  let offset = HEADER_BYTES;
  for (const chunk of chunks) offset = checkPlace(chunk, offset, end, COLUMN_NAMES.length, 1);
  if (typed !== undefined) {
    offset = checkPlace(typed.blocks?.rows, offset, end, Object.keys(TYPED_ROWS).length, 0);
    offset = checkPlace(typed.blocks.objects, offset, end, Object.keys(TYPED_OBJECTS).length, 0);
  }
  if (offset !== end) throw wrong('chunks', offset, `an end at ${end}`, `${offset}`);
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  checkEvents(tables.events, rows, typed !== undefined, end);
  checkTables(tables, (what, expected, actual) => {
    throw wrong(what, end, expected, actual);
  });
  return {
    tables,
    rows,
    *chunks() {
      for (const chunk of chunks) yield readChunk(file, chunk, tables.events.length, typed);
    },
    typed: () => (typed === undefined ? null : readTyped(file, tables, typed, end)),
    close: () => file.close(),
  };
}

function readTyped(
  file: ByteSource,
  { run, events, lost, names, threads: changes }: SampleTables,
  { blocks, ...tables }: TypedDirectory,
  at: number,
): TypedSamples {
  const rows = readBlock(file, blocks.rows, TYPED_ROWS);
  const objects = readBlock(file, blocks.objects, TYPED_OBJECTS);
  const typed: TypedSamples = { run, events, lost, names, changes, ...tables, rows, objects };
  checkTyped(typed, (what, expected, actual) => {
    throw wrong(what, at, expected, actual);
  });
  return typed;
}

function checkPlace(chunk: ChunkEntry, expected: number, end: number, columns: number, leastRows: number): number {
  const { offset, rows, storedBytes } = chunk ?? {};
  if (offset !== expected) throw wrong('chunk', expected, `an offset of ${expected}`, `${offset}`);
  if (!Number.isInteger(rows) || rows < leastRows || rows > MOST_CHUNK_ROWS)
    throw wrong('chunk', offset, `${leastRows} to ${MOST_CHUNK_ROWS} rows`, `${rows}`);
  const stored = rows === 0 ? 0 : columns;
  if (!Array.isArray(storedBytes) || storedBytes.length !== stored || !storedBytes.every(isCount))
    throw wrong('chunk', offset, `bytes of ${stored} columns`, JSON.stringify(storedBytes)?.slice(0, 100) ?? 'nothing');
  const next = storedBytes.reduce((sum, bytes) => sum + bytes, offset);
  if (next > end) throw wrong('chunk', offset, `an end of at most ${end}`, `${next}`);
  return next;
}

/** Typed samples may be without their single ones. */
function checkEvents(events: readonly SampledEvent[], rows: number, isTyped: boolean, at: number): void {
  for (const event of events) {
    if (!isEvent(event))
      throw wrong(
        'event',
        at,
        'a name, a source, fields, attributes and samples',
        JSON.stringify(event)?.slice(0, 100) ?? 'nothing',
      );
  }
  const samples = events.reduce((sum, event) => sum + event.samples, 0);
  if (samples !== rows && !(isTyped && rows === 0)) throw wrong('events', at, `${rows} samples`, `${samples}`);
}

function readChunk(
  file: ByteSource,
  entry: ChunkEntry,
  events: number,
  typed: TypedDirectory | undefined,
): SampleChunk {
  const { offset, rows } = entry;
  const chunk = readBlock(file, entry, COLUMNS);
  const most = {
    event: events,
    type: typed?.types.length ?? 1,
    place: typed?.places.length ?? 1,
  };
  for (const name of ['event', 'type', 'place'] as const) {
    const above = chunk[name].findIndex((value) => value >= most[name]);
    if (above !== -1) throw wrong('samples', offset, `${name} below ${most[name]}`, `${chunk[name][above]}`);
  }
  return { columns: chunk, rows };
}

function readBlock<Names extends Readonly<Record<string, Element>>>(
  file: ByteSource,
  { offset, rows, storedBytes, checksum }: ChunkEntry,
  names: Names,
): ColumnsOf<Names> {
  let at = offset;
  let sum = 0;
  let index = 0;
  const columns = makeColumnsOf(names, (name, element) => {
    const bytes = storedBytes[index++] ?? 0;
    const stored = file.read(at, bytes);
    sum = crc32(stored, sum);
    const column = rows === 0 ? new ELEMENTS[element](0) : readColumn(stored, name, element, rows, at);
    at += bytes;
    return column;
  });
  if (sum !== checksum) throw wrong('chunk checksum', offset, `0x${checksum.toString(16)}`, `0x${sum.toString(16)}`);
  return columns;
}

function readColumn(stored: Buffer, name: string, element: Element, rows: number, offset: number): Column {
  const array = ELEMENTS[element];
  const bytes = rows * array.BYTES_PER_ELEMENT;
  let raw: Buffer | undefined;
  try {
    if (stored.length >= 4 && stored.readUInt32LE(0) === bytes) raw = unpack(stored);
  } catch {
    // Falls through.
  }
  if (raw?.length !== bytes)
    throw wrong(`column ${name}`, offset, `${bytes} bytes behind LZ4`, `${stored.length} bytes that are not`);
  const column = new array(rows);
  new Uint8Array(column.buffer).set(raw);
  return column;
}

/** And where the chunks end. */
function readDirectory(file: ByteSource): { directory: Directory; end: number } {
  const header = file.read(0, HEADER_BYTES);
  const magic = header.toString('latin1', 0, 8);
  if (magic !== SAMPLES_MAGIC)
    throw new SamplesError(
      'samples magic',
      0,
      SAMPLES_MAGIC,
      JSON.stringify(magic),
      'this is not a file of samples; dprof import makes one of a perf.data',
    );
  if (header.length < HEADER_BYTES) throw wrong('samples header', 0, `${HEADER_BYTES} bytes`, `${header.length}`);
  const version = header.readUInt32LE(8);
  if (version !== SAMPLES_VERSION)
    throw new SamplesError(
      'samples version',
      8,
      `${SAMPLES_VERSION}`,
      `${version}`,
      'it was written by another dprof; update, or import the recording again',
    );
  const trailerAt = file.length - TRAILER_BYTES;
  const trailer = file.read(Math.max(HEADER_BYTES, trailerAt), TRAILER_BYTES);
  if (trailer.length < TRAILER_BYTES || trailer.toString('latin1', 24) !== END_MAGIC)
    throw wrong('samples trailer', Math.max(HEADER_BYTES, trailerAt), `"${END_MAGIC}"`, 'a file that is not whole');
  const checksum = crc32(trailer.subarray(0, 20), crc32(header));
  if (checksum !== trailer.readUInt32LE(20))
    throw wrong(
      'samples trailer',
      trailerAt + 20,
      `0x${trailer.readUInt32LE(20).toString(16)}`,
      `0x${checksum.toString(16)}`,
    );
  const end = Number(trailer.readBigUInt64LE(0));
  const bytes = trailer.readUInt32LE(8);
  if (end + bytes !== trailerAt)
    throw wrong('samples directory', trailerAt, `an end at ${trailerAt}`, `${end + bytes}`);
  const packed = file.read(end, bytes);
  if (crc32(packed) !== trailer.readUInt32LE(12))
    throw wrong(
      'samples directory',
      end,
      `0x${trailer.readUInt32LE(12).toString(16)}`,
      `0x${crc32(packed).toString(16)}`,
    );
  try {
    const directory = JSON.parse(unpack(packed).toString()) as Directory;
    const lists = [
      directory.columns,
      directory.chunks,
      directory.events,
      directory.mappings,
      directory.names,
      directory.threads,
    ];
    if (lists.every(Array.isArray) && directory.run && directory.lost?.skipped) return { directory, end };
  } catch {
    // Falls through: what is not JSON and what lacks a part are equally not a directory.
  }
  throw wrong(
    'samples directory',
    end,
    'JSON with run, events, mappings, names, threads, lost, columns and chunks',
    'something else',
  );
}

function wrong(what: string, offset: number, expected: string, actual: string): SamplesError {
  return new SamplesError(what, offset, expected, actual, HINT);
}
