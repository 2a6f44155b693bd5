// Stage: replay. Bytes that an L1 fetched and that no reference touched before the line left, by what they lie in. docs/replay.md, "Attribution".

import { NO_INDEX } from '../base/ids.js';
import type { UnusedBytesTable } from '../replay/result.js';
import type { Catalog } from '../trace/catalog.js';
import { grownTo } from './growing-columns.js';
import type { Labels } from './labels.js';
import { LeafRuns } from './leaf-runs.js';
import type { Lines } from './lines.js';
import { ObjectKind, type Objects, type SimObject } from './objects.js';
import { isRecordType } from './tallies.js';

/** An L1: which lines it has, and which of their bytes were used there, 32 to a word. */
interface Unit {
  isIn: Uint8Array<ArrayBuffer>;
  used: Uint32Array<ArrayBuffer>;
}

interface Row {
  readonly label: number;
  readonly leaf: number;
  fetchedBytes: number;
  unusedBytes: number;
}

export class UnusedBytes {
  private readonly units: readonly Unit[];
  private readonly words: number;
  private readonly leafRuns: LeafRuns;
  /** By label and leaf. */
  private readonly rows: Map<number, Row>[] = [];
  private last: Row | null = null;

  constructor(
    private readonly catalog: Catalog,
    private readonly lineBytes: number,
    private readonly lines: Lines,
    private readonly objects: Objects,
    private readonly labels: Labels,
    /** At least as many as there are L1s. */
    cores: number,
  ) {
    this.units = Array.from({ length: cores }, () => ({ isIn: new Uint8Array(), used: new Uint32Array() }));
    this.words = Math.ceil(lineBytes / 32);
    this.leafRuns = new LeafRuns(catalog);
  }

  useIfHeld(unit: number, line: number, begin: number, end: number): void {
    const own = this.units[unit];
    if (line < own.isIn.length && own.isIn[line] === 1) this.use(unit, line, begin, end);
  }

  filled(unit: number, line: number): void {
    const own = this.units[unit];
    own.isIn = grownTo(own.isIn, line);
    own.used = grownTo(own.used, (line + 1) * this.words - 1);
    own.isIn[line] = 1;
    own.used.fill(0, line * this.words, (line + 1) * this.words);
  }

  /** A reference touched bytes [begin, end) of a line that is in the L1. */
  use(unit: number, line: number, begin: number, end: number): void {
    const { used } = this.units[unit];
    const first = line * this.words;
    const last = (end - 1) >> 5;
    for (let word = begin >> 5; word <= last; word++) used[first + word] |= wordMask(begin - word * 32, end - word * 32);
  }

  /** The line leaves the L1. */
  left(unit: number, line: number): void {
    const { isIn, used } = this.units[unit];
    isIn[line] = 0;
    const address = this.lines.number[line] * this.lineBytes;
    const end = address + this.lineBytes;
    for (let at = address; at < end; ) {
      const object = this.objects.find(at);
      const until = this.objects.sameUntil(at, end);
      this.countBytes(object, at, until, address, used, line * this.words);
      at = until;
    }
  }

  /** The run is over: what is still in, leaves. */
  finish(): void {
    this.units.forEach(({ isIn }, unit) => {
      for (let line = isIn.indexOf(1); line !== -1; line = isIn.indexOf(1, line + 1)) this.left(unit, line);
    });
  }

  /** A window begins: lines that are in stay in, and count when they leave. */
  restart(): void {
    this.rows.length = 0;
    this.last = null;
  }

  freeze(): UnusedBytesTable {
    const rows = this.rows.flatMap((byLeaf) => [...byLeaf.values()]);
    return {
      count: rows.length,
      label: Uint32Array.from(rows, (row) => row.label),
      leaf: Uint32Array.from(rows, (row) => row.leaf),
      fetchedBytes: Float64Array.from(rows, (row) => row.fetchedBytes),
      unusedBytes: Float64Array.from(rows, (row) => row.unusedBytes),
    };
  }

  /** Bytes [begin, end), all in the object or all in none, of the line at `address`, whose words of used bytes begin at `firstWord`. */
  private countBytes(object: SimObject | null, begin: number, end: number, address: number, used: Uint32Array, firstWord: number): void {
    const label = this.labels.ofByte(object);
    if (object === null || !isRecordType(this.catalog, object.declared)) {
      const leaf = object === null || object.kind === ObjectKind.heap ? NO_INDEX : object.variable;
      this.countRun(label, leaf, begin - address, end - address, used, firstWord);
      return;
    }
    for (let at = begin; at < end; ) {
      const leaf = this.leafRuns.leafAt(object, at);
      const until = Math.min(end, this.leafRuns.until);
      this.countRun(label, leaf, at - address, until - address, used, firstWord);
      at = until;
    }
  }

  /** Bytes [begin, end) of a line, all of one row. */
  private countRun(label: number, leaf: number, begin: number, end: number, used: Uint32Array, firstWord: number): void {
    const row = this.row(label, leaf);
    let usedBytes = 0;
    const last = (end - 1) >> 5;
    for (let word = begin >> 5; word <= last; word++) usedBytes += countOnes(used[firstWord + word] & wordMask(begin - word * 32, end - word * 32));
    row.fetchedBytes += end - begin;
    row.unusedBytes += end - begin - usedBytes;
  }

  private row(label: number, leaf: number): Row {
    if (this.last !== null && this.last.label === label && this.last.leaf === leaf) return this.last;
    const byLeaf = (this.rows[label] ??= new Map());
    let row = byLeaf.get(leaf);
    if (!row) byLeaf.set(leaf, (row = { label, leaf, fetchedBytes: 0, unusedBytes: 0 }));
    return (this.last = row);
  }
}

/** Bits [begin, end) of a word, where both may lie outside it. */
function wordMask(begin: number, end: number): number {
  const low = begin <= 0 ? -1 : -1 << begin;
  return end >= 32 ? low : low & ~(-1 << end);
}

function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
