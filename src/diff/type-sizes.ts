// Stage: profiles -> diff. What each run calls a type and how large it is there: padding shows as a size that changed.

import type { Profile } from '../profile/profile.js';
import { averageChange } from './change.js';
import { sizeInName } from './resized-sites.js';
import type { CountedRow, TypeChangeRow } from './type-changes.js';

type SizeOf = (name: string) => number | null;

export function typeSizes({ layouts = [] }: Profile): SizeOf {
  const sizes = new Map(layouts.map(({ name, sizeBytes }) => [name, sizeBytes]));
  return (name) => sizes.get(name) ?? sizeInName(name);
}

/** `ownNames`: of types that the first run calls otherwise. */
export function nameBefore(
  sizeBefore: SizeOf,
  sizeAfter: SizeOf,
  ownNames: ReadonlyMap<string, string>,
): (rows: { readonly whole: CountedRow; readonly fields: readonly CountedRow[] }) => {
  readonly whole: TypeChangeRow;
  readonly fields: readonly TypeChangeRow[];
} {
  return ({ whole, fields }) => {
    const { type, presence } = whole;
    const typeBefore = presence === 'appeared' ? null : (ownNames.get(type) ?? type);
    const before = typeBefore === null ? null : sizeBefore(typeBefore);
    const sizeBytes = averageChange(before, presence === 'vanished' ? null : sizeAfter(type));
    const named = (row: CountedRow): TypeChangeRow => ({ ...row, typeBefore, sizeBytes });
    return { whole: named(whole), fields: fields.map(named) };
  };
}
