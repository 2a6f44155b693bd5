// Stage: replay. The earlier uses of each line: transfers between cores, and lines that are write-shared.
// docs/replay/attribution.md.

import { DprofError } from '../base/dprof-error.js';
import type { Objects } from './objects.js';

/** The limit that fits into Node's default memory. */
const MOST_LINES = 1 << 20;

interface LineUse {
  previousCore: number;
  /** Whether the first reference by that core, since the line came to it, was order-bound. */
  isOrderBound: boolean;
  /** The life that covered the whole line last, and how the line was used since that life began. */
  coveredBy: number;
  firstCore: number;
  isShared: boolean;
  isStored: boolean;
}

export interface LineReference {
  readonly isTransfer: boolean;
  readonly isOrderBoundTransfer: boolean;
  readonly isWriteShared: boolean;
}

export class LineUses {
  private readonly lines = new Map<number, LineUse>();

  constructor(
    private readonly lineBytes: number,
    private readonly objects: Pick<Objects, 'coveringLife'>,
    private readonly mostLines = MOST_LINES,
  ) {}

  /**
   * A reference by the core. It is a transfer if the line's previous reference came from another core; an order-bound
   * one if it or the reference that brought the line to that other core is order-bound. The line is write-shared if two
   * cores referenced it, one of them storing, since the last object that covers it whole began.
   */
  reference(line: number, core: number, isStore: boolean, isOrderBound: boolean): LineReference {
    const use = this.useOf(line, core, isOrderBound);
    const isTransfer = use.previousCore !== core;
    const isOrderBoundTransfer = isTransfer && (isOrderBound || use.isOrderBound);
    if (isTransfer) Object.assign(use, { previousCore: core, isOrderBound });
    const coveredBy = this.objects.coveringLife(line * this.lineBytes);
    if (use.coveredBy !== coveredBy)
      Object.assign(use, { coveredBy, firstCore: core, isShared: false, isStored: false });
    use.isShared ||= use.firstCore !== core;
    use.isStored ||= isStore;
    return { isTransfer, isOrderBoundTransfer, isWriteShared: use.isShared && use.isStored };
  }

  private useOf(line: number, core: number, isOrderBound: boolean): LineUse {
    let use = this.lines.get(line);
    if (use !== undefined) return use;
    if (this.lines.size === this.mostLines)
      throw new DprofError(
        `the trace references more than ${this.mostLines} cache lines, too many for the TypeScript engine`,
        'replay it with --engine native',
      );
    use = { previousCore: core, isOrderBound, coveredBy: -1, firstCore: core, isShared: false, isStored: false };
    this.lines.set(line, use);
    return use;
  }
}
