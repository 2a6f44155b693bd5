// Stage: hardware. File to samples: the mirror of samples-writer.ts. Lengths, checksums and indices are checked before anything is used; chunks are read one
// at a time, or all into one set of columns.

import { crc32 } from 'node:zlib';
import { bytesOfBuffer, bytesOfFile, type ByteSource } from '../profile/byte-source.js';
import { unpack } from '../profile/packed-column.js';
import { COLUMN_NAMES, COLUMNS, ELEMENTS, makeColumns, SOURCES, type Column, type SampleColumns, type SampledEvent, type SampleTables } from './samples.js';
import { END_MAGIC, HEADER_BYTES, SAMPLES_MAGIC, SAMPLES_VERSION, TRAILER_BYTES, type ChunkEntry, type Directory } from './samples-format.js';
import { SamplesError } from './samples-error.js';
import { SERVED_BY } from './served-by.js';

const HINT = 'the file is damaged or was not written by dprof import; import the recording again';
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
  const { columns, chunks, ...tables } = directory;
  for (const [index, name] of COLUMN_NAMES.entries()) {
    const entry = columns[index];
    if (entry?.name !== name || entry.element !== COLUMNS[name]) throw wrong('column list', end, `${name} (${COLUMNS[name]})`, `${entry?.name} (${entry?.element})`);
  }
  let offset = HEADER_BYTES;
  for (const chunk of chunks) offset = checkPlace(chunk, offset, end);
  if (offset !== end) throw wrong('chunks', offset, `an end at ${end}`, `${offset}`);
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  checkEvents(tables.events, rows, end);
  return {
    tables,
    rows,
    *chunks() {
      for (const chunk of chunks) yield readChunk(file, chunk, tables.events.length);
    },
    close: () => file.close(),
  };
}

function checkPlace({ offset, rows, storedBytes }: ChunkEntry, expected: number, end: number): number {
  if (offset !== expected) throw wrong('chunk', expected, `an offset of ${expected}`, `${offset}`);
  if (!Number.isInteger(rows) || rows < 1 || rows > MOST_CHUNK_ROWS) throw wrong('chunk', offset, `1 to ${MOST_CHUNK_ROWS} samples`, `${rows}`);
  if (!Array.isArray(storedBytes) || storedBytes.length !== COLUMN_NAMES.length || !storedBytes.every(isCount)) throw wrong('chunk', offset, `bytes of ${COLUMN_NAMES.length} columns`, JSON.stringify(storedBytes)?.slice(0, 100) ?? 'nothing');
  const next = storedBytes.reduce((sum, bytes) => sum + bytes, offset);
  if (next > end) throw wrong('chunk', offset, `an end of at most ${end}`, `${next}`);
  return next;
}

function checkEvents(events: readonly SampledEvent[], rows: number, at: number): void {
  for (const event of events) {
    if (typeof event?.name !== 'string' || !SOURCES.includes(event.source) || !Array.isArray(event.fields) || !isCount(event.samples)) throw wrong('event', at, 'a name, a source, fields and samples', JSON.stringify(event)?.slice(0, 100) ?? 'nothing');
  }
  const samples = events.reduce((sum, event) => sum + event.samples, 0);
  if (samples !== rows) throw wrong('events', at, `${rows} samples`, `${samples}`);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function readChunk(file: ByteSource, { offset, rows, storedBytes, checksum }: ChunkEntry, events: number): SampleChunk {
  let at = offset;
  let sum = 0;
  const columns: Record<string, Column> = {};
  for (const [index, name] of COLUMN_NAMES.entries()) {
    const stored = file.read(at, storedBytes[index]);
    sum = crc32(stored, sum);
    columns[name] = readColumn(stored, name, rows, at);
    at += storedBytes[index];
  }
  if (sum !== checksum) throw wrong('chunk checksum', offset, `0x${checksum.toString(16)}`, `0x${sum.toString(16)}`);
  const chunk = columns as unknown as SampleColumns;
  for (let row = 0; row < rows; row++) {
    if (chunk.event[row] >= events) throw wrong('samples', offset, `events below ${events}`, `${chunk.event[row]}`);
    if (chunk.servedBy[row] >= SERVED_BY.length) throw wrong('samples', offset, `levels below ${SERVED_BY.length}`, `${chunk.servedBy[row]}`);
  }
  return { columns: chunk, rows };
}

function readColumn(stored: Buffer, name: keyof typeof COLUMNS, rows: number, offset: number): Column {
  const array = ELEMENTS[COLUMNS[name]];
  const bytes = rows * array.BYTES_PER_ELEMENT;
  let raw: Buffer | undefined;
  try {
    if (stored.length >= 4 && stored.readUInt32LE(0) === bytes) raw = unpack(stored);
  } catch {
    // Falls through.
  }
  if (raw?.length !== bytes) throw wrong(`column ${name}`, offset, `${bytes} bytes behind LZ4`, `${stored.length} bytes that are not`);
  const column = new array(rows);
  new Uint8Array(column.buffer).set(raw);
  return column;
}

/** And where the chunks end. */
function readDirectory(file: ByteSource): { directory: Directory; end: number } {
  const header = file.read(0, HEADER_BYTES);
  const magic = header.toString('latin1', 0, 8);
  if (magic !== SAMPLES_MAGIC) throw new SamplesError('samples magic', 0, SAMPLES_MAGIC, JSON.stringify(magic), 'this is not a file of samples; dprof import makes one of a perf.data');
  if (header.length < HEADER_BYTES) throw wrong('samples header', 0, `${HEADER_BYTES} bytes`, `${header.length}`);
  const version = header.readUInt32LE(8);
  if (version !== SAMPLES_VERSION) throw new SamplesError('samples version', 8, `${SAMPLES_VERSION}`, `${version}`, 'it was written by another dprof; update, or import the recording again');
  const trailerAt = file.length - TRAILER_BYTES;
  const trailer = file.read(Math.max(HEADER_BYTES, trailerAt), TRAILER_BYTES);
  if (trailer.length < TRAILER_BYTES || trailer.toString('latin1', 24) !== END_MAGIC) throw wrong('samples trailer', Math.max(HEADER_BYTES, trailerAt), `"${END_MAGIC}"`, 'a file that is not whole');
  const checksum = crc32(trailer.subarray(0, 20), crc32(header));
  if (checksum !== trailer.readUInt32LE(20)) throw wrong('samples trailer', trailerAt + 20, `0x${trailer.readUInt32LE(20).toString(16)}`, `0x${checksum.toString(16)}`);
  const end = Number(trailer.readBigUInt64LE(0));
  const bytes = trailer.readUInt32LE(8);
  if (end + bytes !== trailerAt) throw wrong('samples directory', trailerAt, `an end at ${trailerAt}`, `${end + bytes}`);
  const packed = file.read(end, bytes);
  if (crc32(packed) !== trailer.readUInt32LE(12)) throw wrong('samples directory', end, `0x${trailer.readUInt32LE(12).toString(16)}`, `0x${crc32(packed).toString(16)}`);
  try {
    const directory = JSON.parse(unpack(packed).toString()) as Directory;
    const lists = [directory.columns, directory.chunks, directory.events, directory.mappings, directory.names, directory.threads];
    if (lists.every(Array.isArray) && directory.run && directory.lost?.skipped) return { directory, end };
  } catch {
    // Falls through: what is not JSON and what lacks a part are equally not a directory.
  }
  throw wrong('samples directory', end, 'JSON with run, events, mappings, names, threads, lost, columns and chunks', 'something else');
}

function wrong(what: string, offset: number, expected: string, actual: string): SamplesError {
  return new SamplesError(what, offset, expected, actual, HINT);
}
