// Stage: profile -> views. Which frame of a site a person would look at: the first of the program's own code, found
// from the functions that were inlined there and, of allocations, from the calls that led there. docs/definitions.md,
// "Frames".

import { NO_INDEX } from '../base/ids.js';
import { readReceiver, type Receiver } from '../contract/receiver.js';
import { listObjects } from '../profile/object-source.js';
import { OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { SITE_IN_SYSTEM } from '../profile/tables.js';
import { matchesGlob } from './glob.js';

/** What `--library` and `--innermost` say. */
export interface FrameChoice {
  /** Globs of functions and files that are not the program's own. */
  readonly libraries?: readonly string[];
  /** Charge accesses to the innermost function. */
  readonly innermost?: boolean;
}

/** One frame of a call path. */
export interface PathFrame {
  readonly function: string | null;
  /** "file.c:12". */
  readonly site: string | null;
}

/** So many types over so many call paths, and a place is an allocator's. */
const MANY = 3;
/** Allocators in allocators: the deepest that are found. */
const MOST_ROUNDS = 8;
const HEADER = /\.(h|hh|hpp|hxx|h\+\+|inl|ipp|tcc|inc)$/;

const NOBODY: Receiver = { name: null, handedOn: null };

const heap = OBJECT_KINDS.indexOf('heap');

export class Frames {
  readonly #allocators = new Set<string>();
  readonly #isLibrary = new Map<string, boolean>();
  readonly #paths = new Map<number, readonly PathFrame[]>();
  #isKnown = false;

  constructor(
    private readonly profile: Profile,
    private readonly choice: FrameChoice,
  ) {}

  /** Of an access: the first frame outside libraries, of those that were inlined into one another. */
  own(site: number): number {
    return this.choice.innermost ? site : this.#first(site, (frame) => !this.#isOfLibrary(frame));
  }

  /** Of an access: whom the code profile charges, the first frame outside headers, else what was not inlined. */
  charged(site: number): number {
    if (this.choice.innermost) return site;
    const { sites, strings } = this.profile;
    const isOwn = (frame: number): boolean => !this.#isOfLibrary(frame) && !HEADER.test(strings[sites.file[frame]]);
    return this.#first(site, isOwn, 'outermost');
  }

  /** Of an allocation: the first frame outside libraries that does not allocate for others. */
  allocation(site: number): number {
    if (this.choice.innermost) return site;
    this.#findAllocators();
    const isOwn = (frame: number): boolean => !this.#isOfLibrary(frame) && !this.#allocates(frame);
    const found = this.#first(site, isOwn, 'none');
    return found !== 0 ? found : this.#first(site, (frame) => !this.#isOfLibrary(frame));
  }

  /** The functions that allocate for the shown frame, from the innermost outwards, by name. */
  allocators(site: number): string[] {
    const { sites, strings } = this.profile;
    const names: string[] = [];
    const own = this.allocation(site);
    for (let at = site; at !== own && at !== 0; at = sites.caller[at]) {
      const name = strings[sites.function[at]];
      if (name !== '' && name !== names.at(-1)) names.push(name);
    }
    return names;
  }

  /**
   * The variable or field that receives what is allocated there, in the frame that is shown of it: of what functions
   * inside handed on to it, with which element of that it is. null if unknown.
   */
  receiver(site: number): string | null {
    const { sites } = this.profile;
    const own = this.allocation(site);
    let elements = '';
    for (let at = site; at !== own; at = sites.caller[at]) elements = (this.#received(at).handedOn ?? '') + elements;
    const { name } = this.#received(own);
    return name === null ? null : name + elements;
  }

  /** From the innermost frame to the outermost. */
  path(site: number): readonly PathFrame[] {
    const known = this.#paths.get(site);
    if (known !== undefined) return known;
    const { sites, strings } = this.profile;
    const path: PathFrame[] = [];
    for (let at = site; at !== 0; at = sites.caller[at]) {
      const file = strings[sites.file[at]];
      const place = sites.line[at] === 0 ? file : `${file}:${sites.line[at]}`;
      path.push({ function: strings[sites.function[at]] || null, site: file === '' ? null : place });
    }
    this.#paths.set(site, path);
    return path;
  }

  /** `otherwise`: what is taken if no frame is asked for. A frame without a file says nothing, and is not taken. */
  #first(
    site: number,
    isAsked: (frame: number) => boolean,
    otherwise: 'innermost' | 'outermost' | 'none' = 'innermost',
  ): number {
    const { sites, strings } = this.profile;
    let last = site;
    for (let at = site; at !== 0; at = sites.caller[at]) {
      if (isAsked(at) && strings[sites.file[at]] !== '') return at;
      last = at;
    }
    return otherwise === 'none' ? 0 : otherwise === 'outermost' ? last : site;
  }

  #isOfLibrary(site: number): boolean {
    const { sites, strings } = this.profile;
    if ((sites.flags[site] & SITE_IN_SYSTEM) !== 0) return true;
    const { libraries = [] } = this.choice;
    if (libraries.length === 0) return false;
    const key = `${sites.function[site]} ${sites.file[site]}`;
    let is = this.#isLibrary.get(key);
    if (is === undefined) {
      const names = [strings[sites.function[site]], strings[sites.file[site]]];
      is = libraries.some((glob) => names.some((name) => matchesGlob(glob, name)));
      this.#isLibrary.set(key, is);
    }
    return is;
  }

  #placeOf(site: number): string {
    const { sites } = this.profile;
    return `${sites.function[site]} ${sites.file[site]} ${sites.line[site]}`;
  }

  #received(site: number): Receiver {
    const { sites, strings } = this.profile;
    const number = sites.receiver[site];
    return number === undefined || number === NO_INDEX ? NOBODY : readReceiver(strings[number]);
  }

  #allocates(site: number): boolean {
    return this.#received(site).handedOn !== null || this.#allocators.has(this.#placeOf(site));
  }

  /** Places that allocate many types for many callers, then places that do so by calling those, and so on. */
  #findAllocators(): void {
    if (this.#isKnown) return;
    this.#isKnown = true;
    const { sites, types } = this.profile;
    const met = new Map<string, { site: number; type: number }>();
    for (const { objects } of listObjects(this.profile)) {
      objects.site.forEach((site, object) => {
        const type = objects.type[object];
        if (objects.kind[object] === heap && types.family[type] <= 1) met.set(`${site} ${type}`, { site, type });
      });
    }
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const uses = new Map<string, { types: Set<number>; callPaths: Set<number> }>();
      for (const { site, type } of met.values()) {
        const at = this.#first(site, (frame) => !this.#isOfLibrary(frame) && !this.#allocates(frame), 'none');
        if (at === 0 || sites.caller[at] === 0) continue;
        const place = this.#placeOf(at);
        let use = uses.get(place);
        if (use === undefined) uses.set(place, (use = { types: new Set(), callPaths: new Set() }));
        use.types.add(type);
        use.callPaths.add(sites.caller[at]);
      }
      const found = [...uses].filter(([, { types, callPaths }]) => types.size >= MANY && callPaths.size >= MANY);
      if (found.length === 0) return;
      for (const [place] of found) this.#allocators.add(place);
    }
  }
}

const known = new WeakMap<Profile['sites'], Map<string, Frames>>();

/** Those of the profile's choice, found once. */
export function framesOf(profile: Profile): Frames {
  const choice = profile.frames ?? {};
  let ofSites = known.get(profile.sites);
  if (ofSites === undefined) known.set(profile.sites, (ofSites = new Map()));
  const key = JSON.stringify(choice);
  let frames = ofSites.get(key);
  if (frames === undefined) ofSites.set(key, (frames = new Frames(profile, choice)));
  return frames;
}

/** The profile as it reads if these frames are not the program's own. */
export function withFrames(profile: Profile, { libraries = [], innermost = false }: FrameChoice): Profile {
  if (libraries.length === 0 && !innermost) return profile;
  return { ...profile, frames: { ...(libraries.length > 0 && { libraries }), ...(innermost && { innermost }) } };
}

/** A call path below a row; `of`: what was done at its end. */
export interface ShownPath {
  readonly of: 'allocated' | 'accessed' | 'most at';
  readonly frames: readonly PathFrame[];
}

/** The lines of a table, with the call paths of each below it where they were asked for. */
export function pathLines<Line>(
  lines: readonly (Line | readonly string[])[],
  isAsked: boolean,
  pathsOf: (line: Line) => readonly ShownPath[],
): (Line | readonly string[])[] {
  if (!isAsked) return [...lines];
  return lines.flatMap((line): (Line | readonly string[])[] =>
    isText(line)
      ? [line]
      : [
          line,
          ...pathsOf(line).flatMap(({ of, frames }) =>
            frames.map((frame, at) => [`    ${(at === 0 ? of : '').padEnd(9)}  ${spellFrame(frame)}`]),
          ),
        ],
  );
}

function isText(line: unknown): line is readonly string[] {
  return Array.isArray(line);
}

/** "adi.c:12 main". */
export function spellFrame({ site, function: name }: PathFrame): string {
  const place = site === null ? [] : [site.slice(site.lastIndexOf('/') + 1)];
  return [...place, ...(name === null ? [] : [name])].join(' ') || '(unknown)';
}

/** Of an object; a variable is declared, and nobody called for it. */
export function allocationPaths(path: readonly PathFrame[] = [], variable: string | null = null): ShownPath[] {
  return variable === null ? [{ of: 'allocated', frames: path }] : [];
}
