// Stage: profile. Bytes that have to wait until what comes before them is known: a few in memory, more in a file.

import { closeSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { DprofError } from '../base/dprof-error.js';
import { openNamelessFile } from '../base/nameless-file.js';

const MOST_BYTES_IN_MEMORY = 8 << 20;
const PART_BYTES = 1 << 20;

export class Spool {
  #inMemory: Buffer[] = [];
  #inMemoryBytes = 0;
  #file: number | undefined;
  #fileBytes = 0;

  get length(): number {
    return this.#fileBytes + this.#inMemoryBytes;
  }

  add(bytes: Buffer): void {
    this.#inMemory.push(bytes);
    this.#inMemoryBytes += bytes.length;
    if (this.#inMemoryBytes > MOST_BYTES_IN_MEMORY) this.#spill();
  }

  /** All that was added, in order; as often as it is asked for. A part is good until the next one. */
  *parts(): Generator<Buffer> {
    const buffer = Buffer.alloc(Math.min(PART_BYTES, this.#fileBytes));
    for (let at = 0; at < this.#fileBytes; ) {
      const got = readSync(this.#file!, buffer, 0, Math.min(buffer.length, this.#fileBytes - at), at);
      if (got === 0)
        throw new DprofError(`cannot read a file in ${tmpdir()} again`, 'name another folder: TMPDIR=FOLDER dprof ...');
      yield buffer.subarray(0, got);
      at += got;
    }
    yield* this.#inMemory;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #spill(): void {
    this.#file ??= openNamelessFile();
    try {
      for (const bytes of this.#inMemory) {
        for (let at = 0; at < bytes.length; )
          at += writeSync(this.#file, bytes, at, bytes.length - at, this.#fileBytes + at);
        this.#fileBytes += bytes.length;
      }
      this.#inMemory = [];
      this.#inMemoryBytes = 0;
    } catch (error) {
      throw new DprofError(
        `cannot write a file in ${tmpdir()} (${(error as NodeJS.ErrnoException).code})`,
        'name a folder with room: TMPDIR=FOLDER dprof ...',
      );
    }
  }
}
