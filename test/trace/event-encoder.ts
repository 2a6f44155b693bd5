// Stage: test. Steps as objects with bigint words to EVENTS payloads, for traces that are drawn or made up.

import type { EventEntry } from '../../src/trace/event-writer.js';
import { Sync } from '../../src/trace/layout.js';
import { StepEncoder } from '../../src/trace/step-encoder.js';

export type { EventEntry } from '../../src/trace/event-writer.js';

export interface PathStep {
  /** Over the whole trace. */
  readonly path: number;
  /** Coded words: those logged, without the stamp of a STAMPED record. */
  readonly words: readonly bigint[];
  /** If its last record is STAMPED. */
  readonly stamped?: { readonly code: number; readonly stamp: bigint; readonly object: bigint };
}

export type EncodedStep = EventEntry | PathStep;

/** The entry of a STAMPED record. */
export function stampEntry({ code, stamp, object }: NonNullable<PathStep['stamped']>): EventEntry {
  return { code, detail: Sync.atomic, stamp, address: object };
}

export class EventEncoder {
  private readonly encoder = new StepEncoder();

  /** One chunk's payload; chunks of a thread must be encoded in order. */
  encodeChunk(steps: readonly EncodedStep[]): Buffer {
    for (const step of steps) {
      if (!('path' in step)) {
        this.encoder.event(step);
        continue;
      }
      const { path, words, stamped } = step;
      const bits = words.map((word) => BigInt.asUintN(64, word));
      this.encoder.path(
        path,
        bits.map((word) => Number(word & 0xffff_ffffn)),
        bits.map((word) => Number(word >> 32n)),
        words.length,
        stamped && stampEntry(stamped),
      );
    }
    return this.encoder.takeChunk();
  }
}
