// Stage: problems -> advice. What may help arrays and variables: rows with padding, lines of their own.

import type { Catalog } from '../contract/catalog.js';
import { namesOf } from '../what-if/array-change.js';
import { MOST_STRIDES, type Survey } from '../what-if/survey-columns.js';
import type { Candidate } from './candidate.js';
import type { Problem } from './problem.js';

const LINE_BYTES = 64;
const PADS = [64, 192];
/** Distances that are tried as rows: so many, the most frequent first. */
const MOST_ROWS = 3;
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
  if (problem.class === 'false-sharing') return apart(catalog, survey, name);
  if (problem.class !== 'conflict' && problem.class !== 'capacity') return [];
  const rows = rowsOf(catalog, survey, name);
  const alone = rows.flatMap((row) => PADS.map((pad) => padded([[name, row]], pad)));
  const others = together.map(arrayName).filter((one) => one !== null && one !== name) as string[];
  if (problem.class === 'capacity' || others.length === 0) return alone;
  const all = [name, ...new Set(others)].map((one) => [one, rowsOf(catalog, survey, one)[0]] as const);
  const withRows = all.filter((one): one is readonly [string, number] => one[1] !== undefined);
  return withRows.length < 2 ? alone : [...PADS.map((pad) => padded(withRows, pad)), ...alone];
}

function padded(arrays: readonly (readonly [string, number])[], pad: number): Candidate {
  const spelled = arrays.map(([name, row]) => `rows of ${name} (${row} bytes)`);
  return {
    text: `end the ${spelled.join(' and the ')} with ${pad} bytes of padding`,
    request: { padRows: [`${arrays.map(([name, row]) => `${name}/${row}`).join(',')}=+${pad}`] },
  };
}

/** Distances of at least LEAST_ROW between accesses to arrays of the name; the most frequent first. */
export function rowsOf(
  catalog: Catalog,
  { objects, strides }: Pick<Survey, 'objects' | 'strides'>,
  name: string,
): number[] {
  const times = new Map<number, number>();
  strides.object.forEach((object, row) => {
    if (!namesOf(catalog, objects, object).includes(name)) return;
    for (let at = row * MOST_STRIDES; at < (row + 1) * MOST_STRIDES; at++) {
      const bytes = strides.bytes[at];
      if (strides.times[at] > 0 && bytes >= LEAST_ROW && bytes * 2 <= objects.sizeBytes[object])
        times.set(bytes, (times.get(bytes) ?? 0) + strides.times[at]);
    }
  });
  return [...times]
    .sort(([a, m], [b, n]) => n - m || a - b)
    .slice(0, MOST_ROWS)
    .map(([bytes]) => bytes);
}

/** Elements of threads that lie in one line: each group of so many bytes gets a line. */
function apart(catalog: Catalog, { objects }: Survey, name: string): Candidate[] {
  const sizes = new Set<number>();
  for (let object = 0; object < objects.count; object++)
    if (namesOf(catalog, objects, object).includes(name)) sizes.add(objects.sizeBytes[object]);
  const largest = Math.max(0, ...sizes);
  const groups = [32, 16, 8, 4].filter((bytes) => bytes < largest);
  return groups.map((bytes) => ({
    text: `space ${name} so that each ${bytes} bytes of it have a line of their own`,
    request: { padRows: [`${name}/${bytes}=+${LINE_BYTES - bytes}`] },
  }));
}
