// Stage: trace -> replay. A trace file, for all that read parts of it: bytes at any offset.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { readAt } from '../base/read-at.js';

/** Random access to an open trace file. */
export class TraceFile {
  /** Traces that are read together with this one, by path. */
  private readonly others = new Map<string, TraceFile>();

  private constructor(
    readonly path: string,
    private readonly descriptor: number,
    readonly sizeBytes: number,
  ) {}

  static open(path: string): TraceFile {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, 'r');
      const status = fstatSync(descriptor);
      if (status.isFile()) return new TraceFile(path, descriptor, status.size);
    } catch (error) {
      if (descriptor !== undefined) closeSync(descriptor);
      throw new DprofError(
        `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`,
        'name a trace that dprof record wrote',
      );
    }
    closeSync(descriptor);
    throw new DprofError(`cannot read ${path}: not a regular file`, 'name a trace that dprof record wrote');
  }

  /** At the end of the file it returns fewer bytes than asked for. */
  read(offset: number, bytes: number): Buffer {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(bytes, this.sizeBytes - offset)));
    return buffer.subarray(0, readAt(this.descriptor, buffer, offset));
  }

  /** The trace at `path`, for a replay of several. It is closed with this one. */
  beside(path: string): TraceFile {
    if (path === this.path) return this;
    let other = this.others.get(path);
    if (other === undefined) this.others.set(path, (other = TraceFile.open(path)));
    return other;
  }

  close(): void {
    for (const other of this.others.values()) other.close();
    closeSync(this.descriptor);
  }
}
