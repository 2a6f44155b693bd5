// Stage: catalog -> advice. Accesses that load or store several fields at once, as a compiler makes them of two loads
// that stand side by side. Their references count for the first field; these are the others.

import type { Catalog } from '../contract/catalog.js';
import { NO_INDEX } from '../base/ids.js';
import { SlotKind } from '../trace/layout.js';
import { PADDING } from '../trace/leaf-table.js';
import type { FieldSpans } from '../views/class-costs.js';
import { fieldAt } from '../what-if/field-at.js';

/** A load or store of more bytes than its first field has. */
interface Wide {
  /** Of the type that the access names. */
  readonly field: string;
  readonly bytes: number;
}

/** `typeOf`: structs, unions and classes by their names. */
export function wideAccesses(catalog: Catalog, typeOf: ReadonlyMap<string, number>): FieldSpans {
  const byPlace = wideByPlace(catalog);
  const known = new Map<string, readonly string[]>();
  return (type, field, { file, line, column }) => {
    const own = byPlace.get(placeKey(file, line, column))?.filter((one) => isOrEndsIn(field, one.field)) ?? [];
    const number = typeOf.get(type);
    if (own.length === 0 || number === undefined) return [];
    const bytes = Math.max(...own.map((one) => one.bytes));
    const key = `${number} ${bytes} ${field}`;
    const fields = known.get(key) ?? fieldsBehind(catalog, number, field, bytes);
    known.set(key, fields);
    return fields;
  };
}

/** The object may be of a type that has the accessed one as a member. */
function isOrEndsIn(field: string, own: string): boolean {
  return field === own || field.endsWith(`.${own}`);
}

function wideByPlace({ slots, leaves }: Catalog): Map<string, Wide[]> {
  const found = new Map<string, Wide[]>();
  for (let slot = 0; slot < slots.count; slot++) {
    if (slots.kind[slot] !== SlotKind.load && slots.kind[slot] !== SlotKind.store) continue;
    const [type, offset, bytes] = [slots.type[slot], slots.offset[slot], slots.sizeBytes[slot]];
    const field = fieldAt(leaves, type, offset);
    if (field === undefined || fieldAt(leaves, type, offset + bytes - 1) === field) continue;
    const key = placeKey(slots.file[slot], slots.line[slot], slots.column[slot]);
    found.set(key, [...(found.get(key) ?? []), { field, bytes }]);
  }
  return found;
}

function placeKey(file: string, line: number, column: number): string {
  return `${line}:${column} ${file}`;
}

/** Of the type: the fields in `bytes` bytes from the begin of `field` on, without itself. */
function fieldsBehind({ leaves }: Catalog, type: number, field: string, bytes: number): string[] {
  const { base, span, leafAt, path } = leaves;
  if (base[type] === NO_INDEX) return [];
  let from = 0;
  while (from < span[type] && path[type][leafAt[base[type] + from]] !== field) from++;
  const found = new Set<string>();
  for (let at = from; at < Math.min(span[type], from + bytes); at++) found.add(path[type][leafAt[base[type] + at]]);
  found.delete(field);
  found.delete(PADDING);
  return [...found];
}
