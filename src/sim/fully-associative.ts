// Stage: replay. What a fully associative LRU of some number of lines would hold, shown every reference: tells conflict from capacity.

const NONE = -1;

export class FullyAssociative {
  private size = 0;
  private newest = NONE;
  private oldest = NONE;
  private newer = new Int32Array(64).fill(NONE);
  private older = new Int32Array(64).fill(NONE);
  private isIn = new Uint8Array(64);

  constructor(readonly capacity: number) {}

  /** Shows it a reference; true if it held the line. */
  touch(line: number): boolean {
    if (line === this.newest) return true;
    if (line >= this.isIn.length) this.grow(line + 1);
    const wasIn = this.isIn[line] === 1;
    if (wasIn) this.unlink(line);
    else if (this.size === this.capacity) {
      const victim = this.oldest;
      this.unlink(victim);
      this.isIn[victim] = 0;
    } else this.size++;
    this.isIn[line] = 1;
    this.older[line] = this.newest;
    this.newer[line] = NONE;
    if (this.newest !== NONE) this.newer[this.newest] = line;
    else this.oldest = line;
    this.newest = line;
    return wasIn;
  }

  private unlink(line: number): void {
    const newer = this.newer[line];
    const older = this.older[line];
    if (newer === NONE) this.newest = older;
    else this.older[newer] = older;
    if (older === NONE) this.oldest = newer;
    else this.newer[older] = newer;
  }

  private grow(lines: number): void {
    const length = Math.max(lines, this.isIn.length * 2);
    const widen = (from: Int32Array): Int32Array<ArrayBuffer> => {
      const to = new Int32Array(length).fill(NONE);
      to.set(from);
      return to;
    };
    this.newer = widen(this.newer);
    this.older = widen(this.older);
    const isIn = new Uint8Array(length);
    isIn.set(this.isIn);
    this.isIn = isIn;
  }
}
