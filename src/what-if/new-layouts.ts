// Stage: what-if. Changes of structs to layouts, by the compiler: all types that hold a changed one are laid out anew,
// too. What is written for the compiler is first compiled as the types are now, and must give the layouts of the trace.

import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import type { UnitColumns } from '../trace/unit.js';
import { checkBases, checkHolders, checkSplits } from './check-layouts.js';
import type { CompileOptions, Compiling } from './compile-types.js';
import type { HeaderLayouts } from './header-layouts.js';
import {
  elementOf,
  elementsOf,
  isRecord,
  membersOf,
  placedMembers,
  withHolders,
  type NewLayout,
  type NewMember,
  type StructChange,
} from './layout-change.js';
import { POINTER, StructSource } from './struct-source.js';

const OLD = 'dprof_old_';
const NEW = 'dprof_new_';
/** Tried one after the other, where a type is not laid out as its members alone say. */
const ATTRIBUTES = ['', '__attribute__((packed)) ', ...[16, 32, 64, 128].map((n) => `__attribute__((aligned(${n}))) `)];

/** `withPointer`: types that need a pointer to their cold part, if they get one. */
export function* layoutsOf(
  catalog: Catalog,
  changes: readonly StructChange[],
  compilers: string,
  withPointer: ReadonlySet<number>,
  header?: HeaderLayouts,
): Compiling<Map<number, NewLayout>> {
  const byType = new Map(changes.map((change) => [change.type, change]));
  const given = header?.layouts ?? new Map<number, NewLayout>();
  const both = [...byType.keys()].find((type) => given.has(type));
  if (both !== undefined)
    throw new DprofError(
      `${catalog.types.name[both]} is in ${header!.options.what} and in another option, too`,
      'change it in one of the two',
      2,
    );
  const found = new Map([...given].filter(([type, layout]) => isChanged(catalog, type, layout)));
  const all = withHolders(catalog, [...byType.keys(), ...found.keys()]);
  checkSplits(catalog, byType, all);
  const compiled = [...byType.values()].filter((change) => !isOnlyPerThread(change)).map(({ type }) => type);
  const changed = withHolders(catalog, [...compiled, ...found.keys()]);
  for (const type of changed) if (given.has(type)) found.set(type, given.get(type)!);
  const holders = changed.filter((type) => !given.has(type));
  checkHolders(catalog, [...all, ...byType.keys()]);
  if (holders.length === 0) return withPerThread(catalog, changes, found);
  const options = header?.options ?? { compilers, isCpp: false, what: 'what dprof wrote of the types' };
  const { attributes, opaque } = yield* attributesOf(catalog, holders, given, options);
  const split = new Set([...byType.values()].filter(({ cold }) => cold).map(({ type }) => type));
  const pointers = new Set([...split].filter((type) => withPointer.has(type)));
  const source = new StructSource(catalog, NEW, byType, attributes, header?.names, pointers, opaque);
  const names = holders.map((type) => source.add(type));
  const coldNames = new Map([...split].map((type) => [type, source.addCold(type)]));
  const text = `${header?.text ?? ''}\n${source.text()}`;
  const unit = yield { text, types: [...names, ...coldNames.values()], options };
  holders.forEach((type, index) => {
    const { narrow, cold } = byType.get(type) ?? {};
    const align = alignOf(catalog, type, byType.get(type), found);
    const all = readLayout(catalog, type, unit, names[index]);
    checkBases(catalog, type, found, (base) => byType.get(base)?.pad !== undefined);
    const layout: NewLayout = {
      ...all,
      members: all.members.filter(({ member }) => !cold?.has(member)),
      align,
      narrow,
    };
    const coldName = coldNames.get(type);
    if (coldName !== undefined) {
      const { sizeBytes, members } = readLayout(catalog, type, unit, coldName);
      const pointer = pointers.has(type) ? membersIn(unit, rowOf(unit, names[index])).get(POINTER) : undefined;
      const pointerAt = pointer === undefined ? undefined : unit.members.offsetBytes[pointer];
      found.set(type, {
        ...layout,
        cold: { sizeBytes, members: members.filter(({ member }) => cold!.has(member)), pointerAt },
      });
    } else if (align !== undefined || narrow || isChanged(catalog, type, layout) || holdsOne(catalog, type, found))
      found.set(type, layout);
  });
  return withPerThread(catalog, changes, found);
}

/** What the type asks for, by itself, by a member, or by the type of one; undefined: nothing does. */
function alignOf(
  catalog: Catalog,
  type: number,
  { align, memberAlign }: Pick<StructChange, 'align' | 'memberAlign'> = {},
  inside: ReadonlyMap<number, NewLayout>,
): number | undefined {
  const ofMembers = membersOf(catalog, type).map(
    (member) => inside.get(elementOf(catalog, catalog.members.type[member]))?.align,
  );
  const asked = [align, ...(memberAlign?.values() ?? []), ...ofMembers].filter((one) => one !== undefined);
  return asked.length === 0 ? undefined : Math.max(...asked);
}

function isOnlyPerThread({ order, align, memberAlign, pad, cold, narrow }: StructChange): boolean {
  return [order, align, memberAlign, pad, cold, narrow].every((change) => change === undefined);
}

function withPerThread(
  catalog: Catalog,
  changes: readonly StructChange[],
  layouts: ReadonlyMap<number, NewLayout>,
): Map<number, NewLayout> {
  const own = changes.flatMap(({ type, perThread }): [number, NewLayout][] =>
    perThread ? [[type, withOwnParts(catalog, type, perThread, layouts)]] : [],
  );
  return new Map([...layouts, ...own]);
}

/** The type stays as it is laid out; accesses to these members are to each thread's own. */
function withOwnParts(
  catalog: Catalog,
  type: number,
  perThread: ReadonlySet<number>,
  layouts: ReadonlyMap<number, NewLayout>,
): NewLayout {
  const layout: NewLayout = layouts.get(type) ?? {
    sizeBytes: catalog.types.sizeBytes[type],
    members: placedMembers(catalog, type),
  };
  const { sizeBytes, members } = layout;
  return {
    ...layout,
    members: members.filter(({ member }) => !perThread.has(member)),
    cold: { sizeBytes, members: members.filter(({ member }) => perThread.has(member)), isPerThread: true },
  };
}

/** The type may be as large as it was, with its members where they were: what lies in them is elsewhere. */
function holdsOne(catalog: Catalog, type: number, found: ReadonlyMap<number, NewLayout>): boolean {
  return elementsOf(catalog, type).some((one) => found.has(one));
}

function isChanged(catalog: Catalog, type: number, { sizeBytes, members }: NewLayout): boolean {
  return sizeBytes !== catalog.types.sizeBytes[type] || members.some((one) => isElsewhere(catalog, one));
}

function isElsewhere({ members }: Catalog, { member, offsetBytes }: NewMember): boolean {
  return members.offsetBytes[member] !== offsetBytes;
}

/** The types, and before them all structs and unions of which the trace knows the members that lie in them. */
function withMembers(catalog: Catalog, types: readonly number[], given: ReadonlyMap<number, unknown>): number[] {
  const found = new Set<number>();
  const visit = (type: number): void => {
    if (found.has(type) || given.has(type) || !isRecord(catalog, type) || catalog.types.memberCount[type] === 0) return;
    for (const element of elementsOf(catalog, type)) visit(element);
    found.add(type);
  };
  for (const type of types) visit(type);
  return [...found];
}

/** What stands behind the word struct of each type, so that the compiler lays it out as it was. */
function* attributesOf(
  catalog: Catalog,
  holders: readonly number[],
  given: ReadonlyMap<number, unknown>,
  options: CompileOptions,
): Compiling<{ readonly attributes: ReadonlyMap<number, string>; readonly opaque: ReadonlySet<number> }> {
  const found = new Map<number, string>();
  const opaque = new Set<number>();
  let left = withMembers(catalog, holders, given);
  while (left.length > 0) {
    const before = left.length;
    for (const attribute of ATTRIBUTES) {
      const tried = new Map([...found, ...left.map((type) => [type, attribute] as const)]);
      const source = new StructSource(catalog, OLD, new Map(), tried, undefined, undefined, opaque);
      const names = left.map((type) => source.add(type));
      const unit = yield { text: source.text(), types: names, options };
      // What lies in a type comes first; what is found now stays as it is written here only without an attribute.
      const known = new Set(found.keys());
      for (const type of left) {
        const layout = readLayout(catalog, type, unit, names[left.indexOf(type)]);
        const isOfKnown = elementsOf(catalog, type).every((one) => known.has(one) || !left.includes(one));
        if (!isOfKnown || isChanged(catalog, type, layout)) continue;
        found.set(type, attribute);
        if (attribute === '') known.add(type);
      }
      left = left.filter((type) => !found.has(type));
      if (left.length < before) break; // what holds these is tried anew, without an attribute first
    }
    if (left.length < before) continue;
    // Of what stays as it is, as a string of C++, size and alignment are enough.
    for (const type of left) if (!holders.includes(type)) opaque.add(type);
    left = left.filter((type) => !opaque.has(type));
    if (left.length === before)
      throw new DprofError(
        `${catalog.types.name[left[0]]} is not laid out as its members alone say (a base class, an attribute)`,
        'write the type as it is to be, and give it with --header FILE',
        2,
      );
  }
  return { attributes: found, opaque };
}

/** `name`: as the compiler was given it; a C++ compiler leaves out the word struct. Members that it lacks are at 0. */
function readLayout(catalog: Catalog, type: number, unit: UnitColumns, name: string): NewLayout {
  const row = rowOf(unit, name);
  const first = catalog.types.firstMember[type];
  const made = membersIn(unit, row);
  const found = membersOf(catalog, type).map((member) => {
    const own = made.get(`m${member - first}`);
    return own === undefined
      ? { member, offsetBytes: 0, bits: 0 }
      : { member, offsetBytes: unit.members.offsetBytes[own], bits: unit.members.bits[own] };
  });
  return { sizeBytes: unit.types.sizeBytes[row], members: found.sort((a, b) => a.offsetBytes - b.offsetBytes) };
}

function rowOf({ types }: UnitColumns, name: string): number {
  const bare = name.replace(/^(struct|union|class) /, '');
  return types.name.findIndex((one) => one === name || one === bare);
}

/** The members of a row, by name. */
function membersIn({ types, members }: UnitColumns, row: number): Map<string, number> {
  return new Map(
    Array.from({ length: types.memberCount[row] }, (_, index) => {
      const member = types.firstMember[row] + index;
      return [members.name[member], member];
    }),
  );
}
