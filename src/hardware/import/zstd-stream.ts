// Stage: hardware. Compressed records (perf record -z) to the bytes of the records they hold: one zstd stream in
// pieces, which fzstd unpacks. Its frames and blocks are walked first, so that memory and time are bounded before the
// library sees them: it keeps a whole window and moves it for every block.

import { Decompress } from 'fzstd';
import { SamplesError } from '../samples/samples-error.js';

/** The window that zstd's manual asks every decoder for; levels up to 19 need no more. */
const MOST_WINDOW_BYTES = 8 << 20;
/**
 * The window moves once for each block: some minutes of it. With perf's level 1, whose windows have 512 KiB, that is
 * four million blocks, one for each time that perf emptied a buffer.
 */
const MOST_MOVED_BYTES = 2 ** 41;
const FRAME_MAGIC = 0xfd2fb528;
const FRAME_HEADER_MOST = 18;
const HINT = 'the file is damaged, or was compressed with a level above 19: record again with perf record -z';

export class ZstdStream {
  private readonly library: Decompress;
  private readonly pending: number[] = [];
  /** Bytes of the block or checksum that are still to be passed over. */
  private skip = 0;
  private inFrame = false;
  private hasChecksum = false;
  private isLastBlock = false;
  private window = 0;
  private moved = 0;
  /** The error that the reader of the records threw; the library's own errors are elsewhere. */
  private failure: unknown;

  constructor(onBytes: (bytes: Uint8Array) => void) {
    this.library = new Decompress((bytes) => {
      try {
        if (bytes.length > 0) onBytes(bytes);
      } catch (error) {
        this.failure = error;
        throw error;
      }
    });
  }

  /** `offset`: of the piece in the file, for errors. */
  push(piece: Uint8Array, offset: number): void {
    this.walk(piece, offset);
    try {
      this.library.push(Uint8Array.from(piece));
    } catch (error) {
      if (error === this.failure) throw error;
      throw new SamplesError('compressed records', offset, 'a zstd stream', String((error as Error).message), HINT);
    }
  }

  /** Headers of frames and blocks, byte by byte where they are cut; what they enclose is passed over. */
  private walk(piece: Uint8Array, offset: number): void {
    for (let at = 0; at < piece.length; ) {
      if (this.skip > 0) {
        const step = Math.min(this.skip, piece.length - at);
        this.skip -= step;
        at += step;
        continue;
      }
      if (!this.inFrame && this.isLastBlock)
        throw new SamplesError('compressed records', offset + at, 'one zstd frame', 'another behind it', HINT);
      this.pending.push(piece[at++]);
      if (this.inFrame) this.readBlockHeader(offset + at);
      else this.readFrameHeader(offset + at);
    }
  }

  private readFrameHeader(offset: number): void {
    const { pending } = this;
    if (pending.length === 4) {
      const magic = (pending[0] | (pending[1] << 8) | (pending[2] << 16) | (pending[3] << 24)) >>> 0;
      if (magic !== FRAME_MAGIC)
        throw new SamplesError('compressed records', offset - 4, 'a zstd frame', `0x${magic.toString(16)}`, HINT);
    }
    if (pending.length < 5 || pending.length > FRAME_HEADER_MOST) return;
    const descriptor = pending[4];
    const isSingle = (descriptor & 32) !== 0;
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3];
    const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6];
    const headerBytes = 5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes;
    if (pending.length < headerBytes) return;
    this.window = isSingle ? contentBytes(pending.slice(headerBytes - sizeBytes)) : windowBytes(pending[5]);
    if (this.window > MOST_WINDOW_BYTES)
      throw new SamplesError(
        'compressed records',
        offset,
        `a window of at most ${MOST_WINDOW_BYTES} bytes`,
        `${this.window}`,
        HINT,
      );
    this.hasChecksum = (descriptor & 4) !== 0;
    this.inFrame = true;
    pending.length = 0;
  }

  private readBlockHeader(offset: number): void {
    const { pending } = this;
    if (pending.length < 3) return;
    const header = pending[0] | (pending[1] << 8) | (pending[2] << 16);
    pending.length = 0;
    this.moved += this.window;
    if (this.moved > MOST_MOVED_BYTES)
      throw new SamplesError(
        'compressed records',
        offset,
        `at most ${Math.floor(MOST_MOVED_BYTES / this.window)} blocks for a window of ${this.window} bytes`,
        'more',
        HINT,
      );
    const isRepeated = ((header >> 1) & 3) === 1;
    this.skip = isRepeated ? 1 : header >> 3;
    if ((header & 1) === 0) return;
    this.isLastBlock = true;
    this.inFrame = false;
    if (this.hasChecksum) this.skip += 4;
  }
}

function windowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentBytes(bytes: readonly number[]): number {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0) + (bytes.length === 2 ? 256 : 0);
}
