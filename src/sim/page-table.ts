// Stage: replay. Page numbers to frames: pages are anywhere in memory, frames are numbered densely, so that columns can
// be kept by frame. References stay within few pages for long, so the hash table is only asked where the page was not
// met lately.

export const PAGE_BYTES = 4096;
const MET = 1 << 12;

export class PageTable {
  private readonly frames = new Map<number, number>();
  /** Direct-mapped: the pages met last and their frames. */
  private readonly metPage = new Float64Array(MET).fill(-1);
  private readonly metFrame = new Int32Array(MET);

  get count(): number {
    return this.frames.size;
  }

  /** A page that is new gets the next frame. */
  frameOf(page: number): number {
    const at = page & (MET - 1);
    return this.metPage[at] === page ? this.metFrame[at] : this.meet(page, at);
  }

  /** Undefined if the page is not there. */
  find(page: number): number | undefined {
    return this.frames.get(page);
  }

  /** All pages and their frames. */
  entries(): IterableIterator<[number, number]> {
    return this.frames.entries();
  }

  private meet(page: number, at: number): number {
    let frame = this.frames.get(page);
    if (frame === undefined) this.frames.set(page, (frame = this.frames.size));
    this.metPage[at] = page;
    this.metFrame[at] = frame;
    return frame;
  }
}
