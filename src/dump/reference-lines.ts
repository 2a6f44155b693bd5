// Stage: trace -> text. Accesses to lines: core, kind, address, size.

import type { AccessSink } from '../sim/references.js';
import { LineBuffer } from './line-buffer.js';

const KINDS = Buffer.from('rwa');

/** Writes each access to a line of its own, or to several lines. */
export interface AccessLines extends AccessSink {
  /** The core that makes the next accesses. */
  core: number;
  flush(): void;
}

export class ReferenceLines extends LineBuffer implements AccessLines {
  core = 0;

  access(kind: number, address: number, sizeBytes: number): void {
    this.line(kind, address, sizeBytes);
    this.end();
  }

  /** Without its end. */
  protected line(kind: number, address: number, sizeBytes: number): void {
    this.begin();
    this.decimal(this.core);
    this.space();
    this.byte(KINDS[kind]);
    this.space();
    this.address(address);
    this.space();
    this.decimal(sizeBytes);
  }
}
