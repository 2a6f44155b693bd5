// Stage: command line -> what-if. The words of --interchange and --tile: loops, by a line that accesses memory in the
// innermost one, that are gone through in another order.

import { basename } from 'node:path';
import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { RecordTag, SlotKind } from '../trace/layout.js';

/** A matrix of iterations: `rows` of the outer loop by `columns` of the inner one are gone through at a time. */
export interface Tile {
  readonly rows: number;
  readonly columns: number;
}

/** Loops in another order. */
export interface LoopChanges {
  readonly tiles: readonly Tile[];
  /** By record: the place of its loop's tile, or OTHER or FIXED. */
  readonly tileOf: Int32Array;
}

/** Of records that are no iteration of such a loop, but may stand between its rows. */
export const OTHER = -1;
/** Of records that nothing moves over. */
export const FIXED = -2;
/** All rows there are. */
export const ALL_ROWS = 2 ** 31;

const MOST_TILE = 1 << 20;
const EXAMPLES = {
  '--interchange': "for example --interchange 'matrix.c:19'",
  '--tile': "for example --tile 'matrix.c:19=32', tiles of 32 by 32 iterations",
};

/** Null: none. */
export function loopChanges(
  catalog: Catalog,
  interchange: readonly string[],
  tile: readonly string[],
): LoopChanges | null {
  if (interchange.length === 0 && tile.length === 0) return null;
  const tileOf = movableRecords(catalog);
  const tiles: Tile[] = [];
  const add = (option: keyof typeof EXAMPLES, line: string, size: Tile): void => {
    for (const record of recordsAt(catalog, tileOf, line, option)) {
      if (tileOf[record] >= 0)
        throw new DprofError(`${option}: the loop at ${line} has another order already`, 'name each loop once', 2);
      tileOf[record] = tiles.length;
    }
    tiles.push(size);
  };
  for (const line of interchange) add('--interchange', line.trim(), { rows: ALL_ROWS, columns: 1 });
  for (const text of tile) {
    const [, line, count] = /^\s*(.+?)\s*=\s*(\d+)\s*$/.exec(text) ?? [];
    const size = Number(count);
    if (line === undefined || size < 2 || size > MOST_TILE)
      throw new DprofError(
        `--tile: '${text}' does not end in = and 2 to ${MOST_TILE} iterations`,
        EXAMPLES['--tile'],
        2,
      );
    add('--tile', line, { rows: size, columns: size });
  }
  return { tiles, tileOf };
}

/** By record: OTHER if it only loads and stores, at addresses that it names, within a function. */
export function movableRecords({ records, slots }: Catalog): Int32Array {
  const movable: readonly number[] = [SlotKind.load, SlotKind.store, SlotKind.value, SlotKind.argument];
  return Int32Array.from({ length: records.count }, (_, record) => {
    const first = records.firstSlot[record];
    const kinds = slots.kind.subarray(first, first + records.slotCount[record]);
    const isMovable = records.tag[record] === RecordTag.segment && records.flags[record] === 0;
    return isMovable && kinds.every((kind) => movable.includes(kind)) ? OTHER : FIXED;
  });
}

function recordsAt(
  { records, slots }: Catalog,
  tileOf: Int32Array,
  line: string,
  option: keyof typeof EXAMPLES,
): number[] {
  const lines = new Set<string>();
  const found: number[] = [];
  for (let record = 0; record < records.count; record++) {
    if (tileOf[record] === FIXED) continue;
    const first = records.firstSlot[record];
    const own = new Set<string>();
    for (let slot = first; slot < first + records.slotCount[record]; slot++)
      for (const name of [slots.file[slot], basename(slots.file[slot])]) own.add(`${name}:${slots.line[slot]}`);
    for (const name of own) lines.add(name);
    if (own.has(line)) found.push(record);
  }
  if (found.length > 0) return found;
  const close = closestLines(line, [...lines]);
  throw new DprofError(
    `${option}: no loop of loads and stores was recorded at '${line}'`,
    close.length > 0 ? `nearest: ${close.join(', ')}` : EXAMPLES[option],
    2,
  );
}

/** Of the file, those that are not far; of no such file, those that are spelled much like it. */
function closestLines(line: string, lines: readonly string[]): string[] {
  const [file, number] = [line.slice(0, line.lastIndexOf(':')), Number(line.slice(line.lastIndexOf(':') + 1))];
  const far = (one: string): number => Math.abs(Number(one.slice(one.lastIndexOf(':') + 1)) - number);
  const own = lines.filter((one) => one.startsWith(`${file}:`)).sort((a, b) => far(a) - far(b));
  return own.length > 0 ? own.slice(0, 3) : closestNames(line, lines);
}
