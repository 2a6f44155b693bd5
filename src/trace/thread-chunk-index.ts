// Stage: trace -> replay. The chunks of all threads, in the order of the file, to a directory of those that can be
// decoded. A chunk needs the predictions of the chunks before it, up to the last RESTART; so a damaged one takes with
// it all chunks of its thread up to the next RESTART.

import type { TraceDamage } from '../contract/damage.js';
import { ChunkBegin, NO_CHUNKS, type ThreadChunks } from '../contract/input.js';
import { ChunkKind, LAYOUT } from './layout.js';
import { TraceError } from './trace-error.js';

export interface ChunkEntry {
  readonly kind: number;
  readonly thread: number;
  readonly sequence: number;
  /** The payload's offset in the file. */
  readonly offset: number;
  readonly bytes: number;
}

interface OwnChunks {
  /** In the file. */
  count: number;
  readonly decoded: ChunkEntry[];
  readonly begins: number[];
  /** A chunk was damaged, and no RESTART came since. */
  isBroken: boolean;
  lacksSome: boolean;
}

const MAX_THREADS = 1 << 20;
const CHUNK = LAYOUT.dprof_chunk_header;

export function isOfThread(kind: number): boolean {
  return kind === ChunkKind.events || kind === ChunkKind.restart;
}

export class ThreadChunkIndex {
  private readonly threads: OwnChunks[] = [];
  private readonly counts = { chunks: 0, chunksLeftOut: 0, bytes: 0, ofBytes: 0 };

  constructor(private readonly path: string) {}

  /** `isSound`: its checksum is right. */
  add(entry: ChunkEntry, isSound: boolean): void {
    const { counts } = this;
    const own = this.chunksOf(entry);
    const isRestart = entry.kind === ChunkKind.restart;
    counts.ofBytes += entry.bytes;
    if (isSound && (isRestart || !own.isBroken)) {
      own.decoded.push(entry);
      own.begins.push(own.isBroken ? ChunkBegin.gap : isRestart ? ChunkBegin.restart : ChunkBegin.goesOn);
      own.isBroken = false;
      return;
    }
    if (isSound) counts.chunksLeftOut++;
    else counts.chunks++;
    counts.bytes += entry.bytes;
    own.isBroken = own.lacksSome = true;
  }

  freeze(): ThreadChunks[] {
    return Array.from(this.threads, (own) =>
      own === undefined
        ? NO_CHUNKS
        : {
            offset: Float64Array.from(own.decoded, ({ offset }) => offset),
            bytes: Uint32Array.from(own.decoded, ({ bytes }) => bytes),
            begins: Uint8Array.from(own.begins),
          },
    );
  }

  damage(): TraceDamage | null {
    const threads = this.threads.filter((own) => own?.lacksSome).length;
    return threads === 0 ? null : { threads, ...this.counts };
  }

  private chunksOf({ thread, sequence, offset }: ChunkEntry): OwnChunks {
    const at = offset - CHUNK.size;
    if (thread >= MAX_THREADS)
      throw new TraceError(`${this.path}: thread number`, at + CHUNK.thread, `below ${MAX_THREADS}`, `${thread}`);
    const own = (this.threads[thread] ??= { count: 0, decoded: [], begins: [], isBroken: false, lacksSome: false });
    if (sequence !== own.count) {
      throw new TraceError(
        `${this.path}: sequence of thread ${thread}`,
        at + CHUNK.sequence,
        `${own.count}`,
        `${sequence}`,
      );
    }
    own.count++;
    return own;
  }
}
