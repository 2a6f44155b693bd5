// Stage: replay. Cache lines that were ever referenced, numbered densely in order of first touch; what is known of each
// stands in a row by that number. Sets still come from the address.

import { DprofError } from '../base/dprof-error.js';
import { grownTo } from './growing-columns.js';
import { PAGE_BYTES, PageTable } from './page-table.js';

/** What fits the memory that Node gives itself. */
const MAX_LINES = 1 << 22;
const LINE_BYTES = 64;

/** In `onlyCore`. */
export const SEVERAL = -2;

const WIDTH = 8;
const NUMBER = 0;
const PLACE = 1;
const MODIFIED_BY = 2;
const ONLY_CORE = 3;
const USED_AT = 4;
const STORED_AT = 5;

/** Who used a line before: nobody, this core alone, another core alone, or several. */
export const Use = { first: 0, own: 1, second: 2, several: 3 } as const;

export class Lines {
  count = 0;
  /** By line, side by side: what a reference asks of one it asks together. */
  private rows = new Float64Array(0);

  private readonly linesOfPage: number;
  /** By frame and line in its page: 1 + the line; 0 none. */
  private known = new Int32Array(0);

  constructor(
    private readonly maxLines = MAX_LINES,
    private readonly placeAt = (lineNumber: number): number => lineNumber % 0x1_0000_0000,
    lineBytes = LINE_BYTES,
    private readonly pages = new PageTable(),
  ) {
    this.linesOfPage = PAGE_BYTES / lineBytes;
  }

  at(lineNumber: number): number {
    const page = Math.floor(lineNumber / this.linesOfPage);
    return this.inPage(page, this.pages.frameOf(page), lineNumber - page * this.linesOfPage);
  }

  /** Line `index` of a page, which is in `frame`. */
  inPage(page: number, frame: number, index: number): number {
    const at = frame * this.linesOfPage + index;
    const known = at < this.known.length ? this.known[at] : 0;
    return known !== 0 ? known - 1 : this.add(page * this.linesOfPage + index, at);
  }

  /** Address / line size. */
  numberOf(line: number): number {
    return this.rows[line * WIDTH + NUMBER];
  }

  /** What chooses its sets: the physical line number, of plain machines the low 32 bits of the program's. */
  placeOf(line: number): number {
    return this.rows[line * WIDTH + PLACE];
  }

  /** Core (of whole machines: domain) that holds it modified, -1 if none. */
  modifiedBy(line: number): number {
    return this.rows[line * WIDTH + MODIFIED_BY];
  }

  modify(line: number, core: number): void {
    this.rows[line * WIDTH + MODIFIED_BY] = core;
  }

  /** The only core that ever referenced it; SEVERAL, or -1 before the first. */
  onlyCore(line: number): number {
    return this.rows[line * WIDTH + ONLY_CORE];
  }

  /**
   * Of lines with an `onlyCore`: lives of objects that had begun by its last reference, and by its last store, -1
   * without one.
   */
  usedAt(line: number): number {
    return this.rows[line * WIDTH + USED_AT];
  }

  storedAt(line: number): number {
    return this.rows[line * WIDTH + STORED_AT];
  }

  /** Of a line with an `onlyCore`: a reference to it. */
  mark(line: number, isStore: boolean, lifeCount: number): void {
    this.rows[line * WIDTH + USED_AT] = lifeCount;
    if (isStore) this.rows[line * WIDTH + STORED_AT] = lifeCount;
  }

  /** The core refers to the line; one of Use. */
  use(line: number, core: number): number {
    const before = this.rows[line * WIDTH + ONLY_CORE];
    if (before === core) return Use.own;
    if (before === SEVERAL) return Use.several;
    this.rows[line * WIDTH + ONLY_CORE] = before === -1 ? core : SEVERAL;
    return before === -1 ? Use.first : Use.second;
  }

  private add(lineNumber: number, at: number): number {
    if (this.count === this.maxLines) {
      throw new DprofError(
        `the trace references more than ${this.maxLines} cache lines, too many for the TypeScript engine`,
        'replay it with --engine native',
      );
    }
    const line = this.count++;
    this.rows = grownTo(this.rows, line * WIDTH + WIDTH - 1);
    this.rows.fill(-1, line * WIDTH, line * WIDTH + WIDTH);
    this.rows[line * WIDTH + NUMBER] = lineNumber;
    this.rows[line * WIDTH + PLACE] = this.placeAt(lineNumber);
    this.known = grownTo(this.known, at);
    this.known[at] = line + 1;
    return line;
  }
}
