// Stage: replay. Lines that several cores refer to: transfers, and which objects are write-shared.
// docs/replay/attribution.md. Of a line that one core has to itself neither can be said, so a line comes here with its
// second core.

import type { Lines } from './lines.js';
import type { Objects } from './objects.js';

interface SharedLine {
  previousCore: number;
  /** For `writeShared`: the life that covered the whole line last, and who used the line since. */
  coveredBy: number;
  sinceCore: number;
  isShared: boolean;
  isStored: boolean;
}

export class SharedLines {
  /** Of the last reference. */
  isTransfer = false;
  isWriteShared = false;
  private readonly byLine = new Map<number, SharedLine>();

  constructor(
    private readonly lineBytes: number,
    private readonly lines: Lines,
    private readonly objects: Objects,
  ) {}

  /** `owner` had the line to itself so far. */
  add(line: number, owner: number): void {
    const coveredBy = this.coveringLife(line);
    this.byLine.set(line, {
      previousCore: owner,
      coveredBy,
      sinceCore: this.lines.usedAt(line) >= coveredBy ? owner : -1,
      isShared: false,
      isStored: this.lines.storedAt(line) >= Math.max(coveredBy, 0),
    });
  }

  reference(line: number, core: number, isStore: boolean): void {
    const state = this.byLine.get(line)!;
    this.isTransfer = state.previousCore !== core;
    state.previousCore = core;
    const coveredBy = this.coveringLife(line);
    if (state.coveredBy !== coveredBy) {
      state.coveredBy = coveredBy;
      state.sinceCore = -1;
      state.isShared = false;
      state.isStored = false;
    }
    if (state.sinceCore !== -1 && state.sinceCore !== core) state.isShared = true;
    state.sinceCore = core;
    if (isStore) state.isStored = true;
    this.isWriteShared = state.isShared && state.isStored;
  }

  private coveringLife(line: number): number {
    return this.objects.coveringLife(this.lines.numberOf(line) * this.lineBytes);
  }
}
