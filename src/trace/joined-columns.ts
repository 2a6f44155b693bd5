// Stage: trace -> replay. The columns of all units one behind the other, where rows of a unit become rows of the
// catalog.

import type { NumberColumn, UnitColumns } from './unit.js';

/** A unit, and what its rows are in the catalog. */
export interface PlacedUnit {
  readonly unit: UnitColumns;
  /** By type of the unit. */
  readonly types: Uint32Array;
  /** Spelled, by file of the unit. */
  readonly files: readonly string[];
  /** What is added to a row's number within the unit. */
  readonly variable: number;
  readonly function: number;
  readonly position: number;
  readonly call: number;
  readonly slot: number;
  readonly record: number;
  readonly node: number;
  readonly edge: number;
}

type Shift = Exclude<keyof PlacedUnit, 'unit' | 'types' | 'files'>;
type ColumnOf<Column> = (unit: UnitColumns) => Column;

export class JoinedRows {
  /** `begin`: 1 where the zero rows of units are left out; the catalog then has one of its own. */
  constructor(
    private readonly units: readonly PlacedUnit[],
    readonly count: number,
    private readonly begin: 0 | 1,
  ) {}

  numbers<Column extends NumberColumn>(Kind: new (length: number) => Column, of: ColumnOf<NumberColumn>): Column {
    const joined = new Kind(this.count);
    let at: number = this.begin;
    for (const { unit } of this.units) {
      const own = of(unit);
      joined.set(own.subarray(this.begin), at);
      at += Math.max(0, own.length - this.begin);
    }
    return joined;
  }

  strings(of: ColumnOf<readonly string[]>): string[] {
    const joined: string[] = this.begin === 0 ? [] : [''];
    for (const { unit } of this.units) {
      const own = of(unit);
      for (let row = this.begin; row < own.length; row++) joined.push(own[row]);
    }
    return this.padded(joined);
  }

  files(of: ColumnOf<NumberColumn>): string[] {
    const joined: string[] = this.begin === 0 ? [] : [''];
    for (const { unit, files } of this.units) {
      const own = of(unit);
      for (let row = this.begin; row < own.length; row++) joined.push(files[own[row]]);
    }
    return this.padded(joined);
  }

  /** Rows of another table. */
  row(of: ColumnOf<NumberColumn>, what: Shift): Uint32Array {
    return this.shifted(of, what, false);
  }

  /** The same, where 0 is none. */
  rowOrNone(of: ColumnOf<NumberColumn>, what: Shift): Uint32Array {
    return this.shifted(of, what, true);
  }

  types(of: ColumnOf<NumberColumn>): Uint32Array {
    const joined = new Uint32Array(this.count);
    let at: number = this.begin;
    for (const { unit, types } of this.units) {
      const own = of(unit);
      for (let row = this.begin; row < own.length; row++) joined[at++] = types[own[row]] ?? 0;
    }
    return joined;
  }

  private shifted(of: ColumnOf<NumberColumn>, what: Shift, mayBeNone: boolean): Uint32Array {
    const joined = new Uint32Array(this.count);
    let at: number = this.begin;
    for (const placed of this.units) {
      const [own, shift] = [of(placed.unit), placed[what]];
      for (let row = this.begin; row < own.length; row++)
        joined[at++] = mayBeNone && own[row] === 0 ? 0 : own[row] + shift;
    }
    return joined;
  }

  /** A trace without units has an unknown variable, too. */
  private padded(joined: string[]): string[] {
    while (joined.length < this.count) joined.push('');
    return joined;
  }
}
