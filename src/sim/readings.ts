// Stage: replay. The readings of objects, numbered as they are met. docs/data-flow.md, "Distinct paths".

import { NO_INDEX } from '../base/ids.js';
import { ANY_KIND, NO_OBJECT_KIND, READING_COLUMNS, type ReadingTable } from '../contract/flow-result.js';
import { ObjectKind, type SimObject } from './sim-object.js';
import { tableOf } from './table.js';

type Reading = readonly [
  kind: number,
  type: number,
  variable: number,
  allocationSlot: number,
  sizeBytes: number,
  isPool: number,
];

export class Readings {
  private readonly numbers = new Map<string, number>();
  private readonly rows: Reading[] = [];

  /** The reading of an object. If it has votes, its type must be decided already. */
  of(object: SimObject): number {
    return this.number([object.kind, typeOf(object), object.variable, ...siteOf(object)]);
  }

  /** The reading of its type's row: the same for all kinds and variables. */
  ofRow(object: SimObject): number {
    return this.number([ANY_KIND, typeOf(object), 0, ...siteOf(object)]);
  }

  none(): number {
    return this.number([NO_OBJECT_KIND, 0, 0, NO_INDEX, 0, 0]);
  }

  freeze(): ReadingTable {
    const rows = this.rows.map(([kind, type, variable, allocationSlot, sizeBytes, isPool]) => {
      return { kind, type, variable, allocationSlot, sizeBytes, isPool };
    });
    return tableOf(rows, READING_COLUMNS);
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

function typeOf({ declared, kind, voted, isPool }: SimObject): number {
  if (isPool) return 0;
  return declared !== 0 || kind !== ObjectKind.heap ? declared : voted;
}

function siteOf(object: SimObject): [allocationSlot: number, sizeBytes: number, isPool: number] {
  return object.kind === ObjectKind.heap && typeOf(object) === 0
    ? [object.allocationSlot, object.sizeBytes, Number(object.isPool)]
    : [NO_INDEX, 0, 0];
}
