// Stage: trace -> replay. The types of all units to those of the catalog: two that are defined alike are one.

import { sourceFile } from '../base/source-file.js';
import { TYPE_KINDS, type MemberTable, type TypeTable } from '../contract/catalog.js';
import { digestLayout, nameTypes } from './type-names.js';
import type { UnitColumns, UnitMember, UnitType } from './unit.js';

const ARRAY = TYPE_KINDS.indexOf('array');
const POINTER = TYPE_KINDS.indexOf('pointer');
const RECORDS: readonly number[] = (['struct', 'union', 'class'] as const).map((kind) => TYPE_KINDS.indexOf(kind));
/** Types that nest deeper are no types of a program. */
const MOST_NESTED = 1000;

interface CatalogType extends UnitType {
  /** `digestLayout` of its members. */
  readonly layout: string;
}

const UNKNOWN_TYPE: CatalogType = {
  name: '',
  kind: 0,
  sizeBytes: 0,
  element: 0,
  firstMember: 0,
  memberCount: 0,
  file: '',
  line: 0,
  layout: '',
};

export class CatalogTypes {
  private readonly types: CatalogType[] = [UNKNOWN_TYPE];
  private readonly members: UnitMember[] = [];
  private readonly typeByKey = new Map<string, number>();
  /** Types of which no unit so far knew the members. */
  private readonly opaqueByKey = new Map<string, number>();
  private readonly pathOfFile = new Map<string, string>();

  /** As units name them. */
  files(): string[] {
    return this.types.map(({ file }) => file);
  }

  /** Types of the unit to types of the catalog; members first, because a type is known by its layout. */
  add(unit: UnitColumns): Uint32Array {
    const { types, members } = unit;
    const ids = new Uint32Array(types.count);
    // Type 0 is the catalog's; marked at once, so that a type which nests itself, as none can, ends here.
    const isKnown = new Uint8Array(types.count);
    isKnown[0] = 1;
    const add = (index: number, depth: number): number => {
      if (index >= types.count || isKnown[index] !== 0) return ids[index] ?? 0;
      if (depth > MOST_NESTED) return 0;
      isKnown[index] = 1;
      const own: UnitMember[] = [];
      for (let at = 0; at < types.memberCount[index]; at++) {
        const member = types.firstMember[index] + at;
        own.push({
          name: members.name[member],
          type: add(members.type[member], depth + 1),
          offsetBytes: members.offsetBytes[member],
          flags: members.flags[member],
          bits: members.bits[member],
        });
      }
      const element = add(types.element[index], depth + 1);
      ids[index] = this.intern(rowOf(unit, index, element), own);
      return ids[index];
    };
    for (let index = 0; index < types.count; index++) add(index, 0);
    return ids;
  }

  private intern(row: UnitType, own: readonly UnitMember[]): number {
    const layout = digestLayout(own.map((member) => ({ ...member, type: this.spellMember(member.type) })));
    const bare = `${row.kind} ${row.sizeBytes} ${row.name}${row.kind === ARRAY ? ` ${row.element}` : ''}`;
    const place = row.file === '' ? '' : `${this.pathOf(row.file)}:${row.line}`;
    const isOpaque = isRecord(row) && own.length === 0 && row.name !== '';
    const key = isRecord(row) && !isOpaque ? `${bare}\n${place}\n${layout}` : bare;
    // Where one unit knows the members and the other does not, both mean the first definition of that name and size.
    const known = this.typeByKey.get(key) ?? (isOpaque ? undefined : this.opaqueByKey.get(bare));
    const isFresh = known === undefined || (this.types[known].memberCount === 0 && own.length > 0);
    if (!isFresh) return known;
    const type = { ...row, firstMember: this.members.length, memberCount: own.length, layout };
    for (const member of own) this.members.push(member);
    const id = known ?? this.types.push(type) - 1;
    this.types[id] = type;
    this.typeByKey.set(key, id);
    if (isOpaque) this.opaqueByKey.set(bare, id);
    else {
      this.opaqueByKey.delete(bare);
      if (isRecord(row) && !this.typeByKey.has(bare)) this.typeByKey.set(bare, id);
    }
    return id;
  }

  private pathOf(file: string): string {
    let path = this.pathOfFile.get(file);
    if (path === undefined) this.pathOfFile.set(file, (path = sourceFile(file).path));
    return path;
  }

  /** As digests have it. A unit may know a record or what a pointer points to by its name only. */
  private spellMember(type: number): string {
    const { name, kind, element, sizeBytes } = this.types[type];
    if (kind === POINTER) return '*';
    if (kind === ARRAY) return `${this.spellMember(element)}[${isRecord(this.types[element]) ? '' : sizeBytes}]`;
    return isRecord(this.types[type]) ? name : `${name} ${sizeBytes}`;
  }

  /** `spell`: of a file as units name it. */
  freeze(spell: (file: string) => string): {
    types: TypeTable;
    members: MemberTable;
    /** As in the catalog. */
    declared: Uint32Array;
  } {
    const { types, members } = this;
    const file = (row: UnitType): string => spell(row.file);
    return {
      types: {
        count: types.length,
        name: spellTypes(types, file),
        tag: types.map((row) => row.name),
        layout: types.map((row) => row.layout),
        kind: column(Uint8Array, types, (row) => row.kind),
        sizeBytes: column(Float64Array, types, (row) => row.sizeBytes),
        element: column(Uint32Array, types, (row) => row.element),
        firstMember: column(Uint32Array, types, (row) => row.firstMember),
        memberCount: column(Uint32Array, types, (row) => row.memberCount),
        file: types.map(file),
        line: column(Uint32Array, types, (row) => row.line),
      },
      members: {
        count: members.length,
        name: members.map((row) => row.name),
        type: column(Uint32Array, members, (row) => row.type),
        offsetBytes: column(Float64Array, members, (row) => row.offsetBytes),
        flags: column(Uint32Array, members, (row) => row.flags),
        bits: column(Uint32Array, members, (row) => row.bits),
      },
      declared: this.declaredTypes(),
    };
  }

  /** By type, what an object of it is declared as. */
  private declaredTypes(): Uint32Array {
    const { types } = this;
    const defined = new Map<string, number>();
    types.forEach((row, id) => {
      if (!isRecord(row) || row.memberCount === 0) return;
      const key = tagOf(row);
      defined.set(key, defined.has(key) ? 0 : id);
    });
    return Uint32Array.from(types, (_, id) => {
      const type = declaredType(types, id);
      // A unit that knows but the name means the only definition of it, if another unit has one.
      return type !== 0 && isNameOnly(types[type]) ? defined.get(tagOf(types[type])) || type : type;
    });
  }
}

function tagOf({ kind, name }: UnitType): string {
  return `${kind} ${name}`;
}

function isNameOnly(row: UnitType): boolean {
  return isRecord(row) && row.memberCount === 0 && row.sizeBytes === 0 && row.name !== '';
}

function rowOf({ types, files }: UnitColumns, index: number, element: number): UnitType {
  return {
    name: types.name[index],
    kind: types.kind[index],
    sizeBytes: types.sizeBytes[index],
    element,
    firstMember: types.firstMember[index],
    memberCount: types.memberCount[index],
    file: files[types.file[index]],
    line: types.line[index],
  };
}

/** A column of the rows. The arrays' own `from` walks an iterator: ten times as long. */
function column<Row, Column extends { [index: number]: number }>(
  Kind: new (length: number) => Column,
  rows: readonly Row[],
  of: (row: Row) => number,
): Column {
  const made = new Kind(rows.length);
  for (let i = 0; i < rows.length; i++) made[i] = of(rows[i]);
  return made;
}

/** An array of structs counts as its struct; arrays are folded, so one step is enough. */
function declaredType(types: readonly CatalogType[], id: number): number {
  if (types[id].kind !== ARRAY) return id;
  return isRecord(types[types[id].element]) ? types[id].element : id;
}

function isRecord({ kind }: UnitType): boolean {
  return RECORDS.includes(kind);
}

/** A type whose members nobody knows is the one definition of its name, if there is one. */
function spellTypes(types: readonly CatalogType[], file: (row: UnitType) => string): string[] {
  const defined = types.filter((row) => isRecord(row) && row.name !== '' && row.layout !== '');
  const names = nameTypes(
    defined.map((row) => ({
      tag: row.name,
      sizeBytes: row.sizeBytes,
      file: file(row),
      line: row.line,
      layout: row.layout,
    })),
  );
  const nameOf = new Map(defined.map((row, index) => [row, names[index]]));
  const spell = (row: CatalogType): string =>
    row.kind === ARRAY && isRecord(types[row.element]) && nameOf.has(types[row.element])
      ? `${nameOf.get(types[row.element])!}[]`
      : (nameOf.get(row) ?? row.name);
  return types.map(spell);
}
