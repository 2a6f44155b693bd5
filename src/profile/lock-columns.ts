// Stage: replay -> profile. Locks with names: those that read the same are one row, whoever has them where.

import { NO_INDEX } from '../base/ids.js';
import { CALL_PATH_FRAMES, LABEL_KINDS, type ReplayResult } from '../replay/result.js';
import { LabelTypes } from './label-columns.js';
import type { Renumber } from './profile-builder.js';
import type { LockColumns } from './profile.js';
import type { RowNames } from './row-names.js';

const type = LABEL_KINDS.indexOf('type');

/** Numbers of a lock: sums, but that the longest are the largest. */
export const LOCK_COUNTS = [
  'locks',
  'acquisitions',
  'waits',
  'wait',
  'longestWait',
  'holds',
  'hold',
  'longestHold',
  'unreleased',
] as const;
export const LOCK_DATA_COUNTS = ['references', 'misses', 'trueSharing', 'falseSharing'] as const;

type Counts<Names extends readonly string[]> = Record<Names[number], number>;
type Columns<Names extends readonly string[]> = Readonly<Record<Names[number], Float64Array>>;

export interface LockRow {
  readonly kind: number;
  readonly type: number;
  readonly name: number;
  readonly counts: Counts<typeof LOCK_COUNTS>;
  /** Acquisitions. */
  readonly byThread: Map<number, number>;
  /** By string of the call path; NO_INDEX unknown. */
  readonly byPath: Map<number, number>;
  /** By row type. */
  readonly data: Map<number, Counts<typeof LOCK_DATA_COUNTS>>;
}

/** Rows as they are added up, by kind and name. */
export class LockRows {
  readonly #rows = new Map<string, LockRow>();

  of(kind: number, rowType: number, name: number): LockRow {
    const key = `${kind} ${rowType} ${name}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = {
        kind,
        type: rowType,
        name,
        counts: zeroes(LOCK_COUNTS),
        byThread: new Map(),
        byPath: new Map(),
        data: new Map(),
      };
      this.#rows.set(key, row);
    }
    return row;
  }

  /** One row of a table of locks; its parts are added to what `of` gives. */
  add(row: LockRow, columns: Columns<typeof LOCK_COUNTS>, at: number): void {
    for (const name of LOCK_COUNTS) {
      const value = columns[name][at];
      row.counts[name] =
        name === 'longestWait' || name === 'longestHold' ? Math.max(row.counts[name], value) : row.counts[name] + value;
    }
  }

  addData(row: LockRow, rowType: number, columns: Columns<typeof LOCK_DATA_COUNTS>, at: number): void {
    let data = row.data.get(rowType);
    if (data === undefined) row.data.set(rowType, (data = zeroes(LOCK_DATA_COUNTS)));
    for (const name of LOCK_DATA_COUNTS) data[name] += columns[name][at];
  }

  /** Those of which there is anything to say. */
  freeze(renumber: Renumber): LockColumns {
    const rows = [...this.#rows.values()]
      .filter(({ counts, data }) => data.size > 0 || Object.values(counts).some((count) => count > 0))
      .map((row) => ({ ...row, type: renumber.type(row.type), name: renumber.string(row.name) }))
      .sort((a, b) => a.kind - b.kind || a.name - b.name || a.type - b.type);
    const threads = rows.flatMap(({ byThread }, lock) =>
      sorted([...byThread]).map(([thread, count]) => ({ lock, thread, count })),
    );
    const paths = rows.flatMap(({ byPath }, lock) =>
      sorted([...byPath].map(([path, count]): [number, number] => [renumber.string(path), count])).map(
        ([path, count]) => ({ lock, path, count }),
      ),
    );
    const data = rows.flatMap((row, lock) =>
      [...row.data].map(([of, counts]) => ({ lock, type: renumber.type(of), counts })).sort((a, b) => a.type - b.type),
    );
    return {
      locks: {
        kind: Uint8Array.from(rows, (row) => row.kind),
        type: Uint32Array.from(rows, (row) => row.type),
        name: Uint32Array.from(rows, (row) => row.name),
        ...columnsOf(LOCK_COUNTS, rows),
      },
      lockThreads: {
        lock: Uint32Array.from(threads, ({ lock }) => lock),
        thread: Uint32Array.from(threads, ({ thread }) => thread),
        acquisitions: Float64Array.from(threads, ({ count }) => count),
      },
      lockCallers: {
        lock: Uint32Array.from(paths, ({ lock }) => lock),
        callPath: Uint32Array.from(paths, ({ path }) => path),
        acquisitions: Float64Array.from(paths, ({ count }) => count),
      },
      lockData: {
        lock: Uint32Array.from(data, ({ lock }) => lock),
        type: Uint32Array.from(data, (row) => row.type),
        ...columnsOf(LOCK_DATA_COUNTS, data),
      },
    };
  }
}

export function buildLocks(
  { locks, lockThreads, lockCallers, lockData, labels, callPaths }: ReplayResult,
  names: RowNames,
): (renumber: Renumber) => LockColumns {
  const types = new LabelTypes(labels, names);
  const rows = new LockRows();
  const rowOf = Array.from(locks.kind, (kind, lock) => {
    const label = locks.label[lock];
    const field =
      labels.kind[label] === type && names.isAggregate(labels.type[label])
        ? names.leafName(labels.type[label], locks.leaf[lock])
        : NO_INDEX;
    const row = rows.of(kind, types.type(label), names.spellVariable(locks.variable[lock], types.type(label), field));
    rows.add(row, locks, lock);
    return row;
  });
  lockThreads.lock.forEach((lock, at) =>
    addTo(rowOf[lock].byThread, lockThreads.thread[at], lockThreads.acquisitions[at]),
  );
  lockCallers.lock.forEach((lock, at) => {
    const path = lockCallers.path[at];
    addTo(
      rowOf[lock].byPath,
      names.functionPath(callPaths.function.subarray(path * CALL_PATH_FRAMES, (path + 1) * CALL_PATH_FRAMES)),
      lockCallers.acquisitions[at],
    );
  });
  lockData.lock.forEach((lock, at) => rows.addData(rowOf[lock], types.type(lockData.label[at]), lockData, at));
  return (renumber) => rows.freeze(renumber);
}

export function addTo(counts: Map<number, number>, key: number, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function zeroes<Names extends readonly string[]>(names: Names): Counts<Names> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Counts<Names>;
}

function columnsOf<Names extends readonly string[]>(
  names: Names,
  rows: readonly { readonly counts: Counts<Names> }[],
): Columns<Names> {
  return Object.fromEntries(
    names.map((name: Names[number]) => [name, Float64Array.from(rows, ({ counts }) => counts[name])]),
  ) as Columns<Names>;
}

function sorted(pairs: [number, number][]): [number, number][] {
  return pairs.sort(([a], [b]) => a - b);
}
