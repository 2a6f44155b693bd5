// Stage: dataset -> Parquet. Files of the same columns as one file: their row groups behind one another, byte by byte,
// and a footer that names them all. https://parquet.apache.org/docs/file-format/
//
// A footer is a struct of Thrift's compact protocol:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';

const MAGIC = Buffer.from('PAR1');
/** The length of the footer, and the magic. */
const END_BYTES = 8;

/** What changes in a row group that lies elsewhere, by field of https://github.com/apache/parquet-format. */
interface Rules {
  readonly [field: number]: Rules | 'offset' | 'ordinal';
}
const ROW_GROUP: Rules = {
  // Columns: file_offset; meta_data with the offsets of data, indexes, dictionary and bloom filter; page indexes.
  1: { 2: 'offset', 3: { 9: 'offset', 10: 'offset', 11: 'offset', 14: 'offset' }, 4: 'offset', 6: 'offset' },
  5: 'offset',
  7: 'ordinal',
};
/** Of the footer. */
const NUM_ROWS = 3;
const ROW_GROUPS = 4;

const TYPES = { stop: 0, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8, list: 9, set: 10, map: 11, struct: 12 };
const LONG_LIST = 15;

/** Writes `path`. All parts have a row. */
export function joinParquet(parts: readonly string[], path: string): void {
  const output = openSync(path, 'w');
  try {
    writeSync(output, MAGIC);
    let at = MAGIC.length;
    let rows = 0;
    let first: Footer | undefined;
    const groups: Buffer[] = [];
    for (const part of parts) {
      const bytes = readFileSync(part);
      const end = footerOf(bytes, part);
      const footer = new Footer(bytes.subarray(end, -END_BYTES), at - MAGIC.length, groups.length);
      writeAt(output, bytes.subarray(MAGIC.length, end));
      at += end - MAGIC.length;
      rows += footer.rows;
      groups.push(...footer.groups);
      first ??= footer;
    }
    const whole = first!.with(rows, groups);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(whole.length);
    writeAt(output, Buffer.concat([whole, length, MAGIC]));
  } finally {
    closeSync(output);
  }
}

function writeAt(output: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(output, bytes, at);
}

/** Where it begins. */
function footerOf(bytes: Buffer, path: string): number {
  const begin =
    bytes.length - END_BYTES - (bytes.length >= END_BYTES ? bytes.readUInt32LE(bytes.length - END_BYTES) : 0);
  if (begin < MAGIC.length || !bytes.subarray(-MAGIC.length).equals(MAGIC))
    throw new DprofError(`${path} is no whole Parquet file`, 'is there room on the disk?');
  return begin;
}

class Footer {
  readonly rows: number;
  readonly groups: Buffer[] = [];
  /** The fields before and behind those that change. */
  readonly #before: Buffer;
  readonly #behind: Buffer;

  /** `moved`: so many bytes towards the end; `ordinal`: of its first row group. */
  constructor(bytes: Buffer, moved: number, ordinal: number) {
    const from = new CompactReader(bytes);
    let begin = 0;
    for (let field = 0; ; begin = from.at) {
      const header = from.byte();
      field += header >> 4;
      if (field === NUM_ROWS) break;
      from.copy(header & 15);
    }
    this.#before = bytes.subarray(0, begin);
    this.rows = from.varint() / 2;
    from.byte(); // the row groups come next
    const { count } = from.list();
    for (let group = 0; group < count; group++) {
      from.begin({ moved, ordinal: ordinal + group });
      from.copy(TYPES.struct, ROW_GROUP);
      this.groups.push(from.taken());
    }
    this.#behind = bytes.subarray(from.at);
  }

  with(rows: number, groups: readonly Buffer[]): Buffer {
    return Buffer.concat([
      this.#before,
      Buffer.from([(1 << 4) | TYPES.i64, ...varintOf(2 * rows), ((ROW_GROUPS - NUM_ROWS) << 4) | TYPES.list]),
      Buffer.from([(LONG_LIST << 4) | TYPES.struct, ...varintOf(groups.length)]),
      ...groups,
      this.#behind,
    ]);
  }
}

/** Reads values, and copies them with what changes. */
class CompactReader {
  at = 0;
  #pieces: Buffer[] = [];
  #copied = 0;
  #place = { moved: 0, ordinal: 0 };

  constructor(private readonly bytes: Buffer) {}

  byte(): number {
    return this.bytes[this.at++];
  }

  varint(): number {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  list(): { type: number; count: number } {
    const header = this.byte();
    return { type: header & 15, count: header >> 4 === LONG_LIST ? this.varint() : header >> 4 };
  }

  begin(place: { readonly moved: number; readonly ordinal: number }): void {
    this.#place = place;
    this.#pieces = [];
    this.#copied = this.at;
  }

  /** What was copied since. */
  taken(): Buffer {
    return Buffer.concat([...this.#pieces, this.bytes.subarray(this.#copied, this.at)]);
  }

  /** One value. */
  copy(type: number, rule?: Rules[number]): void {
    switch (type) {
      case TYPES.byte:
        this.at++;
        break;
      case TYPES.i16:
      case TYPES.i32:
      case TYPES.i64:
        this.#number(rule);
        break;
      case TYPES.double:
        this.at += 8;
        break;
      case TYPES.binary:
        this.at = this.varint() + this.at;
        break;
      case TYPES.list:
      case TYPES.set: {
        const { type: of, count } = this.list();
        for (let element = 0; element < count; element++) this.#element(of, rule);
        break;
      }
      case TYPES.map: {
        const count = this.varint();
        const types = count > 0 ? this.byte() : 0;
        for (let entry = 0; entry < count; entry++) {
          this.#element(types >> 4);
          this.#element(types & 15);
        }
        break;
      }
      case TYPES.struct:
        this.#struct(typeof rule === 'object' ? rule : {});
    }
  }

  /** A truth value is a byte there; in a field, its type says it. */
  #element(type: number, rule?: Rules[number]): void {
    this.copy(type < TYPES.byte ? TYPES.byte : type, rule);
  }

  #struct(rules: Rules): void {
    for (let field = 0; ; ) {
      const header = this.byte();
      const type = header & 15;
      if (type === TYPES.stop) return;
      field = header >> 4 === 0 ? this.varint() / 2 : field + (header >> 4);
      this.copy(type, rules[field]);
    }
  }

  #number(rule?: Rules[number]): void {
    const begin = this.at;
    const value = this.varint();
    // 0 says that there is no such place.
    if (rule === undefined || (rule === 'offset' && value === 0)) return;
    const own = 2 * (rule === 'offset' ? value / 2 + this.#place.moved : this.#place.ordinal);
    this.#pieces.push(this.bytes.subarray(this.#copied, begin), Buffer.from(varintOf(own)));
    this.#copied = this.at;
  }
}

function varintOf(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) | 128);
  }
}
