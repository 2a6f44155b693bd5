// Stage: file -> histories. Every checksum and index is checked here, once. What was cut short counts up to the last
// whole chunk.

import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { DprofError } from '../../base/dprof-error.js';
import { locateColumn, unpackColumn } from '../../trace/column.js';
import { CHUNK_MAGIC, CHUNK_MAX_BYTES, LAYOUT } from '../../trace/layout.js';
import { TraceError } from '../../trace/trace-error.js';
import {
  ENDINGS,
  type ElementColumns,
  type Histories,
  type HistoriesEnd,
  type HistoriesRun,
  type HistoryColumns,
  type HistoryType,
  type Place,
} from './histories.js';
import {
  ELEMENT_BYTES,
  ELEMENT_COLUMNS,
  HEADER_BYTES,
  HISTORIES_MAGIC,
  HISTORIES_VERSION,
  HISTORIES_VERSION_NAMES,
  HistoriesChunk,
  ROW_COLUMNS,
} from './histories-layout.js';

const CHUNK = LAYOUT.dprof_chunk_header;
const HINT = 'the file is damaged or was not written by dprof history; take the histories again';

type Columns = Record<string, Uint8Array | Uint32Array | Float64Array | BigUint64Array>;

interface Chunk {
  readonly kind: number;
  readonly offset: number;
  readonly payload: Buffer;
}

export function readHistories(path: string): Histories {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new DprofError(
      `cannot read ${path} (${(error as NodeJS.ErrnoException).code})`,
      'name a file that dprof history wrote',
    );
  }
  return parseHistories(bytes);
}

export function parseHistories(bytes: Buffer): Histories {
  const version = checkHeader(bytes);
  const chunks = [...readChunks(bytes)];
  const run = chunks.find(({ kind }) => kind === HistoriesChunk.run);
  if (run === undefined)
    throw damaged(
      'histories',
      HEADER_BYTES,
      'a RUN chunk',
      chunks.length === 0 ? 'no whole chunk' : `${chunks.length} others`,
    );
  const types = chunks.filter(({ kind }) => kind === HistoriesChunk.type).map((chunk) => parseJson<HistoryType>(chunk));
  const places = new Map<number, Place>();
  for (const chunk of chunks.filter(({ kind }) => kind === HistoriesChunk.places))
    for (const place of parseJson<Place[]>(chunk)) places.set(Number(place.ip), place);
  const parts = chunks.filter(({ kind }) => kind === HistoriesChunk.rows).map(readRows);
  const rows = join<HistoryColumns>(
    ROW_COLUMNS,
    parts.map((part) => part.rows),
  );
  const elements = join<ElementColumns>(
    ELEMENT_COLUMNS,
    parts.map((part) => part.elements),
  );
  const last = chunks.at(-1)!;
  const end = last.kind === HistoriesChunk.end ? parseJson<HistoriesEnd>(last) : null;
  checkRows(rows, types);
  const firstElement = new Uint32Array(rows.type.length + 1);
  rows.elements.forEach((count, row) => void (firstElement[row + 1] = firstElement[row] + count));
  return {
    version,
    versionName: HISTORIES_VERSION_NAMES[version],
    run: parseJson<HistoriesRun>(run),
    types,
    places,
    rows,
    elements,
    firstElement,
    end,
    truncated: end === null,
  };
}

function damaged(what: string, offset: number, expected: string, actual: string): TraceError {
  return new TraceError(what, offset, expected, actual, HINT);
}

function checkHeader(bytes: Buffer): number {
  if (bytes.length < HEADER_BYTES) throw damaged('header', 0, `${HEADER_BYTES} bytes`, `${bytes.length}`);
  const magic = bytes.toString('latin1', 0, 8);
  if (magic !== HISTORIES_MAGIC) throw damaged('magic', 0, HISTORIES_MAGIC, JSON.stringify(magic));
  const stored = bytes.readUInt32LE(28);
  const computed = crc32(bytes.subarray(0, 28));
  if (stored !== computed) throw damaged('header checksum', 28, `${computed}`, `${stored}`);
  const version = bytes.readUInt32LE(8);
  if (version !== HISTORIES_VERSION || bytes.readBigUInt64LE(16) !== 0n) {
    const hint =
      version > HISTORIES_VERSION ? 'read it with the dprof that wrote it, or a newer one' : 'take the histories again';
    throw new TraceError(
      'version',
      8,
      `${HISTORIES_VERSION} ("${HISTORIES_VERSION_NAMES[HISTORIES_VERSION]}") and no features`,
      `${version} and features ${bytes.readBigUInt64LE(16)}`,
      hint,
    );
  }
  return version;
}

function* readChunks(bytes: Buffer): Generator<Chunk> {
  let sequence = 0;
  for (let at = HEADER_BYTES; at + CHUNK.size <= bytes.length; sequence++) {
    const head = bytes.subarray(at, at + CHUNK.size);
    if (head.every((byte) => byte === 0)) return; // a file that was made longer before it was written
    const magic = head.readUInt32LE(CHUNK.magic);
    if (magic !== CHUNK_MAGIC) throw damaged('chunk magic', at, CHUNK_MAGIC.toString(16), magic.toString(16));
    const computed = crc32(head.subarray(0, CHUNK.header_checksum));
    if (computed !== head.readUInt32LE(CHUNK.header_checksum))
      throw damaged(
        'chunk header checksum',
        at + CHUNK.header_checksum,
        `${computed}`,
        `${head.readUInt32LE(CHUNK.header_checksum)}`,
      );
    if (head.readUInt32LE(CHUNK.sequence) !== sequence)
      throw damaged('chunk', at, `number ${sequence}`, `${head.readUInt32LE(CHUNK.sequence)}`);
    const length = head.readUInt32LE(CHUNK.payload_bytes);
    const offset = at + CHUNK.size;
    if (offset + length > bytes.length) return; // cut short
    const payload = bytes.subarray(offset, offset + length);
    if (crc32(payload) !== head.readUInt32LE(CHUNK.payload_checksum))
      throw damaged('chunk checksum', offset, `${head.readUInt32LE(CHUNK.payload_checksum)}`, `${crc32(payload)}`);
    yield { kind: head.readUInt16LE(CHUNK.kind), offset, payload };
    at = offset + length;
  }
}

function parseJson<Value>({ payload, offset }: Chunk): Value {
  try {
    return JSON.parse(payload.toString('utf8')) as Value;
  } catch (error) {
    throw damaged('chunk', offset, 'JSON', error instanceof Error ? error.message : String(error));
  }
}

function readRows({ payload, offset }: Chunk): { rows: Columns; elements: Columns } {
  if (payload.length < 8) throw damaged('ROWS chunk', offset, 'at least 8 bytes', `${payload.length}`);
  const counts = [payload.readUInt32LE(0), payload.readUInt32LE(4)];
  let position = 8;
  const [rows, elements] = [ROW_COLUMNS, ELEMENT_COLUMNS].map((columns, table) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, element]) => {
        const { stored, next } = locateColumn(payload, position, offset);
        const raw = unpackColumn(stored, offset + position);
        const expected = counts[table] * ELEMENT_BYTES[element];
        if (raw.length !== expected || expected > CHUNK_MAX_BYTES)
          throw damaged(`column ${name}`, offset + position, `${expected} bytes`, `${raw.length}`);
        position = next;
        return [name, typed(raw, element)];
      }),
    ),
  );
  if (position !== payload.length)
    throw damaged('ROWS chunk', offset + position, 'its end', `${payload.length - position} more bytes`);
  const listed = (rows.elements as Uint32Array).reduce((sum, count) => sum + count, 0);
  if (listed !== counts[1])
    throw damaged('elements', offset, `${counts[1]}, as the chunk has`, `${listed}, as its histories say`);
  return { rows, elements };
}

function typed(raw: Uint8Array, element: keyof typeof ELEMENT_BYTES): Columns[string] {
  const copy = raw.slice(); // aligned
  if (element === 'u8') return copy;
  if (element === 'u32') return new Uint32Array(copy.buffer);
  const wide = new BigUint64Array(copy.buffer);
  return element === 'stamp' ? wide : Float64Array.from(wide, Number);
}

const ARRAYS = { u8: Uint8Array, u32: Uint32Array, u64: Float64Array, stamp: BigUint64Array } as const;

function join<Table>(columns: Readonly<Record<string, keyof typeof ELEMENT_BYTES>>, parts: readonly Columns[]): Table {
  return Object.fromEntries(
    Object.entries(columns).map(([name, element]) => {
      const whole = new ARRAYS[element](parts.reduce((sum, part) => sum + part[name].length, 0));
      let at = 0;
      for (const part of parts) {
        whole.set(part[name] as never, at);
        at += part[name].length;
      }
      return [name, whole];
    }),
  ) as Table;
}

function checkRows(rows: HistoryColumns, types: readonly HistoryType[]): void {
  rows.type.forEach((type, row) => {
    if (type >= types.length) throw damaged(`type of history ${row + 1}`, 0, `below ${types.length}`, `${type}`);
    if (rows.ending[row] >= ENDINGS.length)
      throw damaged(`ending of history ${row + 1}`, 0, `below ${ENDINGS.length}`, `${rows.ending[row]}`);
    if (rows.watch[row] >= types[type].watches.length)
      throw damaged(`watch of history ${row + 1}`, 0, `below ${types[type].watches.length}`, `${rows.watch[row]}`);
  });
  const open = rows.partner.findIndex((partner) => partner > rows.type.length);
  if (open !== -1)
    throw damaged(`partner of history ${open + 1}`, 0, `at most ${rows.type.length}`, `${rows.partner[open]}`);
}
