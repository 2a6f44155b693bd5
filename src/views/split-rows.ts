// Stage: profile -> views. Row types of scalars, told apart by allocation site: one `double[]` for each place of the
// program that allocates such an array, with the name of what receives it. docs/definitions.md, "Rows by site".

import { objectsOf, listObjects, type ProfileObjects } from '../profile/object-source.js';
import { FAMILIES, OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { COUNTERS } from '../contract/result.js';
import { counterIndex } from '../profile/counters.js';
import { framesOf, type PathFrame, type ShownPath } from './frames.js';
import type { MostMissesAt } from './most-misses.js';
import { briefSite, spellSite } from './sites.js';

/** Where the memory of a row was allocated; of rows that are told apart by it. */
export interface RowSite {
  /** "adi.c:12"; null: the debug information does not say. */
  readonly site: string | null;
  /** The variable or field that receives it. */
  readonly receiver: string | null;
  /** Of the call paths that meet in the row, the one with most L1 misses. */
  readonly callPath: readonly PathFrame[];
}

export type NamedRow = { readonly type: string } & Partial<RowSite>;

const NO_SITE: RowSite = { site: null, receiver: null, callPath: [] };

export interface SplitRows {
  /** With a row type for each site. */
  readonly profile: Profile;
  /** The name of the type itself, and its site. */
  keys(type: number): NamedRow;
  /** Names the row: "double[] u (adi.c:12)". */
  label(type: number): string;
}

const SPLIT = ['scalar', 'heap-site'].map((name) => FAMILIES.indexOf(name as (typeof FAMILIES)[number]));
const heap = OBJECT_KINDS.indexOf('heap');

interface Split {
  readonly base: number;
  /** A site whose own frame is the row's. */
  readonly origin: number;
  readonly missesByOrigin: Map<number, number>;
}

export function splitRows(profile: Profile): SplitRows {
  const { types, strings } = profile;
  const nameOf = (type: number): string => strings[types.name[type]];
  const splits = profile.sampled === undefined ? new Splits(profile) : null;
  if (splits === null) return { profile, keys: (type) => ({ type: nameOf(type) }), label: nameOf };
  const siteOf = (type: number): RowSite | null => splits.siteOf(type - types.name.length);
  const rowKeys = (type: number): NamedRow => {
    const site = siteOf(type);
    if (site === null) return { type: nameOf(type), ...NO_SITE };
    return { type: nameOf(splits.rows[type - types.name.length].base), ...site };
  };
  return {
    profile: splits.profile(),
    keys: rowKeys,
    label: (type) => spellRow(rowKeys(type)),
  };
}

/** "double[] u (adi.c:12)". */
export function spellRow({ type, site = null, receiver = null }: NamedRow): string {
  const name = spellType({ type, site });
  return `${name}${receiver === null ? '' : ` ${receiver}`}${site === null ? '' : ` (${briefSite(site)})`}`;
}

/** "heap-24" of "heap-24@make", where the site stands beside it: that says what allocated it. */
export function spellType({ type, site = null }: NamedRow): string {
  return site === null ? type : type.replace(/^((?:heap|pool)-\d+)@.*$/s, '$1');
}

/** For `--call-path`: where the row's memory was allocated, and the accesses that missed most. */
export function rowPaths({ callPath = [], mostMissesAt }: ShownRow): ShownPath[] {
  return [
    { of: 'allocated', frames: callPath },
    { of: 'most at', frames: mostMissesAt?.callPath ?? [] },
  ];
}

interface ShownRow {
  readonly callPath?: readonly PathFrame[];
  readonly mostMissesAt: Pick<MostMissesAt, 'callPath'> | null;
}

class Splits {
  readonly rows: Split[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #bySite = new Map<string, number>();

  constructor(private readonly raw: Profile) {
    const { tallies } = raw;
    const [loads, stores] = ['l1.missLoads', 'l1.missStores'].map(counterIndex);
    for (let row = 0; row < tallies.type.length; row++) {
      const origin = tallies.origin[row];
      if (origin === 0) continue;
      const { missesByOrigin } = this.rows[this.#rowOf(tallies.type[row], origin)];
      const at = row * COUNTERS.length;
      const misses = tallies.counters[at + loads] + tallies.counters[at + stores];
      missesByOrigin.set(origin, (missesByOrigin.get(origin) ?? 0) + misses);
    }
  }

  profile(): Profile {
    const { raw } = this;
    const { types, tallies } = raw;
    const split = (type: number, origin: number): number =>
      origin !== 0 && SPLIT.includes(types.family[type]) ? types.name.length + this.#rowOf(type, origin) : type;
    const splitObjects = (chunk: ProfileObjects): ProfileObjects => {
      const { kind, site, type } = chunk.objects;
      const own = type.map((one, object) => (kind[object] === heap ? split(one, site[object]) : one));
      return { ...chunk, objects: { ...chunk.objects, type: own } };
    };
    const chunks = function* (): Generator<ProfileObjects> {
      for (const chunk of listObjects(raw)) yield splitObjects(chunk);
    };
    for (const _ of chunks()); // objects that nobody referenced have rows too
    const more = <Column extends Uint32Array | Uint8Array>(column: Column): Column => {
      const longer = new (column.constructor as new (length: number) => Column)(types.name.length + this.rows.length);
      longer.set(column);
      this.rows.forEach(({ base }, at) => (longer[types.name.length + at] = column[base]));
      return longer;
    };
    return {
      ...raw,
      types: { ...types, name: more(types.name), family: more(types.family) },
      tallies: { ...tallies, type: tallies.type.map((type, row) => split(type, tallies.origin[row])) },
      ...(raw.objectSource === undefined
        ? { objects: splitObjects({ first: 0, objects: raw.objects, counters: raw.objectCounters }).objects }
        : objectsOf({ ...raw.objectSource, chunks })),
    };
  }

  siteOf(row: number): RowSite | null {
    if (row < 0) return null;
    const { origin, missesByOrigin } = this.rows[row];
    const frames = framesOf(this.raw);
    const own = frames.allocation(origin);
    const [[most] = [origin]] = [...missesByOrigin].sort(([a, x], [b, y]) => y - x || a - b);
    return {
      site: spellSite(this.raw, own),
      receiver: frames.receiver(origin),
      callPath: frames.path(most),
    };
  }

  #rowOf(base: number, origin: number): number {
    const key = `${base} ${origin}`;
    let row = this.#numbers.get(key);
    if (row !== undefined) return row;
    const { sites } = this.raw;
    const frames = framesOf(this.raw);
    const own = frames.allocation(origin);
    const at = `${sites.function[own]} ${sites.file[own]} ${sites.line[own]}`;
    const place = `${base} ${at} ${frames.receiver(origin)}`;
    row = this.#bySite.get(place);
    if (row === undefined) {
      row = this.rows.push({ base, origin, missesByOrigin: new Map() }) - 1;
      this.#bySite.set(place, row);
    }
    this.#numbers.set(key, row);
    return row;
  }
}
