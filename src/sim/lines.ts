// Stage: replay. Cache lines that were ever referenced, numbered densely in order of first touch; what is known of each stands in columns by that
// number. Sets still come from the address.

import { DprofError } from '../base/dprof-error.js';
import { grownTo } from './growing-columns.js';
import { PAGE_BYTES, PageTable } from './page-table.js';

/** What fits the memory that Node gives itself. */
const MAX_LINES = 1 << 22;
const LINE_BYTES = 64;

/** In `onlyCore`. */
export const SEVERAL = -2;

/** Who used a line before: nobody, this core alone, another core alone, or several. */
export const Use = { first: 0, own: 1, second: 2, several: 3 } as const;

export class Lines {
  count = 0;
  /** Address / line size. */
  number = new Float64Array(0);
  /** What chooses its sets: the physical line number, of plain machines the low 32 bits of the program's. */
  place = new Float64Array(0);
  /** Core (of whole machines: domain) that holds it modified, -1 if none. */
  modifiedBy = new Int32Array(0);
  /** The only core that ever referenced it; SEVERAL, or -1 before the first. */
  onlyCore = new Int32Array(0);
  /** Of lines with an `onlyCore`: lives of objects that had begun by its last reference and by its last store, -1 without one. */
  usedAt = new Float64Array(0);
  storedAt = new Float64Array(0);

  private readonly linesOfPage: number;
  /** By frame and line in its page: 1 + the line; 0 none. */
  private known = new Int32Array(0);

  constructor(
    private readonly maxLines = MAX_LINES,
    private readonly placeOf = (lineNumber: number): number => lineNumber % 0x1_0000_0000,
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

  /** The core refers to the line; one of Use. */
  use(line: number, core: number): number {
    const before = this.onlyCore[line];
    if (before === core) return Use.own;
    if (before === SEVERAL) return Use.several;
    this.onlyCore[line] = before === -1 ? core : SEVERAL;
    return before === -1 ? Use.first : Use.second;
  }

  private add(lineNumber: number, at: number): number {
    if (this.count === this.maxLines) {
      throw new DprofError(`the trace references more than ${this.maxLines} cache lines, too many for the TypeScript engine`, 'replay it with --engine native');
    }
    const line = this.count++;
    if (line === this.number.length) this.grow();
    this.number[line] = lineNumber;
    this.place[line] = this.placeOf(lineNumber);
    this.known = grownTo(this.known, at);
    this.known[at] = line + 1;
    return line;
  }

  private grow(): void {
    const line = this.count;
    this.number = grownTo(this.number, line);
    this.place = grownTo(this.place, line);
    this.modifiedBy = grownTo(this.modifiedBy, line, -1);
    this.onlyCore = grownTo(this.onlyCore, line, -1);
    this.usedAt = grownTo(this.usedAt, line, -1);
    this.storedAt = grownTo(this.storedAt, line, -1);
  }
}
