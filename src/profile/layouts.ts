// Stage: replay -> profile. How the struct, union and class types of a profile are laid out: members with offsets and
// sizes, those of nested types in their own rows. From the catalog, for those types only that the profile names.

import { MemberFlag } from '../trace/layout.js';
import { TYPE_KINDS, type Catalog } from '../contract/catalog.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/** The limit for all types together, nested types included: a hostile trace could ask for more. */
const MOST_MEMBERS = 1 << 20;
export const MOST_DEPTH = 16;
/** The limit for one type, with the members of its members. Further members are left out. */
export const MOST_NODES = 1 << 12;

const LAYOUT_KINDS = ['struct', 'union', 'class'] as const;

export interface MemberLayout {
  /** "" for an anonymous struct or union, whose members are spelled as the outer's. */
  readonly name: string;
  /** The type's name; for an array, that of its elements. */
  readonly type: string;
  readonly offsetBytes: number;
  readonly sizeBytes: number;
  /** The number of an array's elements, dimensions multiplied; 0: as many as there is room for. */
  readonly elements?: number;
  readonly isBase?: true;
  /** Its size is that of its type. */
  readonly isBitField?: true;
  /** The first bit of a bit-field, counted from the offset. Older traces do not say it. */
  readonly firstBit?: number;
  readonly bits?: number;
  /** Row of the type, or of the array's elements, if its members are known. */
  readonly layout?: number;
}

export interface TypeLayout {
  /** As row types are spelled. In older profiles types of one name may differ. */
  readonly name: string;
  /** As the language writes it, if that is not the name: another type is written so too. */
  readonly tag?: string;
  readonly kind: (typeof LAYOUT_KINDS)[number];
  readonly sizeBytes: number;
  /** The file of its definition; "" unknown. */
  readonly file: string;
  readonly line: number;
  /** Of its members, as the catalog has it. Older profiles do not say it. */
  readonly digest?: string;
  /** The members of its members are left out, since the profile would exceed its limit of members. */
  readonly isFlat?: true;
  readonly members: readonly MemberLayout[];
}

/** From a profile's own names to the new ones. A name that is not known stays. */
export interface NewNames {
  readonly type: (name: string) => string;
  readonly file: (spelling: string) => string;
}

interface KeyedMember extends Omit<MemberLayout, 'layout'> {
  readonly layout?: string;
}

/** Layouts by what makes a catalog take two types for one, so that profiles of one program have each once. */
class LayoutBuilder {
  readonly #rows = new Map<string, Omit<TypeLayout, 'members'> & { readonly members: readonly KeyedMember[] }>();

  has(key: string): boolean {
    return this.#rows.has(key);
  }

  /**
   * Two programs may lay a type out differently. Then the layout with the smaller spelling is kept, so the result does
   * not depend on their order.
   */
  add(key: string, row: Omit<TypeLayout, 'members'>, members: readonly KeyedMember[]): void {
    const layout = { ...row, members };
    const known = this.#rows.get(key);
    if (known === undefined || JSON.stringify(layout) < JSON.stringify(known)) this.#rows.set(key, layout);
  }

  /** For a layout whose members become known only later. */
  replace(key: string, row: Omit<TypeLayout, 'members'>, members: readonly KeyedMember[]): void {
    this.#rows.set(key, { ...row, members });
  }

  freeze(): readonly TypeLayout[] {
    const keys = [...this.#rows.keys()].sort();
    const numbers = new Map(keys.map((key, number) => [key, number]));
    return keepWithinLimits(
      keys.map((key) => {
        const { members, ...row } = this.#rows.get(key)!;
        return {
          ...row,
          members: members.map(({ layout, ...member }) => ({
            ...member,
            ...(layout !== undefined && numbers.has(layout) && { layout: numbers.get(layout)! }),
          })),
        };
      }),
    );
  }
}

function layoutKey({ kind, name, sizeBytes, file, line }: Omit<TypeLayout, 'members'>): string {
  return (
    `${name}\n${kind}\n${String(sizeBytes).padStart(16, '0')}\n` +
    `${name.startsWith('(unnamed') ? `${file}:${line}` : ''}`
  );
}

/** `isNamed`: whether a row type of that name is in the profile. */
export function buildLayouts(catalog: Catalog, isNamed: (name: string) => boolean): readonly TypeLayout[] {
  const { types, members } = catalog;
  const builder = new LayoutBuilder();
  const isArray = (type: number): boolean => TYPE_KINDS[types.kind[type]] === 'array';
  const elementOf = (type: number): number => (isArray(type) ? elementOf(types.element[type]) : type);
  const spell = (type: number): string => types.name[type] || `(unnamed ${TYPE_KINDS[types.kind[type]]})`;
  const rowOf = (type: number): Omit<TypeLayout, 'members'> | undefined => {
    const kind = LAYOUT_KINDS.find((name) => name === TYPE_KINDS[types.kind[type]]);
    if (kind === undefined || types.memberCount[type] === 0) return undefined;
    return {
      name: spell(type),
      ...(types.tag[type] !== types.name[type] && { tag: types.tag[type] }),
      kind,
      sizeBytes: types.sizeBytes[type],
      file: types.file[type],
      line: types.line[type],
      ...(types.layout[type] !== '' && { digest: types.layout[type] }),
    };
  };
  let budget = MOST_MEMBERS;
  const add = (type: number, depth: number): string | undefined => {
    const row = rowOf(type);
    if (row === undefined) return undefined;
    const key = layoutKey(row);
    if (builder.has(key)) return key;
    budget -= types.memberCount[type];
    if (depth > MOST_DEPTH || budget < 0) return undefined;
    builder.add(key, row, []); // so that a type which nests itself, as none can, ends here
    const own = Array.from(
      { length: Math.min(types.memberCount[type], Math.max(0, members.count - types.firstMember[type])) },
      (_, index): KeyedMember => {
        const member = types.firstMember[type] + index;
        const [declared, flags] = [members.type[member], members.flags[member]];
        const element = elementOf(declared);
        const nested = add(element, depth + 1);
        const sizeBytes = types.sizeBytes[declared];
        return {
          name: members.name[member],
          type: spell(element),
          offsetBytes: members.offsetBytes[member],
          sizeBytes,
          ...(isArray(declared) && {
            elements: types.sizeBytes[element] === 0 ? 0 : Math.floor(sizeBytes / types.sizeBytes[element]),
          }),
          ...((flags & MemberFlag.baseClass) !== 0 && { isBase: true as const }),
          ...((flags & MemberFlag.bitField) !== 0 && {
            isBitField: true as const,
            ...(members.bits[member] !== 0 && {
              firstBit: members.bits[member] >>> 16,
              bits: members.bits[member] & 0xffff,
            }),
          }),
          ...(nested !== undefined && { layout: nested }),
        };
      },
    );
    builder.replace(key, row, own);
    return key;
  };
  for (let type = 1; type < types.count; type++) if (isNamed(spell(type))) add(type, 0);
  return builder.freeze();
}

/**
 * The layouts of all profiles together, each named anew; undefined if no profile has any. Older profiles have none.
 * `names` has the new names of each profile's types and files.
 */
export function mergeLayouts(
  all: readonly (readonly TypeLayout[] | undefined)[],
  names: readonly NewNames[],
): readonly TypeLayout[] | undefined {
  const builder = new LayoutBuilder();
  all.forEach((layouts, index) => {
    const { type, file } = names[index];
    const rename = ({ members: _, tag, ...row }: TypeLayout): Omit<TypeLayout, 'members'> => {
      const [before, after] = [tag ?? row.name, type(row.name)];
      return { ...row, name: after, ...(before !== after && { tag: before }), file: file(row.file) };
    };
    for (const one of layouts ?? []) {
      builder.add(
        layoutKey(rename(one)),
        rename(one),
        one.members.map(({ layout, ...member }) => ({
          ...member,
          type: type(member.type),
          ...(layout !== undefined && { layout: layoutKey(rename(layouts![layout])) }),
        })),
      );
    }
  });
  return all.every((layouts) => layouts === undefined) ? undefined : builder.freeze();
}

/** Checks a value of a profile's directory, which may be anything. */
export function checkLayouts(layouts: unknown): void {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const isMember = (value: unknown): boolean => {
    const { name, type, offsetBytes, sizeBytes, elements, firstBit, bits, layout } = (value ?? {}) as Partial<
      Record<keyof MemberLayout, unknown>
    >;
    const isNested = layout === undefined || (isCount(layout) && (layout as number) < (layouts as unknown[]).length);
    return (
      typeof name === 'string' &&
      typeof type === 'string' &&
      isCount(offsetBytes) &&
      isCount(sizeBytes) &&
      [elements, firstBit, bits].every((count) => count === undefined || isCount(count)) &&
      isNested
    );
  };
  const isLayout = (value: unknown): boolean => {
    const { name, tag, kind, sizeBytes, file, line, digest, isFlat, members } = (value ?? {}) as Partial<
      Record<keyof TypeLayout, unknown>
    >;
    const isKind = LAYOUT_KINDS.some((one) => one === kind);
    return (
      typeof name === 'string' &&
      [tag, digest].every((text) => text === undefined || typeof text === 'string') &&
      isKind &&
      isCount(sizeBytes) &&
      typeof file === 'string' &&
      isCount(line) &&
      (isFlat === undefined || isFlat === true) &&
      Array.isArray(members) &&
      members.every(isMember)
    );
  };
  if (!Array.isArray(layouts) || !layouts.every(isLayout))
    throw new ProfileError(
      'layouts of the profile',
      HEADER_BYTES,
      'types with name, kind, size, place and members',
      'something else',
    );
  const nodes = add(countNodes(layouts as TypeLayout[]));
  if (nodes > MOST_MEMBERS)
    throw new ProfileError(
      'layouts of the profile',
      HEADER_BYTES,
      `at most ${MOST_MEMBERS} members, those of nested types with each`,
      `${nodes}`,
    );
}

const DEEPEST = 1000;

/**
 * Keeps the layouts within the limits that a reader checks. Each type keeps its own members, and the first types keep
 * nested members too. If the profile has too many types, as one of many programs may, the last ones are left out.
 */
function keepWithinLimits(layouts: readonly TypeLayout[]): readonly TypeLayout[] {
  const nodes = countNodes(layouts);
  if (add(nodes) <= MOST_MEMBERS) return layouts;
  const own = layouts.map(({ members }) => Math.min(members.length, MOST_NODES));
  let [count, left] = [0, MOST_MEMBERS];
  while (count < layouts.length && own[count] <= left) left -= own[count++];
  return layouts.slice(0, count).map((layout, number) => {
    const more = nodes[number] - own[number];
    const isFlat = more > left;
    if (!isFlat) left -= more;
    const members = layout.members.map(({ layout: nested, ...member }) => ({
      ...member,
      ...(!isFlat && nested !== undefined && nested < count && { layout: nested }),
    }));
    return { ...layout, ...(isFlat && { isFlat }), members };
  });
}

function add(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/**
 * The number of members of each type, nested ones included, at most MOST_NODES. A type that nests itself, which no real
 * one does, counts as MOST_NODES.
 */
function countNodes(layouts: readonly TypeLayout[]): Float64Array {
  const counts = new Float64Array(layouts.length).fill(-1);
  const count = (layout: number, depth: number): number => {
    if (counts[layout] >= 0) return counts[layout];
    if (depth > DEEPEST) return MOST_NODES;
    counts[layout] = MOST_NODES;
    const sum = layouts[layout].members.reduce(
      (total, { layout: nested }) => total + 1 + (nested === undefined ? 0 : count(nested, depth + 1)),
      0,
    );
    return (counts[layout] = Math.min(sum, MOST_NODES));
  };
  layouts.forEach((_, layout) => count(layout, 0));
  return counts;
}
