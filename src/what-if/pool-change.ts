// Stage: command line -> what-if. The words of --pool: heap blocks of a type, or of the line that allocates them.

import { basename } from 'node:path';
import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { SlotKind } from '../trace/layout.js';
import { findTypes } from './find-type.js';

/** Blocks that lie side by side. */
export interface Pool {
  readonly name: string;
  /** Their types: TypeIds. */
  readonly types: ReadonlySet<number>;
  /** Or where they are allocated: rows of the catalog's slots. */
  readonly slots: ReadonlySet<number>;
}

export function parsePools(catalog: Catalog, words: readonly string[]): Pool[] {
  return words.map((word): Pool => {
    const name = word.trim();
    if (/:\d+$/.test(name)) return { name, types: new Set(), slots: new Set(slotsAt(catalog, name)) };
    const types = findTypes(catalog, name, '--pool');
    return { name: catalog.types.name[types[0]], types: new Set(types), slots: new Set() };
  });
}

/** The place of the block's pool among them; -1: in none. */
export function poolOf(pools: readonly Pool[], type: number, allocationSlot: number): number {
  return pools.findIndex(({ types, slots }) => types.has(type) || slots.has(allocationSlot));
}

function slotsAt({ slots }: Catalog, place: string): number[] {
  const sites = Array.from({ length: slots.count }, (_, slot) => slot).filter(
    (slot) => slots.kind[slot] === SlotKind.site,
  );
  const namesOf = (slot: number): string[] =>
    [slots.file[slot], basename(slots.file[slot])].map((file) => `${file}:${slots.line[slot]}`);
  const found = sites.filter((slot) => namesOf(slot).includes(place));
  if (found.length > 0) return found;
  const close = closestNames(place, [...new Set(sites.map((slot) => namesOf(slot)[1]))]);
  throw new DprofError(
    `--pool: nothing is allocated at '${place}'`,
    close.length > 0 ? `nearest: ${close.join(', ')}` : "for example --pool 'struct node', or --pool list.c:19",
    2,
  );
}
