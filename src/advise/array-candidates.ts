// Stage: problems -> advice. What may help arrays and variables: rows with padding, lines of their own.

import type { Catalog } from '../contract/catalog.js';
import { namesOf } from '../what-if/array-change.js';
import { distancesOf, type Survey } from '../what-if/survey-columns.js';
import { ObjectKind } from '../sim/sim-object.js';
import type { Candidate } from './candidate.js';
import type { Walk } from './plain-advice.js';
import type { Problem } from './problem.js';

const LINE_BYTES = 64;
const PADS = [64, 192];
/** Distances that are tried as rows: so many, the most frequent first. */
const MOST_ROWS = 3;
/** Of the distances that the best length explains. */
const ENOUGH = 0.5;
/** A distance is of whole rows if no more than this part of a row is over. */
const NEAR = 1 / 64;
/** Less is no row that could meet itself in a set. */
const LEAST_ROW = 256;

/** As --pad-rows takes the array. */
export function arrayName({ name, allocatedAt }: Problem): string | null {
  return name ?? allocatedAt;
}

/** `together`: arrays with a problem of the same kind, this one among them. */
export function arrayCandidates(
  catalog: Catalog,
  survey: Survey,
  problem: Problem,
  together: readonly Problem[],
): Candidate[] {
  const name = arrayName(problem);
  if (name === null) return [];
  if (problem.class === 'false-sharing') return [...aligned(catalog, survey, problem), ...apart(catalog, survey, name)];
  if (problem.class !== 'conflict' && problem.class !== 'capacity') return [];
  const alone = rowsOf(catalog, survey, [name]).flatMap((row) => PADS.map((pad) => padded([[name, row]], pad)));
  const others = [...new Set(together.map(arrayName).filter((one) => one !== null && one !== name) as string[])];
  if (problem.class === 'capacity' || others.length === 0) return alone;
  // Arrays of one size are gone through side by side: their rows are alike.
  const size = sizeOf(catalog, survey, name);
  const alike = [name, ...others.filter((one) => sizeOf(catalog, survey, one) === size)];
  const different = others
    .filter((one) => !alike.includes(one))
    .map((one) => [one, rowsOf(catalog, survey, [one])[0]] as const)
    .filter((one): one is readonly [string, number] => one[1] !== undefined);
  const joint = rowsOf(catalog, survey, alike).flatMap((row) =>
    PADS.map((pad) => padded([...alike.map((one) => [one, row] as const), ...different], pad)),
  );
  return [...joint, ...alone];
}

/** Null: no row is known. */
export function walkOf(catalog: Catalog, survey: Survey, problem: Problem, cacheLines: number): Walk | null {
  const name = arrayName(problem);
  if (problem.isRecord || name === null) return null;
  const [stepBytes] = rowsOf(catalog, survey, [name]);
  if (stepBytes === undefined) return null;
  return { stepBytes, lines: Math.floor(sizeOf(catalog, survey, name) / stepBytes), cacheLines };
}

/** Of the largest object of the name. */
function sizeOf(catalog: Catalog, { objects }: Survey, name: string): number {
  let most = 0;
  for (let object = 0; object < objects.count; object++)
    if (namesOf(catalog, objects, object).includes(name)) most = Math.max(most, objects.sizeBytes[object]);
  return most;
}

function padded(arrays: readonly (readonly [string, number])[], pad: number): Candidate {
  const spelled = arrays.map(([name, row]) => `rows of ${name} (${row} bytes)`);
  return {
    text: `end the ${spelled.join(' and the ')} with ${pad} bytes of padding`,
    request: { padRows: [`${arrays.map(([name, row]) => `${name}/${row}`).join(',')}=+${pad}`] },
  };
}

/**
 * Lengths that rows of arrays of these names may have: they divide the arrays, and accesses go by whole rows, give or
 * take a few bytes. Of those that explain most distances between accesses, the longest first.
 */
export function rowsOf(
  catalog: Catalog,
  { objects, strides }: Pick<Survey, 'objects' | 'strides'>,
  names: readonly string[],
): number[] {
  const own = strides.object.filter((object) => namesOf(catalog, objects, object).some((name) => names.includes(name)));
  const sizes = new Set(Array.from(own, (object) => objects.sizeBytes[object]));
  const isOwn = new Set(own);
  const distances = [...distancesOf(strides, (object) => isOwn.has(object))];
  const all = distances.flatMap(([bytes]) => [
    bytes,
    bytes / 2,
    ...distances.flatMap(([other]) => [bytes + other, bytes - other]),
  ]);
  const isRow = (bytes: number): boolean =>
    bytes >= LEAST_ROW && Number.isInteger(bytes) && [...sizes].some((size) => bytes * 2 <= size && size % bytes === 0);
  const explained = (row: number): number =>
    distances.reduce((sum, [bytes, count]) => {
      const rows = Math.round(bytes / row);
      return sum + (rows > 0 && Math.abs(bytes - rows * row) <= row * NEAR ? count : 0);
    }, 0);
  const rows = [...new Set(all)].filter(isRow).map((row) => ({ row, times: explained(row) }));
  const most = Math.max(0, ...rows.map((one) => one.times));
  return rows
    .filter((one) => one.times >= most * ENOUGH)
    .sort((a, b) => b.row - a.row)
    .slice(0, MOST_ROWS)
    .map(({ row }) => row);
}

/** The variable, and the one that shares its line. */
function aligned(catalog: Catalog, { objects }: Survey, { name, sides }: Problem): Candidate[] {
  const isGlobal = (one: string): boolean => {
    for (let object = 0; object < objects.count; object++)
      if (objects.kind[object] === ObjectKind.global && catalog.variables.name[objects.variable[object]] === one)
        return true;
    return false;
  };
  const names = [...new Set([name, sides?.missed.variable, sides?.writer.variable])].filter(
    (one): one is string => typeof one === 'string' && isGlobal(one),
  );
  if (names.length === 0) return [];
  const words = names.map((one) => `${one}=${LINE_BYTES}`);
  return [
    {
      text:
        `give ${names.join(' and ')} ` +
        `${names.length === 1 ? 'a line of its own' : 'a line of their own each'}: alignas(${LINE_BYTES}), ` +
        `with nothing behind in the line`,
      request: { align: words },
    },
  ];
}

/** Elements of threads that lie in one line: each group of so many bytes gets a line. */
function apart(catalog: Catalog, survey: Survey, name: string): Candidate[] {
  const largest = sizeOf(catalog, survey, name);
  const groups = [32, 16, 8, 4].filter((bytes) => bytes < largest);
  return groups.map((bytes) => ({
    text: `space ${name} so that each ${bytes} bytes of it have a line of their own`,
    request: { padRows: [`${name}/${bytes}=+${LINE_BYTES - bytes}`] },
  }));
}
