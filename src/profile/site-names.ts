// Stage: replay -> profile. The sites of slots and of call paths: each site with the one in whose place its function
// was inlined, or from which it was called, and so on to the outermost that is known.

import { NO_INDEX } from '../base/ids.js';
import { TupleIndex } from '../base/tuple-index.js';
import type { Catalog } from '../contract/catalog.js';
import { CALL_PATH_FRAMES, type CallPathTable } from '../contract/result.js';
import type { SiteBuilder, StringBuilder } from './name-tables.js';
import { SITE_CALLED, SITE_IN_SYSTEM } from './tables.js';

/** A row of the catalog's slots or positions. */
interface Place {
  readonly function: number;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly inlinedAt: number;
  readonly receiver: string;
}

export class SiteNames {
  readonly #siteOfSlot = new Map<number, number>();
  readonly #siteOfPath = new Map<number, number>();
  /** Positions and what is outside of them, each pair once; and its site. */
  readonly #placed = new TupleIndex(2);
  readonly #siteOfPlaced: number[] = [];
  readonly #rowOfName = new Map<string, number>();
  /** By callee, then function: the position of its only call of it; 0: it has several. */
  #onlyCall: Map<string, Map<number, number>> | undefined;

  constructor(
    private readonly catalog: Catalog,
    private readonly strings: StringBuilder,
    private readonly sites: SiteBuilder,
    private readonly callPaths?: CallPathTable,
  ) {}

  /** The site in the source of a slot's access, allocation or free. */
  ofSlot(slot: number): number {
    if (slot === NO_INDEX) return 0;
    let site = this.#siteOfSlot.get(slot);
    if (site === undefined) this.#siteOfSlot.set(slot, (site = this.#slotUnder(slot, 0)));
    return site;
  }

  /** The site of an allocation, whose outermost caller is the last of its call path. */
  ofPath(path: number): number {
    if (path === 0 || this.callPaths === undefined) return 0;
    let site = this.#siteOfPath.get(path);
    if (site === undefined) {
      const slot = this.callPaths.slot[path];
      site = slot === NO_INDEX ? 0 : this.#slotUnder(slot, this.#callers(this.callPaths, path));
      this.#siteOfPath.set(path, site);
    }
    return site;
  }

  /** The functions that were inlined into one another there, each where it begins or with its line there. */
  ofPlace(slot: number, by: 'function' | 'line'): number {
    const { slots, positions, functions, systemFiles } = this.catalog;
    const frames = [{ row: slots.function[slot], file: slots.file[slot], line: slots.line[slot] }];
    for (let at = slots.inlinedAt[slot]; at !== 0; at = positions.inlinedAt[at])
      frames.push({ row: positions.function[at], file: positions.file[at], line: positions.line[at] });
    return frames.reduceRight((caller, { row, ...line }) => {
      const at = by === 'function' ? this.#beginOf(row) : line;
      const flags = systemFiles.has(at.file) ? SITE_IN_SYSTEM : 0;
      return this.sites.intern(functions.name[row] ?? '', at.file, at.line, 0, { flags, receiver: NO_INDEX, caller });
    }, 0);
  }

  /** Functions of one name are one place: that of the smallest slot. */
  #beginOf(row: number): { readonly file: string; readonly line: number } {
    const { functions, slots } = this.catalog;
    if (this.#rowOfName.size === 0) {
      const enter = (own: number): void => {
        const name = functions.name[own] ?? '';
        if (!this.#rowOfName.has(name)) this.#rowOfName.set(name, own);
      };
      let before = -1;
      for (const own of slots.function) if (own !== before) enter((before = own));
      for (let own = 0; own < functions.count; own++) enter(own);
    }
    const first = this.#rowOfName.get(functions.name[row] ?? '') ?? row;
    return { file: functions.file[first] ?? '', line: functions.line[first] ?? 0 };
  }

  #slotUnder(slot: number, outside: number): number {
    const { slots } = this.catalog;
    return this.#siteOf(
      {
        function: slots.function[slot],
        file: slots.file[slot],
        line: slots.line[slot],
        column: slots.column[slot],
        inlinedAt: slots.inlinedAt[slot],
        receiver: slots.kind[slot] === 0 ? slots.path[slot] : '',
      },
      outside,
    );
  }

  /** The site of the call of the path's innermost function; 0: unknown. */
  #callers({ function: functions, call }: CallPathTable, path: number): number {
    let outside = 0;
    for (let frame = CALL_PATH_FRAMES - 1; frame > 0; frame--) {
      const at = path * CALL_PATH_FRAMES + frame;
      if (functions[at] === NO_INDEX) continue;
      const position = this.#positionOf(functions[at], functions[at - 1], call[at]);
      outside = position === 0 ? this.#functionUnder(functions[at], outside) : this.#positionUnder(position, outside);
    }
    return outside;
  }

  /** Where the function called the other: by the call that its last record says, if it fits, else its only one. */
  #positionOf(caller: number, callee: number, call: number): number {
    const { calls, functions } = this.catalog;
    const name = functions.linkageName[callee];
    const fits = call !== 0 && (calls.callee[call] === '' || calls.callee[call] === name);
    return fits ? calls.position[call] : ((this.#onlyCall ??= this.#onlyCalls()).get(name)?.get(caller) ?? 0);
  }

  #onlyCalls(): Map<string, Map<number, number>> {
    const { calls } = this.catalog;
    const only = new Map<string, Map<number, number>>();
    for (let call = 1; call < calls.count; call++) {
      const [callee, caller, position] = [calls.callee[call], calls.function[call], calls.position[call]];
      if (callee === '') continue;
      let ofCallee = only.get(callee);
      if (ofCallee === undefined) only.set(callee, (ofCallee = new Map()));
      const known = ofCallee.get(caller);
      ofCallee.set(caller, known === undefined || known === position ? position : 0);
    }
    return only;
  }

  #positionUnder(position: number, outside: number): number {
    const key = this.#placed.enter([position, outside]);
    let site = this.#siteOfPlaced[key];
    if (site === undefined) {
      const { positions } = this.catalog;
      const place: Place = {
        function: positions.function[position],
        file: positions.file[position],
        line: positions.line[position],
        column: positions.column[position],
        inlinedAt: positions.inlinedAt[position],
        receiver: positions.receiver[position],
      };
      this.#siteOfPlaced[key] = site = this.#siteOf(place, outside);
    }
    return site;
  }

  /** A function of which only the name is known. */
  #functionUnder(row: number, outside: number): number {
    const { functions } = this.catalog;
    const place = { function: row, file: functions.file[row], line: 0, column: 0, inlinedAt: 0, receiver: '' };
    return this.#siteOf(place, outside);
  }

  #siteOf({ function: row, file, line, column, inlinedAt, receiver }: Place, outside: number): number {
    const { functions, systemFiles } = this.catalog;
    const caller = inlinedAt === 0 ? outside : this.#positionUnder(inlinedAt, outside);
    const isCalled = inlinedAt === 0 && outside !== 0;
    return this.sites.intern(functions.name[row] ?? '', file, line, column, {
      flags: (systemFiles.has(file) ? SITE_IN_SYSTEM : 0) | (isCalled ? SITE_CALLED : 0),
      receiver: receiver === '' ? NO_INDEX : this.strings.intern(receiver),
      caller,
    });
  }
}
