// Stage: what-if, profile -> advice. Structs that a change lays out anew: each before and after, with what the run as
// it was made of the fields.

import type { Catalog } from '../contract/catalog.js';
import { buildLayouts, type MemberLayout, type TypeLayout } from '../profile/layouts.js';
import { measureLayout, type LayoutFacts } from '../views/annotated-type.js';
import { elementOf, type NewLayout, type NewMember, type StructChange } from '../what-if/layout-change.js';
import type { RelaidTypes } from '../what-if/what-if.js';
import { hottest, NO_USE, structUses, type FieldUse, type StructUse, type UsedRow } from './field-uses.js';

/** Hot fields are the fewest that have so much of the references to fields. Who misses depends on the layout. */
const HOT_SHARE = 0.95;
const POINTER_BYTES = 8;

export interface LaidField extends Omit<MemberLayout, 'layout'>, FieldUse {
  /** new: the change adds it. */
  readonly use: 'hot' | 'cold' | 'never used' | 'new';
  /** That the change asks for. */
  readonly alignBytes?: number;
}

export interface LaidStruct extends Omit<LayoutFacts, 'tag' | 'file' | 'line' | 'isFlat'> {
  readonly alignBytes?: number;
  /** Of the struct, and what names none of its fields: copies of the whole. */
  readonly references: number;
  readonly cycles: number;
  /** By offset. */
  readonly fields: readonly LaidField[];
}

export interface ChangedStruct {
  readonly type: string;
  /** The change names it; else a member of it is laid out anew. */
  readonly isNamed: boolean;
  readonly before: LaidStruct;
  readonly after: LaidStruct;
  /** The fields that go to a part of their own. */
  readonly cold: LaidStruct | null;
}

export function changedStructs(
  catalog: Catalog,
  rows: readonly UsedRow[],
  { changes, layouts }: Pick<RelaidTypes, 'changes' | 'layouts'>,
  lineBytes: number,
): ChangedStruct[] {
  if (layouts.size === 0) return [];
  const { types } = catalog;
  const names = new Set([...rows.map(({ type }) => type), ...[...layouts.keys()].map((type) => types.name[type])]);
  const known = buildLayouts(catalog, (name) => names.has(name));
  const uses = structUses(rows, known);
  return [...layouts].flatMap(([type, layout]): ChangedStruct[] => {
    const before = known.find(({ name }) => name === types.name[type]);
    // Copies for each thread leave the struct as it is.
    if (before === undefined || layout.cold?.isPerThread) return [];
    const use = uses.get(before)!;
    const change = changes.find((one) => one.type === type);
    const fields = fieldsOf(before, use);
    const moved = (members: readonly NewMember[]): LaidField[] =>
      members.flatMap((one) => {
        const field = fields[one.member - types.firstMember[type]];
        return field === undefined ? [] : [moveField(catalog, layouts, field, one, change)];
      });
    const laid = (name: string, sizeBytes: number, own: readonly LaidField[]): LaidStruct =>
      laidStruct({ name, kind: before.kind, sizeBytes }, own, lineBytes, use.whole);
    const after = moved(layout.members);
    after.push(...addedFields(before, after, layout, change));
    return [
      {
        type: before.name,
        isNamed: change !== undefined,
        before: laid(before.name, before.sizeBytes, fields),
        after: {
          ...laid(before.name, layout.sizeBytes, after),
          ...(layout.align !== undefined && { alignBytes: layout.align }),
        },
        cold:
          layout.cold === undefined ? null : laid(coldName(before), layout.cold.sizeBytes, moved(layout.cold.members)),
      },
    ];
  });
}

function fieldsOf({ members }: TypeLayout, { members: uses }: StructUse): LaidField[] {
  const hot = new Set(hottest(uses, 'references', HOT_SHARE));
  return members.map(({ layout: _, ...member }, index): LaidField => {
    const use = uses[index];
    return { ...member, ...use, use: hot.has(use) ? 'hot' : use.references > 0 ? 'cold' : 'never used' };
  });
}

function moveField(
  catalog: Catalog,
  layouts: ReadonlyMap<number, NewLayout>,
  field: LaidField,
  { member, offsetBytes, bits }: NewMember,
  change: StructChange | undefined,
): LaidField {
  const element = layouts.get(elementOf(catalog, catalog.members.type[member]));
  const alignBytes = change?.memberAlign?.get(member);
  return {
    ...field,
    offsetBytes,
    sizeBytes:
      change?.narrow?.get(member) ??
      (element === undefined ? field.sizeBytes : element.sizeBytes * (field.elements ?? 1)),
    ...(field.firstBit !== undefined && { firstBit: bits >>> 16 }),
    ...(alignBytes !== undefined && { alignBytes }),
  };
}

/** Padding, and the pointer to the cold part. */
function addedFields(
  before: TypeLayout,
  moved: readonly LaidField[],
  { cold }: NewLayout,
  change: StructChange | undefined,
): LaidField[] {
  const added = (field: Omit<LaidField, 'use' | keyof FieldUse>): LaidField => ({ ...field, ...NO_USE, use: 'new' });
  const fields: LaidField[] = [];
  if (cold?.pointerAt !== undefined) {
    const type = `${coldName(before)} *`;
    fields.push(added({ name: 'cold', type, offsetBytes: cold.pointerAt, sizeBytes: POINTER_BYTES }));
  }
  const pad = change?.pad;
  if (pad !== undefined) {
    const offsetBytes = Math.max(0, ...[...moved, ...fields].map(endOf));
    fields.push(added({ name: 'pad', type: 'unsigned char', offsetBytes, sizeBytes: pad, elements: pad }));
  }
  return fields;
}

function bitOf({ offsetBytes, firstBit = 0 }: LaidField): number {
  return offsetBytes * 8 + firstBit;
}

function endOf({ offsetBytes, sizeBytes, firstBit, bits }: LaidField): number {
  return offsetBytes + (firstBit === undefined || bits === undefined ? sizeBytes : Math.ceil((firstBit + bits) / 8));
}

function coldName({ name }: Pick<TypeLayout, 'name'>): string {
  return `${name}_cold`;
}

function laidStruct(
  type: Pick<LaidStruct, 'name' | 'kind' | 'sizeBytes'>,
  members: readonly LaidField[],
  lineBytes: number,
  whole: FieldUse,
): LaidStruct {
  const fields = [...members].sort((a, b) => bitOf(a) - bitOf(b));
  return {
    ...type,
    cacheLines: Math.ceil(type.sizeBytes / lineBytes),
    ...measureLayout({ ...type, members: fields }),
    ...whole,
    fields,
  };
}
