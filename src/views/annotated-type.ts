// Stage: profile -> views. `dprof annotate --type`: a type's definition, member by member with holes and padding, and
// what each member missed.

import { isTypeAsked } from '../base/type-name.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import type { LevelName } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import type { TypeLayout } from '../profile/layouts.js';
import { closestNames, didYouMean } from '../base/closest-names.js';
import { compareRanks, CounterSums, rankSums } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { classify, type Classified } from './level-misses.js';
import { findHoles, findMember, flatTree, growTree, placeOfBits, type Hole, type MemberNode } from './member-tree.js';
import type { View } from './view.js';

export const MEMBER_SORTS = ['offset', 'misses', 'cycles'] as const;
export type MemberSort = (typeof MEMBER_SORTS)[number];

/**
 * type: all of it; outside: what a reference of the type named that is no member: null for none, padding, an older
 * member.
 */
const MEMBER_ROWS = ['type', 'member', 'hole', 'padding', 'outside'] as const;

export interface AnnotatedMember extends Partial<Classified> {
  /** The number of the layout, if several types are called so. */
  readonly layout: number;
  readonly row: (typeof MEMBER_ROWS)[number];
  readonly name: string | null;
  readonly type: string | null;
  /** 0: the type itself; 1: its members; more: theirs. */
  readonly depth: number;
  /** null: nowhere. */
  readonly offsetBytes: number | null;
  readonly sizeBytes: number | null;
  readonly elements?: number;
  readonly isBase?: true;
  readonly isBitField?: true;
  /**
   * The first bit of a bit-field, as pahole counts it: from `offsetBytes`, which is then the offset of its storage
   * unit.
   */
  readonly firstBit?: number;
  /** The number of bits of a bit-field, or of the rest that bit-fields leave of their storage unit. */
  readonly bits?: number;
  /** Number of the cache line it begins in, if the object begins with one. */
  readonly cacheLine: number | null;
}

export interface LayoutFacts
  extends Pick<TypeLayout, 'name' | 'tag' | 'kind' | 'sizeBytes' | 'file' | 'line' | 'isFlat'> {
  readonly cacheLines: number;
  readonly members: number;
  /** Bytes of members that are no bit-fields. */
  readonly sumMembers: number;
  readonly holes: number;
  readonly sumHoles: number;
  readonly sumBits: number;
  readonly bitHoles: number;
  readonly sumBitHoles: number;
  readonly padding: number;
  readonly bitPadding: number;
}

export interface AnnotatedType extends View<AnnotatedMember> {
  readonly type: string;
  readonly memberOrder: MemberSort;
  readonly layouts: readonly LayoutFacts[];
}

export function annotateType(
  profile: Profile,
  type: string,
  sort: MemberSort = 'offset',
  level?: LevelName,
): AnnotatedType {
  const layouts = findLayouts(profile, type);
  const annotated = layouts.map((layout, number) => {
    const { whole, fields } = sumFields(profile, layout.name);
    return annotateLayout(profile, layout, number, whole, fields, sort, undefined, level);
  });
  const { rows, ...view } = wrapRows(
    profile,
    'annotated-type',
    annotated.flatMap((one) => one.rows),
    { level },
  );
  return { ...view, type, memberOrder: sort, layouts: annotated.map(({ facts }) => facts), rows };
}

function findLayouts({ layouts, types, sites, strings }: Profile, type: string): readonly TypeLayout[] {
  if (layouts === undefined)
    throw new DprofError(
      'this profile says nothing of how types are laid out: an older dprof wrote it',
      'replay the trace again: dprof replay TRACE -o PROFILE',
    );
  const own = layouts.filter(({ name, tag }) => isTypeAsked(name, type) || tag === type);
  if (own.length > 0) return own;
  const closest = closestNames(type, [...new Set(layouts.map(({ name }) => name))]);
  const isOfProfile = types.name.some((name) => isTypeAsked(strings[name], type));
  const hint =
    closest.length > 0
      ? didYouMean(closest)
      : sites.line.every((line) => line === 0)
        ? 'the profile knows the members of no type; compile with -g'
        : isOfProfile
          ? `the program has none; dprof report --view miss-classification --type '${type}' shows what misses there`
          : 'the program has none; dprof report lists its types';
  throw new DprofError(
    `no struct, union or class with members that are known is named '${type}' in this profile`,
    hint,
  );
}

/** Field null: the type as a whole, without a field. */
function sumFields(
  { tallies, types, strings }: Profile,
  type: string,
): { whole: CounterSums; fields: Map<string | null, CounterSums> } {
  const whole = new CounterSums();
  const fields = new Map<string | null, CounterSums>();
  for (let row = 0; row < tallies.type.length; row++) {
    if (strings[types.name[tallies.type[row]]] !== type) continue;
    const field = tallies.field[row] === NO_INDEX ? null : strings[tallies.field[row]];
    let sums = fields.get(field);
    if (sums === undefined) fields.set(field, (sums = new CounterSums()));
    sums.add(tallies, row);
    whole.add(tallies, row);
  }
  return { whole, fields };
}

/**
 * `number`: of the layouts of its name. `more`: what else is to be said of a member, by the paths of the fields that it
 * is or that lie in it.
 */
export function annotateLayout(
  profile: Profile,
  layout: TypeLayout,
  number: number,
  whole: CounterSums,
  fields: ReadonlyMap<string | null, CounterSums>,
  sort: MemberSort,
  more: (fields: readonly (string | null)[]) => object = () => ({}),
  level?: LevelName,
): { facts: LayoutFacts; rows: AnnotatedMember[] } {
  const { lineBytes } = profile.machine;
  const tree = growTree(profile.layouts!, layout);
  const sums = new Map<MemberNode, CounterSums>();
  const paths = new Map<MemberNode, (string | null)[]>();
  const outside: [string | null, CounterSums][] = [];
  for (const [field, own] of fields) {
    const chain = field === null ? [] : findMember(tree, field);
    if (chain.length === 0) outside.push([field, own]);
    for (const node of chain) {
      const sum = sums.get(node) ?? new CounterSums();
      sums.set(node, sum);
      sum.addSums(own);
      paths.set(node, [...(paths.get(node) ?? []), field]);
    }
  }
  const none = new CounterSums();
  const place = (offsetBytes: number): Pick<AnnotatedMember, 'layout' | 'offsetBytes' | 'cacheLine'> => ({
    layout: number,
    offsetBytes,
    cacheLine: Math.floor(offsetBytes / lineBytes),
  });
  const memberRow = (node: MemberNode): AnnotatedMember => {
    const { name, type, sizeBytes, elements, isBase, isBitField, bits } = node.member;
    const bitPlace = isBitField && bits !== undefined ? placeOfBits(node) : undefined;
    return {
      row: 'member',
      name,
      type,
      depth: node.depth,
      ...place(bitPlace?.offsetBytes ?? node.offsetBytes),
      sizeBytes,
      ...(elements !== undefined && { elements }),
      ...(isBase && { isBase }),
      ...(isBitField && { isBitField }),
      ...(bitPlace && { firstBit: bitPlace.bit, bits }),
      ...classify(sums.get(node) ?? none, profile.machine, level),
      ...more(paths.get(node) ?? []),
    };
  };
  const holeRow = ({ offsetBytes, sizeBytes, sizeBits, isPadding }: Hole, depth: number): AnnotatedMember => ({
    row: isPadding ? 'padding' : 'hole',
    name: null,
    type: null,
    depth,
    ...place(offsetBytes),
    sizeBytes,
    ...(sizeBits > 0 && { bits: sizeBits }),
  });
  const list = (own: TypeLayout, nodes: readonly MemberNode[], base: number, depth: number): AnnotatedMember[] => {
    const below = (node: MemberNode): AnnotatedMember[] => [
      memberRow(node),
      ...(node.children.length === 0
        ? []
        : list(profile.layouts![node.member.layout!], node.children, node.offsetBytes, depth + 1)),
    ];
    if (sort !== 'offset') {
      const compare = compareRanks(sort);
      const rank = (node: MemberNode) => rankSums(sums.get(node) ?? none, String(node.offsetBytes).padStart(16));
      return [...nodes].sort((a, b) => compare(rank(a), rank(b))).flatMap(below);
    }
    const holes = findHoles(own, nodes, base).map((hole) => ({
      at: hole.offsetBytes + (hole.sizeBits > 0 ? 0.5 : 0.25),
      rows: [holeRow(hole, depth)],
    }));
    // A hole of bits stands behind the bit-field that it shares a byte with; members of one offset stay in their order.
    const members = nodes.map((node) => ({ at: node.offsetBytes, rows: below(node) }));
    return [...members, ...holes].sort((a, b) => a.at - b.at).flatMap(({ rows }) => rows);
  };
  const { name, tag, kind, sizeBytes, file, line, isFlat } = layout;
  const outsideRows = outside
    .sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1))
    .map(
      ([field, own]): AnnotatedMember => ({
        layout: number,
        row: 'outside',
        name: field,
        type: null,
        depth: 1,
        offsetBytes: null,
        sizeBytes: null,
        cacheLine: null,
        ...classify(own, profile.machine, level),
        ...more([field]),
      }),
    );
  const typeRow: AnnotatedMember = {
    row: 'type',
    name: null,
    type: name,
    depth: 0,
    ...place(0),
    sizeBytes,
    ...classify(whole, profile.machine, level),
    ...more([...fields.keys()]),
  };
  const facts = {
    name,
    ...(tag !== undefined && { tag }),
    kind,
    sizeBytes,
    file,
    line,
    ...(isFlat && { isFlat }),
    cacheLines: Math.ceil(sizeBytes / lineBytes),
    ...measureLayout(layout, tree),
  };
  return { facts, rows: [typeRow, ...list(layout, tree, 0, 1), ...outsideRows] };
}

/** `tree`: its members. */
export function measureLayout(
  layout: Pick<TypeLayout, 'kind' | 'sizeBytes' | 'members'>,
  tree = flatTree(layout.members),
): Omit<LayoutFacts, 'name' | 'tag' | 'kind' | 'sizeBytes' | 'file' | 'line' | 'isFlat' | 'cacheLines'> {
  const found = findHoles(layout, tree, 0);
  const of = (isPadding: boolean, count: (hole: Hole) => number): number[] =>
    found
      .filter((hole) => hole.isPadding === isPadding)
      .map(count)
      .filter((size) => size > 0);
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
  const [holes, bitHoles] = [of(false, (hole) => hole.sizeBytes), of(false, (hole) => hole.sizeBits)];
  return {
    members: layout.members.length,
    sumMembers: sum(layout.members.filter(({ isBitField }) => !isBitField).map(({ sizeBytes }) => sizeBytes)),
    holes: holes.length,
    sumHoles: sum(holes),
    sumBits: sum(layout.members.map(({ bits = 0 }) => bits)),
    bitHoles: bitHoles.length,
    sumBitHoles: sum(bitHoles),
    padding: sum(of(true, (hole) => hole.sizeBytes)),
    bitPadding: sum(of(true, (hole) => hole.sizeBits)),
  };
}
