// Stage: replay. What objects read as, numbered as they are met. docs/data-flow.md, "Distinct paths".

import { NO_INDEX } from '../base/ids.js';
import { NO_OBJECT_KIND, type ReadingTable } from '../replay/flow-result.js';
import { ObjectKind, type SimObject } from './sim-object.js';

type Reading = readonly [kind: number, type: number, variable: number, allocationSlot: number, sizeBytes: number];

export class Readings {
  private readonly numbers = new Map<string, number>();
  private readonly rows: Reading[] = [];

  /** Of an object whose vote is known, if it has one. */
  of(object: SimObject): number {
    const { kind, variable, allocationSlot, sizeBytes } = object;
    const isHeap = kind === ObjectKind.heap;
    const type = object.declared !== 0 || !isHeap ? object.declared : object.voted;
    const isSite = isHeap && type === 0;
    return this.number([kind, type, variable, isSite ? allocationSlot : NO_INDEX, isSite ? sizeBytes : 0]);
  }

  none(): number {
    return this.number([NO_OBJECT_KIND, 0, 0, NO_INDEX, 0]);
  }

  freeze(): ReadingTable {
    const column = (index: number): number[] => this.rows.map((row) => row[index]);
    return {
      count: this.rows.length,
      kind: Uint8Array.from(column(0)),
      type: Uint32Array.from(column(1)),
      variable: Uint32Array.from(column(2)),
      allocationSlot: Uint32Array.from(column(3)),
      sizeBytes: Float64Array.from(column(4)),
    };
  }

  private number(reading: Reading): number {
    const key = reading.join(' ');
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.rows.push(reading) - 1;
      this.numbers.set(key, number);
    }
    return number;
  }
}
