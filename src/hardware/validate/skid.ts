// Stage: validation. Samples in instrumented code -> whether any access of their line, or of their function, is to what
// they say: a processor may take the instruction of one access and the address of another, or be late.

import { bareFunction } from './function-names.js';
import { sampledFieldAt, type TypedSamples } from '../samples/typed-samples.js';
import { NO_INDEX } from '../../base/ids.js';
import type { Profile } from '../../profile/profile.js';
import { fileName } from './code-of-samples.js';
import { countSamples } from './count-samples.js';
import { fieldName, tracedField } from './exact-amounts.js';

export interface SkidRow {
  readonly type: string;
  readonly field: string | null;
  readonly function: string;
  /** "file.c:12"; empty: unknown. */
  readonly site: string;
  readonly samples: number;
}

export interface Skid {
  /** Typed samples in instrumented code that the trace knows the functions of: the sum of the four below. */
  readonly judged: number;
  /** Their line has accesses to that field. */
  readonly line: number;
  /** Only another line of their function has: code generators merge and move instructions. */
  readonly function: number;
  /** None has, but the type may be one that both sides name differently: this says nothing of the processor. */
  readonly named: number;
  /** No access of their function has: the address cannot belong to the instruction. */
  readonly skid: number;
  /** The differences that are `skid`, most samples first. */
  readonly rows: readonly SkidRow[];
  /** Those that are `named`. */
  readonly namedRows: readonly SkidRow[];
}

export function findSkid(profile: Profile, samples: TypedSamples, isInstrumented: (place: number) => boolean): Skid {
  const known = knownAccesses(profile);
  const named = new Set([...known.values()].flatMap(({ all }) => [...all]));
  const tracedTypes = new Set(profile.tallies.type.map((type) => profile.types.name[type]));
  const isTraced = new Set(Array.from(tracedTypes, (name) => plainName(profile.strings[name])));
  const { rows, types, places, events } = samples;
  const counts = { line: 0, function: 0, named: 0, skid: 0 };
  const differing: ({ verdict: 'named' | 'skid'; of: Omit<SkidRow, 'samples'> } | null)[] = Array.from(
    rows.type,
    () => null,
  );
  for (let row = 0; row < rows.type.length; row++) {
    const place = places[rows.place[row]];
    if (rows.type[row] === 0 || !isInstrumented(rows.place[row])) continue;
    // A line of a function that was inlined is the inlined one's; what its caller's code does is in reach too.
    const owners = [...new Set([place.function, place.within].map(bareFunction))].flatMap(
      (name) => known.get(name) ?? [],
    );
    if (owners.length === 0) continue;
    const type = types[rows.type[row]];
    const field = tracedField(named, type.name, sampledFieldAt(type, Number(rows.offset[row]))?.path ?? null);
    // A debug register knows its own address, not where the access began that it saw.
    const accessed = events[rows.event[row]].source === 'breakpoint' ? null : field;
    const line = `${fileName(place.file)}:${place.line}`;
    const verdict = owners.some(({ byLine }) => isOf(byLine.get(line), type.name, accessed))
      ? 'line'
      : owners.some(({ all }) => isOf(all, type.name, accessed))
        ? 'function'
        : owners.some((own) => hasOtherSpelling(own, type.name)) || !isTraced.has(plainName(type.name))
          ? 'named'
          : 'skid';
    counts[verdict] += rows.samples[row];
    if (verdict !== 'named' && verdict !== 'skid') continue;
    const site = place.file === '' ? '' : `${place.file}:${place.line}`;
    differing[row] = { verdict, of: { type: type.name, field, function: place.function, site } };
  }
  const rowsOf = (verdict: 'named' | 'skid'): SkidRow[] =>
    countSamples(rows.samples, (row) => (differing[row]?.verdict === verdict ? differing[row].of : null));
  return {
    judged: counts.line + counts.function + counts.named + counts.skid,
    ...counts,
    rows: rowsOf('skid'),
    namedRows: rowsOf('named'),
  };
}

function hasOtherSpelling({ types }: Known, type: string): boolean {
  return !types.has(type) && [...types].some((name) => plainName(name) === plainName(type));
}

/** Without what is spelled in one language or by one rule only: `struct node[4]` is `node`. */
function plainName(type: string): string {
  return type
    .replace(/\b(?:struct|union|class|enum|const|volatile)\s+/g, '')
    .replace(/(?:\s*\[\d*\])+$/, '')
    .trim();
}

interface Known {
  readonly all: Set<string>;
  readonly byLine: Map<string, Set<string>>;
  readonly types: Set<string>;
}

/** By function: what its accesses were to. An access to a type as a whole (a copy) may be to any of its fields. */
function knownAccesses({ tallies, sites, types, strings }: Profile): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>();
  tallies.type.forEach((type, row) => {
    const site = tallies.site[row];
    const owner = bareFunction(strings[sites.function[site]]);
    let own = known.get(owner);
    if (own === undefined) known.set(owner, (own = { all: new Set(), byLine: new Map(), types: new Set() }));
    const name = fieldName(
      strings[types.name[type]],
      tallies.field[row] === NO_INDEX ? null : strings[tallies.field[row]],
    );
    const line = `${fileName(strings[sites.file[site]])}:${sites.line[site]}`;
    let there = own.byLine.get(line);
    if (there === undefined) own.byLine.set(line, (there = new Set()));
    own.all.add(name);
    own.types.add(strings[types.name[type]]);
    there.add(name);
  });
  return known;
}

function isOf(accesses: ReadonlySet<string> | undefined, type: string, field: string | null): boolean {
  if (accesses === undefined) return false;
  if (accesses.has(type) || accesses.has(fieldName(type, field))) return true;
  return field === null && [...accesses].some((name) => name.startsWith(fieldName(type, '')));
}
