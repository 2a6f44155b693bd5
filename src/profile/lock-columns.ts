// Stage: replay -> profile. Locks with names: those that read the same are one row, whoever has them where. Their parts
// name them by row, so the rows of all four tables are put together at once.

import { NO_INDEX } from '../base/ids.js';
import { CALL_PATH_FRAMES, LABEL_KINDS, type ReplayResult } from '../contract/result.js';
import { LabelTypes } from './label-columns.js';
import type { RowNames } from './row-names.js';
import { Rows } from './rows.js';
import { isZeroRow, type Renumber } from './table-rows.js';
import { LOCK_TABLES, type LockColumns } from './tables.js';

const type = LABEL_KINDS.indexOf('type');

export class LockRows {
  readonly locks = new Rows(LOCK_TABLES.locks);
  readonly threads = new Rows(LOCK_TABLES.lockThreads);
  readonly callers = new Rows(LOCK_TABLES.lockCallers);
  readonly data = new Rows(LOCK_TABLES.lockData);

  /** Adds the tables of a profile; `renumber` gives the new numbers of its names. */
  addTables({ locks, lockThreads, lockCallers, lockData }: LockColumns, renumber: Renumber): void {
    const numbers = this.locks.addTable(locks, renumber);
    const ofParts = { ...renumber, lock: (row: number): number => numbers[row] };
    this.threads.addTable(lockThreads, ofParts);
    this.callers.addTable(lockCallers, ofParts);
    this.data.addTable(lockData, ofParts);
  }

  /** Keeps the locks that have other rows or a number that is not 0. */
  freeze(renumber: Renumber): LockColumns {
    const withParts = new Set(
      [this.threads, this.callers, this.data].flatMap((parts) => parts.all().map(({ lock }) => lock)),
    );
    const said = this.locks
      .all()
      .flatMap((row, number) => (withParts.has(number) || !isZeroRow(LOCK_TABLES.locks.columns, row) ? [number] : []));
    const { columns: locks, places } = this.locks.freezeSome(renumber, said);
    const ofParts = { ...renumber, lock: (number: number): number => places.get(number)! };
    return {
      locks,
      lockThreads: this.threads.freeze(ofParts),
      lockCallers: this.callers.freeze(ofParts),
      lockData: this.data.freeze(ofParts),
    };
  }
}

export function buildLocks(
  { locks, lockThreads, lockCallers, lockData, labels, callPaths }: ReplayResult,
  names: RowNames,
): LockRows {
  const types = new LabelTypes(labels, names);
  const rows = new LockRows();
  const lockOf = rows.locks.addResult(locks, (lock) => {
    const label = locks.label[lock];
    const field =
      labels.kind[label] === type && names.isAggregate(labels.type[label])
        ? names.leafName(labels.type[label], locks.leaf[lock])
        : NO_INDEX;
    const rowType = types.type(label);
    return {
      kind: locks.kind[lock],
      type: rowType,
      name: names.spellVariable(locks.variable[lock], rowType, field),
    };
  });
  rows.threads.addResult(lockThreads, (row) => ({
    lock: lockOf[lockThreads.lock[row]],
    thread: lockThreads.thread[row],
  }));
  rows.callers.addResult(lockCallers, (row) => {
    const frames = lockCallers.path[row] * CALL_PATH_FRAMES;
    return {
      lock: lockOf[lockCallers.lock[row]],
      callPath: names.functionPath(callPaths.function.subarray(frames, frames + CALL_PATH_FRAMES)),
    };
  });
  rows.data.addResult(lockData, (row) => ({
    lock: lockOf[lockData.lock[row]],
    type: types.type(lockData.label[row]),
  }));
  return rows;
}
