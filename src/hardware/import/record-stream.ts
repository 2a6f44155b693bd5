// Stage: hardware. Bytes that come piece by piece to whole records, each with its place.

import { SamplesError } from '../samples/samples-error.js';

/** The place of a record: `at` to `end` of the view. */
export interface RecordPlace {
  view: DataView;
  bytes: Uint8Array;
  at: number;
  end: number;
  /** In the file. */
  offset: number;
  type: number;
  misc: number;
}

export const RECORD_HEADER_BYTES = 8;

export class RecordStream {
  private readonly place: RecordPlace = {
    view: new DataView(new ArrayBuffer(0)),
    bytes: new Uint8Array(0),
    at: 0,
    end: 0,
    offset: 0,
    type: 0,
    misc: 0,
  };
  private rest: Uint8Array = new Uint8Array(0);
  private payload = 0;
  private next: number;

  constructor(
    private readonly isLittle: boolean,
    /** Offset of the first byte. */
    offset: number,
    /**
     * How many bytes behind the record belong to it and are not counted in its size. The place is only good until it
     * returns.
     */
    private readonly onRecord: (record: RecordPlace) => number,
    private readonly onPayload: (bytes: Uint8Array, isLast: boolean) => void,
  ) {
    this.next = offset;
  }

  push(piece: Uint8Array): void {
    const bytes = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    const begin = this.next - this.rest.length;
    this.next += piece.length;
    const { place } = this;
    place.bytes = bytes;
    place.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at < bytes.length) {
      if (this.payload > 0) {
        const part = bytes.subarray(at, Math.min(bytes.length, at + this.payload));
        this.payload -= part.length;
        at += part.length;
        this.onPayload(part, this.payload === 0);
        continue;
      }
      if (at + RECORD_HEADER_BYTES > bytes.length) break;
      const size = place.view.getUint16(at + 6, this.isLittle);
      if (size < RECORD_HEADER_BYTES)
        throw new SamplesError('record', begin + at + 6, `a size of at least ${RECORD_HEADER_BYTES} bytes`, `${size}`);
      if (at + size > bytes.length) break;
      place.at = at;
      place.end = at + size;
      place.offset = begin + at;
      place.type = place.view.getUint32(at, this.isLittle);
      place.misc = place.view.getUint16(at + 4, this.isLittle);
      this.payload = this.onRecord(place);
      at += size;
    }
    // a copy: the piece may be written over
    this.rest = at === bytes.length ? new Uint8Array(0) : Uint8Array.from(bytes.subarray(at));
  }

  /** Bytes that are left over are a record that was cut short. */
  finish(): void {
    if (this.payload > 0)
      throw new SamplesError('data of a record', this.next, `${this.payload} more bytes`, 'the end');
    if (this.rest.length === 0) return;
    const size =
      this.rest.length < RECORD_HEADER_BYTES
        ? RECORD_HEADER_BYTES
        : new DataView(this.rest.buffer).getUint16(6, this.isLittle);
    throw new SamplesError('record', this.next - this.rest.length, `${size} bytes`, `${this.rest.length}`);
  }
}
