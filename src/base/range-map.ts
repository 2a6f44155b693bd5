// Stage: all. Disjoint address ranges, each with a number; sorted in blocks, so that every operation is a search and a
// short move.

const BLOCK = 256;
export const NO_RANGE = -1;

export interface Range {
  readonly begin: number;
  readonly end: number;
  readonly value: number;
}

/** The usual answer of a lookup, which every allocation and frame makes. */
const NO_RANGES: readonly Range[] = [];

interface Block {
  begin: number[];
  end: number[];
  value: number[];
}

export class RangeMap {
  private blocks: Block[] = [];
  /** The range, or the gap, that `find` met last: neighbours in memory are asked for one after the other. */
  private metBegin = 0;
  private metEnd = 0;
  private metValue = NO_RANGE;

  /** Value of the range that contains `address`, or NO_RANGE. */
  find(address: number): number {
    if (address < this.metBegin || address >= this.metEnd) this.meet(address);
    return this.metValue;
  }

  /** What `find` gave last. */
  get found(): number {
    return this.metValue;
  }

  /** `from` and `until` bound the range of addresses that give the value found. */
  get from(): number {
    return this.metBegin;
  }

  get until(): number {
    return this.metEnd;
  }

  private meet(address: number): void {
    const at = this.blockOf(address);
    const block = this.blocks[at];
    const index = block ? lastAtMost(block.begin, address) : -1;
    const isInside = index >= 0 && address < block.end[index];
    const next =
      block && index + 1 < block.begin.length ? block.begin[index + 1] : (this.blocks[at + 1]?.begin[0] ?? Infinity);
    this.metBegin = index < 0 ? -Infinity : isInside ? block.begin[index] : block.end[index];
    this.metEnd = isInside ? block.end[index] : next;
    this.metValue = isInside ? block.value[index] : NO_RANGE;
  }

  /** Ranges that overlap [begin, end), ascending. */
  overlapping(begin: number, end: number): readonly Range[] {
    if (!this.overlaps(begin, end)) return NO_RANGES;
    const found: Range[] = [];
    let at = Math.max(0, this.blockOf(begin));
    let index = Math.max(0, lastAtMost(this.blocks[at].begin, begin));
    for (; at < this.blocks.length; at++, index = 0) {
      const block = this.blocks[at];
      for (; index < block.begin.length; index++) {
        if (block.begin[index] >= end) return found;
        if (block.end[index] > begin)
          found.push({ begin: block.begin[index], end: block.end[index], value: block.value[index] });
      }
    }
    return found;
  }

  overlaps(begin: number, end: number): boolean {
    if (begin >= end || this.blocks.length === 0) return false;
    const block = this.blocks[this.blockOf(end - 1)];
    if (!block) return false;
    const index = lastAtMost(block.begin, end - 1);
    return index >= 0 && block.end[index] > begin;
  }

  /** Whatever stood in [begin, end) goes; ranges that reach out of it keep the rest. */
  put(begin: number, end: number, value: number): void {
    if (begin >= end) return;
    this.clear(begin, end);
    this.insert(begin, end, value);
  }

  clear(begin: number, end: number): void {
    for (const range of this.overlapping(begin, end)) {
      this.delete(range.begin);
      if (range.begin < begin) this.insert(range.begin, begin, range.value);
      if (range.end > end) this.insert(end, range.end, range.value);
    }
  }

  /** Every byte of [begin, end) gets the larger of `value` and what it had. */
  raise(begin: number, end: number, value: number): void {
    let at = begin;
    for (const range of this.overlapping(begin, end)) {
      if (range.value < value) continue;
      this.put(at, Math.max(at, range.begin), value);
      at = range.end;
    }
    this.put(at, end, value);
  }

  private insert(begin: number, end: number, value: number): void {
    this.metEnd = this.metBegin;
    if (this.blocks.length === 0) {
      this.blocks.push({ begin: [begin], end: [end], value: [value] });
      return;
    }
    const at = Math.max(0, this.blockOf(begin));
    const block = this.blocks[at];
    const index = lastAtMost(block.begin, begin) + 1;
    block.begin.splice(index, 0, begin);
    block.end.splice(index, 0, end);
    block.value.splice(index, 0, value);
    if (block.begin.length > BLOCK) {
      const half = BLOCK >> 1;
      this.blocks.splice(at + 1, 0, {
        begin: block.begin.splice(half),
        end: block.end.splice(half),
        value: block.value.splice(half),
      });
    }
  }

  private delete(begin: number): void {
    this.metEnd = this.metBegin;
    const at = this.blockOf(begin);
    const block = this.blocks[at];
    const index = lastAtMost(block.begin, begin);
    block.begin.splice(index, 1);
    block.end.splice(index, 1);
    block.value.splice(index, 1);
    if (block.begin.length === 0) this.blocks.splice(at, 1);
  }

  /** The last block that begins at or below `address`, -1 if none. */
  private blockOf(address: number): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.blocks[middle].begin[0] <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function lastAtMost(sorted: readonly number[], bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= bound) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
