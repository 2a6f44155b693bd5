// Stage: command line -> what-if. The words of --pad-rows: arrays, by the variable that holds them or the line that
// allocates them, whose rows get more bytes.

import { basename } from 'node:path';
import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import type { Catalog } from '../contract/catalog.js';
import { readReceiver } from '../contract/receiver.js';
import { distancesOf, type Survey, type SurveyedObjects } from './survey-columns.js';

/** NAME, or NAME/ROWBYTES. */
export interface ArrayChange {
  readonly name: string;
  /** Of a row as it is; undefined: rowsOf. */
  readonly rowBytes?: number;
  readonly padBytes: number;
}

const MOST_ROW = 1 << 26;
const EXAMPLE = "for example --pad-rows 'u,v=+64', or --pad-rows 'u/4096=+64' with the bytes of a row";

export function parseArrayChanges(words: readonly string[]): ArrayChange[] {
  const changes = words.flatMap((text) => {
    const match = /^(.+?)\s*=\s*\+(\d+)$/.exec(text);
    if (match === null) throw new DprofError(`--pad-rows: '${text}' does not end in =+ and bytes`, EXAMPLE, 2);
    const padBytes = Number(match[2]);
    return match[1].split(',').map((one): ArrayChange => {
      const [, name, row] = /^\s*(.*?)(?:\/(\d+))?\s*$/.exec(one)!;
      const rowBytes = row === undefined ? undefined : Number(row);
      if (
        name === '' ||
        name.includes('=') ||
        padBytes < 1 ||
        padBytes > MOST_ROW ||
        rowBytes === 0 ||
        (rowBytes ?? 0) > MOST_ROW
      )
        throw new DprofError(
          `--pad-rows: '${text}' names no array, or rows of no or very many bytes; one =+ stands behind all names`,
          EXAMPLE,
          2,
        );
      return { name, rowBytes, padBytes };
    });
  });
  const names = changes.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new DprofError(`--pad-rows: '${twice}' stands twice`, 'name each array once', 2);
  return changes;
}

/** What an array can be called: its variable, the variable or field that receives it, the line that allocates it. */
export function namesOf(catalog: Catalog, { variable, allocationSlot }: SurveyedObjects, object: number): string[] {
  const { slots, variables } = catalog;
  const slot = allocationSlot[object];
  if (slot === NO_INDEX) return variable[object] === 0 ? [] : [variables.name[variable[object]]];
  const received = slots.path[slot] === '' ? null : readReceiver(slots.path[slot]).name;
  const [path, line] = [slots.file[slot], slots.line[slot]];
  return [received, `${path}:${line}`, `${basename(path)}:${line}`].filter((name) => name !== null);
}

/** By object number: the change of the array; -1: none. Each change must have an object. */
export function changesOf(catalog: Catalog, objects: SurveyedObjects, changes: readonly ArrayChange[]): Int32Array {
  const found = new Int32Array(objects.count).fill(-1);
  if (changes.length === 0) return found;
  const met = new Set<number>();
  const all = new Set<string>();
  for (let object = 0; object < objects.count; object++) {
    const names = namesOf(catalog, objects, object);
    for (const name of names) all.add(name);
    const index = changes.findIndex(({ name }) => names.includes(name));
    if (index >= 0) met.add((found[object] = index));
  }
  const lost = changes.find((_, index) => !met.has(index));
  if (lost === undefined) return found;
  const close = closestNames(lost.name, [...all]);
  throw new DprofError(
    `--pad-rows: no variable or allocation is called '${lost.name}'`,
    close.length > 0 ? `nearest: ${close.join(', ')}` : 'dprof report --view address-set names all objects',
    2,
  );
}

/** Of each change: the bytes of a row, as it says, or the distance that accesses to these arrays have most often. */
export function rowsOf({ strides }: Survey, changeOf: Int32Array, changes: readonly ArrayChange[]): number[] {
  return changes.map(({ name, rowBytes, padBytes }, index) => {
    if (rowBytes !== undefined) return rowBytes;
    const times = distancesOf(strides, (object) => changeOf[object] === index);
    const [most] = [...times].sort(([a, m], [b, n]) => n - m || a - b);
    if (most !== undefined && most[0] <= MOST_ROW) return most[0];
    throw new DprofError(
      `--pad-rows: no distance between accesses to '${name}' says how long its rows are`,
      `say it in bytes: --pad-rows '${name}/4096=+${padBytes}'`,
      2,
    );
  });
}
