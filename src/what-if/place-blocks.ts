// Stage: what-if. Heap blocks where a real allocator puts them: with their new sizes, with blocks of their own for cold
// parts, and with pools.

import { roundUp } from '../base/round-up.js';
import { addressesOf, type AllocatorChoice } from './allocations.js';
import type { ObjectLayout } from './object-layout.js';
import { handsOut, OperationKind, type Operations, type SurveyedObjects } from './survey-columns.js';

export interface BlockRequest {
  layoutOf(object: number): ObjectLayout | null;
  alignOf(object: number): number;
  /** Of blocks that lie in a pool: its number; less than 0: in none. */
  poolOf(object: number): number;
  /** The run's, which others are held against. */
  readonly ofRun: AllocatorChoice;
  /** undefined: the run's. */
  readonly allocator?: AllocatorChoice;
}

const PAGE = 4096;
/** On x86-64 Linux mappings lie below the stack, from the top down; the heap lies behind the program, far below. */
const MAPPED = 0x7000_0000_0000;
/** Of a pool: so much is asked for at a time, or as much as one block needs. */
const POOL_BYTES = 65536;
const POOL_ALIGN = 16;
const LINE_BYTES = 64;

/** Of glibc: a block's size beside what is asked for. */
const HEADER_BYTES = 8;

/** What the run's allocator says of its operations as they are: of many changes it is asked once. */
interface AsRecorded {
  /** Bytes of the block that is in the heap before the first one that was recorded, as libstdc++ has one; 0: none. */
  readonly ahead: number;
  /** By block. */
  readonly found: Float64Array;
}
const unchanged = new WeakMap<Operations, Promise<AsRecorded>>();

/**
 * Writes to `address` and `cold`, by object number, if any block changes. `alike`: blocks that the allocator puts where
 * the run had them if nothing changes; null: it was not asked, as nothing does.
 */
export async function placeBlocks(
  objects: SurveyedObjects,
  operations: Operations,
  request: BlockRequest,
  address: Float64Array,
  cold: Float64Array,
): Promise<{ blocks: number; alike: number | null }> {
  const made: number[] = [];
  for (let at = 0; at < operations.count; at++) if (handsOut(operations.kind[at])) made.push(at);
  const changed = new ChangedOperations(operations, objects, request);
  if ((!changed.isChanged && request.allocator === undefined) || made.length === 0)
    return { blocks: made.length, alike: null };
  const { block } = operations;
  const blocks = made.map((at) => block[at]);
  const { ofRun } = request;
  const asking = unchanged.get(operations) ?? askAsRecorded(operations, blocks, objects, ofRun);
  unchanged.set(operations, asking);
  const { ahead, found: asRecorded } = await asking;
  const moved = (from: number): number => from + shifts[Number(isMapped(from))];
  const shifts = shiftsOf(blocks, objects.address, asRecorded);
  const alike = made.filter((at) => moved(asRecorded[block[at]]) === objects.address[block[at]]).length;
  // Blocks with lines of their own come from the run's.
  const allocator = request.allocator?.ownLines === true ? ofRun : (request.allocator ?? ofRun);
  const found = await addressesOf(
    behind(allocator.library === undefined ? ahead : 0, changed.columns(), changed.blocks),
    changed.blocks + 1,
    allocator,
  );
  for (const at of made) {
    const object = block[at];
    const pooled = changed.pooled.get(object);
    address[object] = moved(pooled ? found[pooled.block] + pooled.offset : found[object]);
    if (request.layoutOf(object)?.coldSize) cold[object] = moved(found[objects.count + object]);
  }
  return { blocks: made.length, alike };
}

/** Where in a page the heap begins depends on what is allocated before anything is recorded. */
async function askAsRecorded(
  operations: Operations,
  blocks: readonly number[],
  { count, address }: SurveyedObjects,
  ofRun: AllocatorChoice,
): Promise<AsRecorded> {
  const found = await addressesOf(operations, count, ofRun);
  if (ofRun.library !== undefined) return { ahead: 0, found };
  const isAligned = new Set(operations.block.filter((_, at) => operations.kind[at] === OperationKind.aligned));
  const first = blocks.find((block) => !isAligned.has(block) && !isMapped(found[block]) && !isMapped(address[block]));
  const offset = first === undefined ? 0 : (((address[first] - found[first]) % PAGE) + PAGE) % PAGE;
  if (offset === 0 || offset % POOL_ALIGN !== 0) return { ahead: 0, found };
  const ahead = offset + PAGE - HEADER_BYTES;
  return { ahead, found: await addressesOf(behind(ahead, operations, count), count + 1, ofRun) };
}

/** The operations, and before them a block of so many bytes, if any, with this number. */
function behind(ahead: number, operations: Operations, number: number): Operations {
  if (ahead === 0) return operations;
  const { count, kind, thread, block, size, other } = operations;
  return {
    count: count + 1,
    kind: prepended(kind, OperationKind.malloc),
    thread: prepended(thread, 0),
    block: prepended(block, number),
    size: prepended(size, ahead),
    other: prepended(other, 0),
  };
}

function prepended<Column extends Uint8Array | Uint32Array | Float64Array>(column: Column, value: number): Column {
  const made = new (column.constructor as new (length: number) => Column)(column.length + 1);
  made[0] = value;
  made.set(column, 1);
  return made;
}

/** Large blocks are mapped one by one, far above the heap. */
function isMapped(address: number): boolean {
  return address >= MAPPED;
}

/**
 * From where the allocator's process has its heap, and what it maps, to where the run had both: whole pages, so that
 * sets stay.
 */
function shiftsOf(blocks: readonly number[], recorded: Float64Array, found: Float64Array): [number, number] {
  const shiftOf = (areMapped: boolean): number => {
    const first = blocks.find(
      (block) => isMapped(found[block]) === areMapped && isMapped(recorded[block]) === areMapped,
    );
    const other = first ?? blocks[0];
    return Math.round((recorded[other] - found[other]) / PAGE) * PAGE;
  };
  return [shiftOf(false), shiftOf(true)];
}

function alignmentOf(align: number, { kind, other }: { readonly kind: number; readonly other: number }): number {
  return kind === OperationKind.aligned ? Math.max(align, other) : align;
}

/** Most changes ask for about as much as the run did. */
const SPARE_OPERATIONS = 1024;

/** Columns of so many rows, which begin with those of others. */
function roomFor(rows: number, first?: Omit<Operations, 'count'>): Omit<Operations, 'count'> {
  const made = {
    kind: new Uint8Array(rows),
    thread: new Uint32Array(rows),
    block: new Uint32Array(rows),
    size: new Float64Array(rows),
    other: new Float64Array(rows),
  };
  if (first) for (const name of ['kind', 'thread', 'block', 'size', 'other'] as const) made[name].set(first[name]);
  return made;
}

interface OperationRow {
  readonly kind: number;
  readonly thread: number;
  readonly block: number;
  readonly size: number;
  readonly other: number;
}

/**
 * What an allocator is asked for instead. Numbers of blocks: the objects', behind them those of their cold parts,
 * behind those the pools' own.
 */
export class ChangedOperations {
  isChanged = false;
  blocks: number;
  /** By object: a block of its pool, and where in it. */
  readonly pooled = new Map<number, { readonly block: number; readonly offset: number }>();
  private count = 0;
  private rows: Omit<Operations, 'count'>;
  private readonly pools = new Map<string, { block: number; used: number; readonly free: number[] }>();

  constructor(
    operations: Operations,
    private readonly objects: SurveyedObjects,
    private readonly request: BlockRequest,
  ) {
    this.blocks = objects.count * 2;
    this.rows = roomFor(operations.count + SPARE_OPERATIONS);
    for (let at = 0; at < operations.count; at++) {
      const { kind, thread, block, size, other } = operations;
      this.add({ kind: kind[at], thread: thread[at], block: block[at], size: size[at], other: other[at] });
    }
  }

  columns(): Operations {
    const { count, rows } = this;
    return {
      count,
      kind: rows.kind.subarray(0, count),
      thread: rows.thread.subarray(0, count),
      block: rows.block.subarray(0, count),
      size: rows.size.subarray(0, count),
      other: rows.other.subarray(0, count),
    };
  }

  private ask(kind: number, thread: number, block: number, size: number, other: number): void {
    if (this.count === this.rows.kind.length) this.rows = roomFor(this.count * 2, this.rows);
    const { rows, count: row } = this;
    rows.kind[row] = kind;
    rows.thread[row] = thread;
    rows.block[row] = block;
    rows.size[row] = size;
    rows.other[row] = other;
    this.count++;
  }

  private add(row: OperationRow): void {
    const { request } = this;
    if (row.kind === OperationKind.threadEnd) return this.ask(row.kind, row.thread, 0, 0, 0);
    const layout = request.layoutOf(row.block);
    if (request.poolOf(row.block) >= 0) {
      this.isChanged = true;
      this.pool(row, layout);
    } else if (row.kind === OperationKind.free) this.ask(row.kind, row.thread, row.block, 0, 0);
    else {
      const ownLines = request.allocator?.ownLines === true;
      const bytes = layout?.newSize ?? row.size;
      const size = ownLines ? roundUp(Math.max(1, bytes), LINE_BYTES) : bytes;
      const align = Math.max(layout === null ? 0 : request.alignOf(row.block), ownLines ? LINE_BYTES : 0);
      const isAligned = align > 16;
      // No aligned block is made by moving another one.
      if (isAligned && row.kind === OperationKind.realloc && request.poolOf(row.other) < 0)
        this.free(row.thread, row.other);
      this.isChanged ||= size !== row.size || (isAligned && row.kind !== OperationKind.aligned);
      // What realloc moves may be in a pool, where it is not the allocator's.
      const isFresh = row.kind === OperationKind.realloc && request.poolOf(row.other) >= 0;
      if (isFresh) this.giveBack(row.other);
      const kind = isAligned ? OperationKind.aligned : isFresh ? OperationKind.malloc : row.kind;
      this.ask(kind, row.thread, row.block, size, isAligned ? alignmentOf(align, row) : row.other);
    }
    this.addCold(row, layout);
  }

  private addCold({ kind, thread, block, other }: OperationRow, layout: ObjectLayout | null): void {
    const { objects, request } = this;
    const [cold, otherCold] = [objects.count + block, objects.count + other];
    const hadCold = kind === OperationKind.realloc && Boolean(request.layoutOf(other)?.coldSize);
    if (!layout?.coldSize) {
      if (hadCold) this.free(thread, otherCold);
      return;
    }
    this.isChanged = true;
    if (kind === OperationKind.free) this.free(thread, cold);
    else if (hadCold) this.ask(kind, thread, cold, layout.coldSize, otherCold);
    else {
      const fresh = kind === OperationKind.realloc ? OperationKind.malloc : kind;
      this.ask(fresh, thread, cold, layout.coldSize, other);
    }
  }

  private free(thread: number, block: number): void {
    this.ask(OperationKind.free, thread, block, 0, 0);
  }

  /** Blocks of a pool are of one size; freed ones are handed out again, the last one first. */
  private pool({ kind, thread, block, other }: OperationRow, layout: ObjectLayout | null): void {
    const { request } = this;
    if (kind === OperationKind.free) return this.giveBack(block);
    if (kind === OperationKind.realloc) {
      if (request.poolOf(other) < 0) this.free(thread, other);
      else this.giveBack(other);
    }
    const bytes = layout?.newSize ?? this.objects.sizeBytes[block];
    const align = Math.max(POOL_ALIGN, request.alignOf(block));
    const step = roundUp(bytes, align);
    const pool = this.poolFor(block, bytes);
    const freed = pool.free.pop();
    if (freed !== undefined) {
      this.pooled.set(block, this.pooled.get(freed)!);
      return;
    }
    const size = Math.max(POOL_BYTES, step);
    if (pool.block < 0 || pool.used + step > size) {
      [pool.block, pool.used] = [this.blocks++, 0];
      this.ask(OperationKind.aligned, thread, pool.block, size, Math.max(64, align));
    }
    this.pooled.set(block, { block: pool.block, offset: pool.used });
    pool.used += step;
  }

  private giveBack(block: number): void {
    const bytes = this.request.layoutOf(block)?.newSize ?? this.objects.sizeBytes[block];
    this.poolFor(block, bytes).free.push(block);
  }

  private poolFor(block: number, bytes: number): { block: number; used: number; readonly free: number[] } {
    const key = `${this.request.poolOf(block)} ${bytes}`;
    const own = this.pools.get(key) ?? { block: -1, used: 0, free: [] };
    this.pools.set(key, own);
    return own;
  }
}
