// Stage: trace -> replay. The bytes of one unit: where its tables lie, its strings and its files, each of which is
// decoded once.

import { joinFile } from '../base/source-file.js';
import { LAYOUT, UNIT_MAGIC, UNIT_VERSION } from './layout.js';
import { TraceError } from './trace-error.js';

const HEAD = LAYOUT.dprof_unit_header;
const VERSION_HINT =
  'a part of the program was compiled by a dprof-cc of another version; compile all of it with this one, and ' +
  'record again';

export class UnitBytes {
  readonly view: DataView;
  /** The first is none. */
  readonly files: string[] = [''];
  private readonly strings = new Map<number, string>();
  /** By the offset of the file's name. */
  private readonly directories = new Map<number, string>();
  /** By the same: its place in `files`. */
  private readonly placeOfName = new Map<number, number>();
  private readonly placeOfFile = new Map([['', 0]]);
  private readonly stringsAt: number;
  private readonly stringsEnd: number;

  /** `offset`: of the unit in its section, for errors. */
  constructor(
    private readonly bytes: Buffer,
    private readonly offset: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (this.u32(HEAD.magic) !== UNIT_MAGIC)
      throw this.error(
        'unit magic',
        HEAD.magic,
        `0x${UNIT_MAGIC.toString(16)}`,
        `0x${this.u32(HEAD.magic).toString(16)}`,
      );
    const version = this.u32(HEAD.version);
    if (version !== UNIT_VERSION)
      throw this.error('unit version', HEAD.version, `${UNIT_VERSION}`, `${version}`, VERSION_HINT);
    [this.stringsAt] = this.locate(HEAD.strings_offset, 1);
    this.stringsEnd = this.stringsAt + this.u32(HEAD.strings_bytes);
  }

  /** The file whose name stands at `name` lies in the directory that stands at `directory`. */
  addDirectory(name: number, directory: number): void {
    this.directories.set(this.u32(name), this.string(directory));
  }

  /** [offset, count] of the table whose offset and count stand at `field`. */
  locate(field: number, rowBytes: number): [number, number] {
    const start = this.u32(field);
    const count = this.u32(field + 4);
    if (start + count * rowBytes > this.bytes.length) {
      throw this.error(
        'table of a unit',
        field,
        `within ${this.bytes.length} bytes`,
        `${count} rows of ${rowBytes} bytes from ${start}`,
      );
    }
    return [start, count];
  }

  /** The place in `files` of the file whose name stands at `field`. */
  file(field: number): number {
    const name = this.u32(field);
    let place = this.placeOfName.get(name);
    if (place === undefined) {
      const file = joinFile(this.directories.get(name) ?? '', this.string(field));
      place = this.placeOfFile.get(file);
      if (place === undefined) this.placeOfFile.set(file, (place = this.files.push(file) - 1));
      this.placeOfName.set(name, place);
    }
    return place;
  }

  string(field: number): string {
    const at = this.u32(field);
    let text = this.strings.get(at);
    if (text === undefined) {
      const start = this.stringsAt + at;
      const end = start < this.stringsEnd ? this.bytes.indexOf(0, start) : -1;
      if (at === 0 && this.stringsAt === this.stringsEnd) text = '';
      else if (end < 0 || end >= this.stringsEnd)
        throw this.error(
          'string of a unit',
          field,
          `a terminated string within ${this.stringsEnd - this.stringsAt} bytes`,
          `offset ${at}`,
        );
      else text = this.bytes.toString('utf8', start, end);
      this.strings.set(at, text);
    }
    return text;
  }

  u32(at: number): number {
    return this.view.getUint32(at, true);
  }

  size(at: number): number {
    const value = this.view.getBigUint64(at, true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw this.error('size or offset', at, 'below 2^53', `${value}`);
    return Number(value);
  }

  error(what: string, at: number, expected: string, actual: string, hint?: string): TraceError {
    return new TraceError(`${what} in the units column`, this.offset + at, expected, actual, hint);
  }
}
