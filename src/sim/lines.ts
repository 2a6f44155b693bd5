// Stage: replay. Cache lines that were ever referenced, numbered densely in order of first touch. Sets still come from the address.

import { DprofError } from '../base/dprof-error.js';

/** What fits the memory that Node gives itself. */
const MAX_LINES = 1 << 22;

export const SEVERAL = -2;

export interface Line {
  readonly id: number;
  readonly number: number;
  /** What chooses its sets: the physical line number, of plain machines the low 32 bits of the program's. */
  readonly place: number;
  /** Core (of whole machines: domain) that holds it modified, -1 if none. */
  modifiedBy: number;
  /** The only core that ever referenced it; SEVERAL, or -1 before the first. */
  onlyCore: number;
  /** Core of the reference before, -1 if none. */
  previousCore: number;
  /** For `writeShared`: the life that covered the whole line last, and who used the line since. */
  coveredBy: number;
  sharedCore: number;
  isShared: boolean;
  isStored: boolean;
}

export class Lines {
  private readonly byNumber = new Map<number, Line>();
  private readonly byId: Line[] = [];
  private lastNumber = -1;
  private last: Line | null = null;

  constructor(
    private readonly maxLines = MAX_LINES,
    private readonly placeOf = (lineNumber: number): number => lineNumber % 0x1_0000_0000,
  ) {}

  at(lineNumber: number): Line {
    if (this.last !== null && lineNumber === this.lastNumber) return this.last;
    let line = this.byNumber.get(lineNumber);
    if (!line) {
      if (this.byId.length === this.maxLines) {
        throw new DprofError(`the trace references more than ${this.maxLines} cache lines, too many for the TypeScript engine`, 'replay it with --engine native');
      }
      line = {
        id: this.byId.length, number: lineNumber, place: this.placeOf(lineNumber), modifiedBy: -1, onlyCore: -1, previousCore: -1,
        coveredBy: -1, sharedCore: -1, isShared: false, isStored: false,
      };
      this.byNumber.set(lineNumber, line);
      this.byId.push(line);
    }
    this.lastNumber = lineNumber;
    this.last = line;
    return line;
  }

  get count(): number {
    return this.byId.length;
  }

  withId(id: number): Line {
    return this.byId[id];
  }
}
