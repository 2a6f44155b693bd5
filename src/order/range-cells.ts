// Stage: trace -> replay. Releases of address ranges, found by address and key. A range lies in at most three cells of
// its level, whose cells are at least half as large as it; in a cell, each thread has its own lane, in the order of
// keys.

import type { Release } from './release-lane.js';

export interface RangeRelease extends Release {
  begin: number;
  end: number;
}

/** The releases of one thread in one cell. Their keys rise, and so do the clocks of those that are issued. */
export class RangeLane {
  private releases: RangeRelease[] = [];
  private first = 0;

  constructor(readonly thread: number) {}

  push(release: RangeRelease): void {
    this.releases.push(release);
  }

  /** Takes the oldest, if its key is below `key`. */
  shiftBelow(key: bigint): RangeRelease | undefined {
    const release = this.releases[this.first];
    if (release === undefined || release.key >= key) return undefined;
    this.first++;
    if (this.first > 32 && this.first * 2 > this.releases.length) {
      this.releases = this.releases.slice(this.first);
      this.first = 0;
    }
    return release;
  }

  get isEmpty(): boolean {
    return this.first === this.releases.length;
  }

  get lastClock(): number {
    return this.releases[this.releases.length - 1].clock;
  }

  /** The last release with a key below `key` that overlaps [begin, end). */
  lastBelow(key: bigint, begin: number, end: number): RangeRelease | undefined {
    const { releases, first } = this;
    let low = first;
    let high = releases.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (releases[middle].key < key) low = middle + 1;
      else high = middle;
    }
    for (let index = low - 1; index >= first; index--) {
      const release = releases[index];
      if (release.begin < end && begin < release.end) return release;
    }
    return undefined;
  }
}

const MIN_CELL_BYTES = 64;
const PAGE_CELLS = 64;

class Level {
  private readonly cells = new Map<number, RangeLane[]>();
  /** How many of a page's cells there are, for ranges of many cells. */
  private readonly pages = new Map<number, number>();

  constructor(readonly cellBytes: number) {}

  /** The thread's lanes in the cells of [begin, end), which are made if they are missing. */
  visitOwn(begin: number, end: number, thread: number, visit: (lane: RangeLane) => void): void {
    const last = Math.floor((end - 1) / this.cellBytes);
    for (let cell = Math.floor(begin / this.cellBytes); cell <= last; cell++) {
      let lanes = this.cells.get(cell);
      if (!lanes) {
        this.cells.set(cell, (lanes = []));
        const page = Math.floor(cell / PAGE_CELLS);
        this.pages.set(page, (this.pages.get(page) ?? 0) + 1);
      }
      let lane = lanes.find((candidate) => candidate.thread === thread);
      if (!lane) lanes.push((lane = new RangeLane(thread)));
      visit(lane);
      if (lane.isEmpty) this.drop(cell, lanes, lane);
    }
  }

  visit(begin: number, end: number, visit: (lane: RangeLane) => void): void {
    const first = Math.floor(begin / this.cellBytes);
    const last = Math.floor((end - 1) / this.cellBytes);
    const visitCells = (from: number, to: number): void => {
      for (let cell = from; cell <= to; cell++) this.cells.get(cell)?.forEach(visit);
    };
    if (last - first < PAGE_CELLS) {
      visitCells(first, last);
      return;
    }
    const visitPage = (page: number): void =>
      visitCells(Math.max(first, page * PAGE_CELLS), Math.min(last, page * PAGE_CELLS + PAGE_CELLS - 1));
    const firstPage = Math.floor(first / PAGE_CELLS);
    const lastPage = Math.floor(last / PAGE_CELLS);
    if (lastPage - firstPage > this.pages.size) {
      for (const page of this.pages.keys()) if (page >= firstPage && page <= lastPage) visitPage(page);
    } else for (let page = firstPage; page <= lastPage; page++) if (this.pages.has(page)) visitPage(page);
  }

  /**
   * Takes every release with a key below `key` out: `take` gets it with the begin and end of the part that lies in the
   * cell.
   */
  takeBelow(key: bigint, take: (release: RangeRelease, begin: number, end: number) => void): void {
    for (const [cell, lanes] of this.cells) {
      const begin = cell * this.cellBytes;
      for (const lane of [...lanes]) {
        for (let release = lane.shiftBelow(key); release; release = lane.shiftBelow(key)) {
          take(release, Math.max(release.begin, begin), Math.min(release.end, begin + this.cellBytes));
        }
        if (lane.isEmpty) this.drop(cell, lanes, lane);
      }
    }
  }

  private drop(cell: number, lanes: RangeLane[], lane: RangeLane): void {
    lanes.splice(lanes.indexOf(lane), 1);
    if (lanes.length > 0) return;
    this.cells.delete(cell);
    const page = Math.floor(cell / PAGE_CELLS);
    const left = (this.pages.get(page) ?? 0) - 1;
    if (left > 0) this.pages.set(page, left);
    else this.pages.delete(page);
  }
}

export class RangeCells {
  private readonly levels: Level[] = [];
  /** Releases, each counted once per cell. */
  size = 0;

  push(release: RangeRelease): void {
    if (release.begin >= release.end) return;
    this.levelOf(release).visitOwn(release.begin, release.end, release.thread, (lane) => {
      lane.push(release);
      this.size++;
    });
  }

  /** Takes out the oldest release of its thread. */
  shift(release: RangeRelease): void {
    if (release.begin >= release.end) return;
    this.levelOf(release).visitOwn(release.begin, release.end, release.thread, (lane) => {
      lane.shiftBelow(release.key + 1n);
      this.size--;
    });
  }

  /** Lanes in which releases that overlap [begin, end) can be. */
  visit(begin: number, end: number, visit: (lane: RangeLane) => void): void {
    for (const level of this.levels) level.visit(begin, end, visit);
  }

  takeBelow(key: bigint, take: (release: RangeRelease, begin: number, end: number) => void): void {
    for (const level of this.levels) {
      level.takeBelow(key, (release, begin, end) => {
        this.size--;
        take(release, begin, end);
      });
    }
  }

  private levelOf({ begin, end }: RangeRelease): Level {
    let cellBytes = MIN_CELL_BYTES;
    while (cellBytes * 2 < end - begin) cellBytes *= 2;
    let level = this.levels.find((candidate) => candidate.cellBytes === cellBytes);
    if (!level) this.levels.push((level = new Level(cellBytes)));
    return level;
  }
}
