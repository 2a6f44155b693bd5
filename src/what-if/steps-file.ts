// Stage: what-if -> replay. Steps of many threads, in any order between threads, to a file without a name that a replay
// reads: chunks as a trace has them, and the directory of where they are.

import { closeSync, writeSync } from 'node:fs';
import { openNamelessFile } from '../base/nameless-file.js';
import { ChunkBegin, type ThreadChunks } from '../contract/input.js';
import { StepEncoder } from '../trace/step-encoder.js';

/** Bytes of a thread's steps that become a chunk. */
const CHUNK_BYTES = 1 << 20;

export class StepsFile {
  readonly descriptor = openNamelessFile();
  private readonly encoders: StepEncoder[] = [];
  private readonly chunks: { offset: number[]; bytes: number[] }[] = [];
  private end = 0;

  /** What takes the thread's next step. */
  thread(number: number): StepEncoder {
    const encoder = (this.encoders[number] ??= new StepEncoder());
    if (encoder.bytes >= CHUNK_BYTES) this.flush(number, encoder);
    return encoder;
  }

  /** No more steps come. By thread number. */
  finish(threads: number): ThreadChunks[] {
    this.encoders.forEach((encoder, number) => this.flush(number, encoder));
    return Array.from({ length: threads }, (_, number) => {
      const { offset = [], bytes = [] } = this.chunks[number] ?? {};
      return {
        offset: Float64Array.from(offset),
        bytes: Uint32Array.from(bytes),
        begins: new Uint8Array(offset.length).fill(ChunkBegin.goesOn),
      };
    });
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private flush(number: number, encoder: StepEncoder): void {
    if (encoder.steps === 0) return;
    const payload = encoder.takeChunk();
    const own = (this.chunks[number] ??= { offset: [], bytes: [] });
    own.offset.push(this.end);
    own.bytes.push(payload.length);
    for (let done = 0; done < payload.length; )
      done += writeSync(this.descriptor, payload, done, payload.length - done, this.end + done);
    this.end += payload.length;
  }
}
