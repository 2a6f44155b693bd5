// Stage: profile -> views. The structs that accesses name in memory and pools, and which function to describe as an
// allocator so that its parts become objects.

import type { Profile } from '../profile/profile.js';
import { framesOf } from './frames.js';
import { spellFunction, spellName, spellSite } from './sites.js';

export interface MemoryRow {
  /** The shown frame of its allocation, or where its variable is declared. */
  readonly function: string | null;
  readonly site: string | null;
  readonly variable: string | null;
  /** The functions that allocate for that frame, from the innermost outwards: of the first of these objects. */
  readonly allocators: readonly string[];
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

/** What was allocated at one shown frame, in one row; most structs first. */
export function memoryRows(profile: Profile): MemoryRow[] {
  const { memoryStructs: table, types, strings } = profile;
  if (table === undefined) return [];
  const frames = framesOf(profile);
  const places = new Map<
    string,
    { own: number; variable: number; allocators: readonly string[]; structs: Map<number, number> }
  >();
  for (let row = 0; row < table.type.length; row++) {
    const [site, variable, type] = [table.site[row], table.variable[row], table.type[row]];
    const own = frames.allocation(site);
    const key = `${spellFunction(profile, own)} ${spellSite(profile, own)} ${variable}`;
    const place = places.get(key) ?? { own, variable, allocators: frames.allocators(site), structs: new Map() };
    places.set(key, place);
    place.structs.set(type, (place.structs.get(type) ?? 0) + table.objects[row]);
  }
  const rows = Array.from(places.values(), ({ own, variable, allocators, structs }) => {
    const named = [...structs]
      .map(([type, objects]) => ({ name: strings[types.name[type]], objects }))
      .sort((a, b) => b.objects - a.objects || (a.name < b.name ? -1 : 1));
    return {
      function: spellFunction(profile, own),
      site: spellSite(profile, own),
      variable: spellName(profile, variable),
      allocators,
      structs: named.map(({ name }) => name),
      objects: named[0].objects,
    };
  });
  const nameOf = (row: MemoryRow): string => `${row.variable ?? ''} ${row.function ?? ''} ${row.site ?? ''}`;
  return rows.sort((a, b) => b.structs.length - a.structs.length || (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** Descriptions that dprof-cc has by name (llvm-pass/ready_allocators.cpp), by the functions of their allocators. */
const READY = [
  { name: 'leveldb', known: /^leveldb::Arena::/ },
  { name: 'pymalloc', known: /^_?Py(Object|Mem)_|^pymalloc_/ },
  { name: 'palloc', known: /^(palloc|AllocSet|MemoryContextAlloc)/ },
  { name: 'apr', known: /^(apr_|allocator_alloc)/ },
  { name: 'talloc', known: /^_?_?talloc/ },
] as const;

const MOST_NAMES = 3;
const MOST_PLACES = 3;

/** What a description of the allocator does not bring. */
const ONLY_TOLD_APART = 'Views tell them apart then; what-if cannot make them larger.';

/** Which function to describe, and how; null: accesses name no struct in memory from the heap. */
export function spellMemoryHint(rows: readonly MemoryRow[]): string | null {
  const known = rows.filter(({ variable, function: name }) => variable === null && name !== null);
  if (known.length === 0) return null;
  const places = known.slice(0, MOST_PLACES).map(({ function: name, allocators, structs }) => {
    const through = allocators.length === 0 ? '' : ` through ${allocators.at(-1)}`;
    const some = structs.slice(0, MOST_NAMES).join(', ') + (structs.length > MOST_NAMES ? ', ...' : '');
    return `what ${name} allocates${through} (${some})`;
  });
  const likely = known[0].allocators.at(-1) ?? known[0].function;
  const names = known.flatMap(({ allocators, function: name }) => [...allocators, name ?? '']);
  const ready = READY.find(({ known: pattern }) => names.some((name) => pattern.test(name)))?.name;
  const where = `Accesses name structs in memory that nobody counts as objects of theirs: ${places.join('; ')}.`;
  if (ready !== undefined)
    return (
      `${where} dprof knows who hands out parts of it: compile with dprof-cc --allocators=${ready}, and they are ` +
      `objects (docs/allocators.md). ${ONLY_TOLD_APART}`
    );
  return (
    `${where} If a function ` +
    'hands out parts of it, describe that, for dprof-cc --allocators=FILE, and they are objects: "- {function: ' +
    `${likely}, size: N}", N its argument with the size, from 0 on (docs/allocators.md). ${ONLY_TOLD_APART}`
  );
}
