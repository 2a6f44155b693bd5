// Stage: profile -> views. The structs that accesses name in memory and pools, and which function to describe as an
// allocator so that its parts become objects.

import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { spellFunction, spellName, spellSite } from './sites.js';

export interface MemoryRow {
  /** Where the memory was allocated, or its variable is declared. */
  readonly function: string | null;
  readonly site: string | null;
  readonly variable: string | null;
  /** The functions that led to the allocation, from its caller outwards: of all of these objects. */
  readonly callers: readonly string[];
  /** The structs that accesses name in it, those in most objects first. */
  readonly structs: readonly string[];
  /** Objects in which the first of them was named. */
  readonly objects: number;
}

/** By type: in how many objects of other types accesses named it. None of those is counted as an object of the type. */
export function objectsInMemory({ memoryStructs, types }: Profile): Float64Array {
  const objects = new Float64Array(types.name.length);
  memoryStructs?.type.forEach((type, row) => (objects[type] += memoryStructs.objects[row]));
  return objects;
}

/** What was allocated at one place, in one row; most structs first. */
export function memoryRows(profile: Profile): MemoryRow[] {
  const { memoryStructs: table, types, strings } = profile;
  if (table === undefined) return [];
  const places = new Map<
    string,
    { site: number; variable: number; callers: Set<string>; structs: Map<number, number> }
  >();
  for (let row = 0; row < table.type.length; row++) {
    const [site, variable, type] = [table.site[row], table.variable[row], table.type[row]];
    const key = `${site} ${variable}`;
    const place = places.get(key) ?? { site, variable, callers: new Set(), structs: new Map() };
    places.set(key, place);
    place.structs.set(type, (place.structs.get(type) ?? 0) + table.objects[row]);
    const path = table.callPath[row] === NO_INDEX ? [] : strings[table.callPath[row]].split('\n');
    for (const caller of path.slice(1, 2)) place.callers.add(caller);
  }
  const rows = Array.from(places.values(), ({ site, variable, callers, structs }) => {
    const named = [...structs]
      .map(([type, objects]) => ({ name: strings[types.name[type]], objects }))
      .sort((a, b) => b.objects - a.objects || (a.name < b.name ? -1 : 1));
    return {
      function: spellFunction(profile, site),
      site: spellSite(profile, site),
      variable: spellName(profile, variable),
      callers: [...callers].sort(),
      structs: named.map(({ name }) => name),
      objects: named[0].objects,
    };
  });
  const nameOf = (row: MemoryRow): string => `${row.variable ?? ''} ${row.function ?? ''} ${row.site ?? ''}`;
  return rows.sort((a, b) => b.structs.length - a.structs.length || (nameOf(a) < nameOf(b) ? -1 : 1));
}

const MOST_NAMES = 3;
const MOST_PLACES = 3;

/** Which function to describe, and how; null: accesses name no struct in memory from the heap. */
export function spellMemoryHint(rows: readonly MemoryRow[]): string | null {
  const known = rows.filter(({ variable, function: name }) => variable === null && name !== null);
  if (known.length === 0) return null;
  const some = (names: readonly string[]): string =>
    names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', ...' : '');
  const places = known.slice(0, MOST_PLACES).map((row) => {
    const callers = row.callers.length === 0 ? '' : `, called by ${some(row.callers)}`;
    return `what ${row.function} allocates (${some(row.structs)})${callers}`;
  });
  return (
    `Accesses name structs in memory that nobody counts as objects of theirs: ${places.join('; ')}. To count them, ` +
    `describe the function that hands them out, for dprof-cc --allocators=FILE: "- {function: ${likelyOf(known[0])}, ` +
    'size: ARGUMENT}".'
  );
}

/** Blocks that only one function asks for are what that hands out parts of. */
function likelyOf({ function: name, callers }: MemoryRow): string {
  return callers.length === 1 && callers[0] !== 'main' ? callers[0] : (name ?? '');
}
