// Stage: file -> profile. Counters, classes, rules and kinds stand in a file by name, so that a dprof with more or
// other ones reads it. A counter that the file does not have is 0, one that only the file has is left out; a row of a
// class or a kind that nobody knows here is refused.

import type { Cell, ColumnArray } from '../base/table-description.js';
import { NAME_LISTS } from './tables.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/** More is no list of names. */
const MOST_NAMES = 4096;
/** The place of a member that the file's list has and ours lacks. */
const UNKNOWN = -1;

interface Places {
  readonly stored: readonly string[];
  /** By the file's member: which one it is here. Undefined: both lists are the same. */
  readonly here?: readonly number[];
}

export class StoredNames {
  readonly #places = new Map<string, Places>();

  /** Checks a value of a profile's directory, which may be anything. */
  constructor(lists: unknown) {
    const isRecord = typeof lists === 'object' && lists !== null && !Array.isArray(lists);
    for (const [name, members] of Object.entries(isRecord ? (lists as Record<string, unknown>) : {})) {
      const known = NAME_LISTS.get(name);
      if (known === undefined) continue;
      this.#places.set(name, placesOf(name, members, known));
    }
    if (!isRecord) throw namesError('lists of names', JSON.stringify(lists)?.slice(0, 100) ?? 'nothing');
  }

  /** How many members the file has of the column's list. */
  count(cell: Cell): number {
    return this.#placesOf(cell).stored.length;
  }

  /** A column of one number for each name, with one for each name of here. `mostBytes`: that it may then have. */
  spread(cell: Cell, name: string, column: ColumnArray, offset: number, mostBytes: number): ColumnArray {
    const { stored, here } = this.#placesOf(cell);
    if (here === undefined) return column;
    if (column.length % stored.length !== 0)
      throw new ProfileError(`column ${name}`, offset, `rows of ${stored.length}`, `${column.length} numbers`);
    const [rows, width] = [column.length / stored.length, cell.column.names!.members.length];
    const spread = zeroes(name, rows * width, offset, mostBytes);
    here.forEach((place, member) => {
      if (place === UNKNOWN) return;
      for (let row = 0; row < rows; row++) spread[row * width + place] = column[row * stored.length + member];
    });
    return spread;
  }

  /** A column of members, by their place here; null: of a member that has none. */
  translate(cell: Cell, name: string, column: ColumnArray): (number | null)[] | ColumnArray {
    const { stored, here } = this.#placesOf(cell);
    if (here === undefined) return column;
    return Array.from(column, (member, row) => {
      if (member >= stored.length)
        throw new ProfileError(`column ${name}, row ${row},`, 0, `an index below ${stored.length}`, `${member}`);
      return here[member] === UNKNOWN ? null : here[member];
    });
  }

  /** The member's name in the file. */
  nameOf(cell: Cell, member: number): string {
    return this.#placesOf(cell).stored[member];
  }

  #placesOf({ column: { names } }: Cell): Places {
    const places = this.#places.get(names!.name);
    if (places === undefined) throw namesError(`a list of ${names!.name}`, 'none');
    return places;
  }
}

/** A column of zeros that the file lacks. It may not be larger than a file of that length could hold. */
export function zeroes(name: string, length: number, offset: number, mostBytes: number): Float64Array {
  if (length * Float64Array.BYTES_PER_ELEMENT > mostBytes)
    throw new ProfileError(`column ${name}`, offset, `at most ${mostBytes} bytes`, `${length} numbers`);
  return new Float64Array(length);
}

function placesOf(name: string, members: unknown, known: readonly string[]): Places {
  const isList =
    Array.isArray(members) &&
    members.length > 0 &&
    members.length <= MOST_NAMES &&
    members.every((member) => typeof member === 'string') &&
    new Set(members).size === members.length;
  if (!isList) throw namesError(`${name}, each once`, JSON.stringify(members)?.slice(0, 100) ?? 'nothing');
  const stored = members as string[];
  const isSame = stored.length === known.length && stored.every((member, at) => member === known[at]);
  return isSame ? { stored } : { stored, here: stored.map((member) => known.indexOf(member)) };
}

function namesError(expected: string, actual: string): ProfileError {
  return new ProfileError('names of the profile', HEADER_BYTES, expected, actual);
}
