// Stage: source, trace -> patch. What a patch says above its diff: where was looked, and what to look out for.

import { relative } from 'node:path';
import type { Catalog } from '../contract/catalog.js';
import { ObjectKind } from '../sim/sim-object.js';
import { SlotKind } from '../trace/layout.js';
import type { StructChange } from '../what-if/layout-change.js';
import { typeOf } from '../what-if/place-objects.js';
import type { SurveyedObjects } from '../what-if/survey-columns.js';
import { errorIn } from './check-layout.js';
import { isSource } from './compile-commands.js';
import type { FoundDeclarations, Subject } from './found-declarations.js';
import { LOOK_OUTS, type LookOut } from './look-outs.js';
import { lineAt, readText } from './source-text.js';

/** Allocators give less alignment by themselves. */
const MALLOC_BYTES = 16;
/** Places of one kind that are named. */
const MOST_PLACES = 6;

export class PatchNotes {
  /** `base`: the folder that names of files are relative to. */
  constructor(
    private readonly catalog: Catalog,
    private readonly objects: SurveyedObjects,
    private readonly base: string,
  ) {}

  nameOf(path: string): string {
    return relative(this.base, path);
  }

  where({ sources, unread }: FoundDeclarations, changes: readonly StructChange[]): string {
    const left = unread.length === 0 ? '' : `; not in ${this.list(unread)}`;
    const what = [...(changes.length === 0 ? [] : Object.values(LOOK_OUTS)), 'errors'].join(', ');
    return `Looked for in ${this.list(sources.map(({ source }) => source))}${left}: ${what}. Look out for:`;
  }

  /** What follows from the struct and its objects alone. */
  ofStruct({ type, align, memberAlign, pad }: StructChange, { name, path }: Subject, isPacked: boolean): string[] {
    const { catalog, objects } = this;
    const notes: string[] = [];
    if (isPacked) notes.push(`${name} is packed: something may count on where its fields lie`);
    if (!isSource(path))
      notes.push(`${name} is defined in a header: compile all that includes it anew, other programs too`);
    if (pad !== undefined) notes.push(`nothing may count on the size of ${name}: files, messages, shared memory`);
    const copies = Array.from({ length: catalog.slots.count }, (_, slot) => slot).filter((slot) =>
      isCopy(catalog, type, slot),
    );
    if (copies.length > 0) notes.push(`copied as a whole in the run: ${this.listSlots(copies)}`);
    const bytes = Math.max(align ?? 1, ...(memberAlign?.values() ?? []));
    const allocations = Array.from({ length: objects.count }, (_, object) => object)
      .filter((object) => objects.kind[object] === ObjectKind.heap && typeOf(objects, object) === type)
      .map((object) => objects.allocationSlot[object])
      .filter((slot) => slot < catalog.slots.count);
    if (bytes > MALLOC_BYTES && allocations.length > 0)
      notes.push(
        `heap blocks need aligned_alloc(${bytes}, ...), or in C++ new of C++17: ${this.listSlots(allocations)}`,
      );
    return notes;
  }

  ofVariable({ name }: Subject): string {
    return `nothing that is written often may stand behind ${name} in its line, which the linker decides`;
  }

  /** `texts`: of changed files, by path. */
  ofSources(
    { lookOuts, sources }: FoundDeclarations,
    changes: readonly StructChange[],
    texts: ReadonlyMap<string, string>,
  ): string[] {
    const isReordered = changes.some(({ order }) => order !== undefined);
    // Without a new order, positions are as they were.
    const kinds = (Object.keys(LOOK_OUTS) as LookOut[]).filter((kind) => isReordered || kind !== 'initialisers');
    const found = kinds.flatMap((kind) => {
      const places = lookOuts
        .filter(({ what }) => what === kind)
        .map(({ path, offset }) => `${path}:${lineAt(readText(path) ?? '', offset)}`);
      return places.length === 0 ? [] : [`${LOOK_OUTS[kind]}: ${this.list(places)}`];
    });
    const broken = sources.flatMap((run) => {
      const error = errorIn(run, texts);
      const said = error?.replaceAll(`${this.base}/`, '');
      return said === undefined ? [] : [`${this.nameOf(run.source)} does not compile any more: ${said}`];
    });
    return [...found, ...broken];
  }

  private listSlots(rows: readonly number[]): string {
    const { slots, files } = this.catalog;
    return this.list(rows.map((slot) => `${files.get(slots.file[slot])?.path}:${slots.line[slot]}`));
  }

  /** Paths, with lines or without. */
  private list(places: readonly string[]): string {
    const names = [...new Set(places)].map((place) => this.nameOf(place));
    const left = names.length - MOST_PLACES;
    return names.slice(0, MOST_PLACES).join(', ') + (left > 0 ? ` and ${left} more` : '');
  }
}

function isCopy({ slots }: Catalog, type: number, slot: number): boolean {
  const isBlock = slots.kind[slot] === SlotKind.copyLoad || slots.kind[slot] === SlotKind.copyStore;
  return isBlock && slots.type[slot] === type && slots.path[slot] === '';
}
