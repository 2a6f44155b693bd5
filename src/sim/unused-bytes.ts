// Stage: replay. Bytes that an L1 fetched and that no reference touched before the line left, by what they lie in.
// docs/replay/attribution.md.

import { NO_INDEX } from '../base/ids.js';
import { setsOf, type Machine } from '../replay/machine.js';
import type { UnusedBytesTable } from '../replay/result.js';
import type { Catalog } from '../trace/catalog.js';
import { NO_LINE } from './cache.js';
import type { Labels } from './labels.js';
import { LeafRuns } from './leaf-runs.js';
import type { Lines } from './lines.js';
import { ObjectKind, type Objects, type SimObject } from './objects.js';
import { isRecordType } from './tallies.js';

/** An L1, by frame: which line stands there, and which of its bytes were used there, 32 to a word. */
interface Unit {
  readonly line: Int32Array;
  readonly used: Uint32Array;
}

interface Row {
  readonly label: number;
  readonly leaf: number;
  fetchedBytes: number;
  unusedBytes: number;
}

export class UnusedBytes {
  private readonly units: readonly Unit[];
  private readonly lineBytes: number;
  private readonly words: number;
  private readonly leafRuns: LeafRuns;
  /** By label and leaf. */
  private readonly rows: Map<number, Row>[] = [];
  private last: Row | null = null;

  constructor(
    private readonly catalog: Catalog,
    private readonly lines: Lines,
    private readonly objects: Objects,
    private readonly labels: Labels,
    { cores, lineBytes, l1 }: Machine,
  ) {
    const frames = setsOf(l1, lineBytes) * l1.ways;
    this.lineBytes = lineBytes;
    this.words = Math.ceil(lineBytes / 32);
    // There are at most as many L1s as cores.
    this.units = Array.from({ length: cores }, () => ({
      line: new Int32Array(frames).fill(NO_LINE),
      used: new Uint32Array(frames * this.words),
    }));
    this.leafRuns = new LeafRuns(catalog);
  }

  filled(unit: number, frame: number, line: number): void {
    const own = this.units[unit];
    own.line[frame] = line;
    for (let word = 0; word < this.words; word++) own.used[frame * this.words + word] = 0;
  }

  /** A reference touched bytes [begin, end) of the line in the frame. */
  use(unit: number, frame: number, begin: number, end: number): void {
    const { used } = this.units[unit];
    const first = frame * this.words;
    const last = (end - 1) >> 5;
    for (let word = begin >> 5; word <= last; word++)
      used[first + word] |= wordMask(begin - word * 32, end - word * 32);
  }

  /** The line in the frame leaves the L1. */
  left(unit: number, frame: number): void {
    const { line, used } = this.units[unit];
    const address = this.lines.numberOf(line[frame]) * this.lineBytes;
    const end = address + this.lineBytes;
    line[frame] = NO_LINE;
    for (let at = address; at < end; ) {
      const object = this.objects.find(at);
      const until = this.objects.sameUntil(at, end);
      this.countBytes(object, at, until, address, used, frame * this.words);
      at = until;
    }
  }

  /** The run is over: what is still in, leaves. */
  finish(): void {
    this.units.forEach(({ line }, unit) => {
      line.forEach((held, frame) => {
        if (held !== NO_LINE) this.left(unit, frame);
      });
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

  /**
   * Bytes [begin, end), all in the object or all in none, of the line at `address`, whose words of used bytes begin at
   * `firstWord`.
   */
  private countBytes(
    object: SimObject | null,
    begin: number,
    end: number,
    address: number,
    used: Uint32Array,
    firstWord: number,
  ): void {
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
  private countRun(
    label: number,
    leaf: number,
    begin: number,
    end: number,
    used: Uint32Array,
    firstWord: number,
  ): void {
    const row = this.row(label, leaf);
    let usedBytes = 0;
    const last = (end - 1) >> 5;
    for (let word = begin >> 5; word <= last; word++)
      usedBytes += countOnes(used[firstWord + word] & wordMask(begin - word * 32, end - word * 32));
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
