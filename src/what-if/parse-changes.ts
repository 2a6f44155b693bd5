// Stage: command line -> what-if. The words of --reorder, --align, --pad, --split, --per-thread and --narrow to changes
// of the catalog's types. Several words may name one type.

import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { MemberFlag } from '../trace/layout.js';
import { findMember, findTypes, findTypesOrField } from './find-type.js';
import { elementOf, isArray, isRecord, membersOf, type StructChange } from './layout-change.js';

const MOST_ALIGNMENT = 4096;
const MOST_PADDING = 1 << 20;

export interface StructWords {
  readonly reorder?: readonly string[];
  readonly align?: readonly string[];
  readonly pad?: readonly string[];
  readonly split?: readonly string[];
  readonly narrow?: readonly string[];
  readonly perThread?: readonly string[];
}

export function parseChanges(catalog: Catalog, words: StructWords): StructChange[] {
  const changes = new Map<number, StructChange>();
  const change = (type: number, more: Partial<StructChange>): void =>
    void changes.set(type, { ...changes.get(type), type, ...more });
  const changeOnce = (type: number, option: string, more: Partial<StructChange>): void => {
    const before = changes.get(type);
    if (Object.keys(more).some((key) => before?.[key as keyof StructChange] !== undefined))
      throw new DprofError(`${option}: ${catalog.types.name[type]} has this change already`, 'each type once', 2);
    change(type, more);
  };
  for (const text of words.reorder ?? []) {
    const { types, fields } = parseFields(catalog, text, '--reorder', "'struct node: key,next,*'");
    for (const type of types) changeOnce(type, '--reorder', { order: orderOf(catalog, type, fields, '--reorder') });
  }
  for (const text of words.split ?? []) {
    const { types, fields, after } = parseFields(catalog, text, '--split', "'struct rec: key,next | *'");
    for (const type of types) {
      const { order, hot } = splitOf(catalog, type, fields, after);
      changeOnce(type, '--split', { order, cold: new Set(order.slice(hot)) });
    }
  }
  for (const text of words.perThread ?? []) {
    const { types, fields } = parseFields(catalog, text, '--per-thread', "'struct counters: hits,misses'");
    for (const type of types) {
      if (changes.get(type)?.cold !== undefined)
        throw new DprofError(`--per-thread: ${catalog.types.name[type]} is split, too`, 'leave out one of the two', 2);
      const own = fields.includes('*')
        ? membersOf(catalog, type)
        : fields.map((name) => findMember(catalog, type, name));
      change(type, { perThread: new Set([...(changes.get(type)?.perThread ?? []), ...own]) });
    }
  }
  for (const text of words.align ?? []) {
    const { name, bytes } = parseBytes(text, '--align', /^(.+?)\s*=\s*(\d+)$/, MOST_ALIGNMENT);
    const { types, member } = findTypesOrField(catalog, name, '--align');
    for (const type of types) {
      if (member === undefined) changeOnce(type, '--align', { align: bytes });
      else {
        const row = findMember(catalog, type, member);
        change(type, { memberAlign: new Map([...(changes.get(type)?.memberAlign ?? []), [row, bytes]]) });
      }
    }
  }
  for (const text of words.pad ?? []) {
    const { name, bytes } = parseBytes(text, '--pad', /^(.+?)\s*=\s*\+(\d+)$/, MOST_PADDING);
    for (const type of findTypes(catalog, name, '--pad')) changeOnce(type, '--pad', { pad: bytes });
  }
  for (const text of words.narrow ?? []) {
    const { name, bytes } = parseBytes(text, '--narrow', /^(.+?)\s*=\s*(\d+)$/, 8);
    const { types, member } = findTypesOrField(catalog, name, '--narrow');
    for (const type of types) {
      const row = narrowed(catalog, type, member, bytes);
      change(type, { narrow: new Map([...(changes.get(type)?.narrow ?? []), [row, bytes]]) });
    }
  }
  return [...changes.values()];
}

const EXAMPLES: Readonly<Record<string, string>> = {
  '--align': "for example --align 'struct counters=64', --align 'struct counters.hits=64'",
  '--pad': "for example --pad 'struct grid=+64'",
  '--narrow': "for example --narrow 'struct node.flags=1'",
};

function parseBytes(text: string, option: string, form: RegExp, most: number): { name: string; bytes: number } {
  const match = form.exec(text);
  const bytes = Number(match?.[2]);
  const isPower = option === '--pad' || (bytes & (bytes - 1)) === 0;
  if (match === null || bytes < 1 || bytes > most || !isPower)
    throw new DprofError(
      option === '--pad'
        ? `--pad: '${text}' does not end in =+ and bytes, up to ${most}`
        : `${option}: '${text}' does not end in = and a power of two up to ${most}`,
      EXAMPLES[option],
      2,
    );
  return { name: match[1], bytes };
}

/** 'TYPE: FIELD,FIELD | FIELD'. `after`: so many fields stand before the bar; all, if there is none. */
function parseFields(
  catalog: Catalog,
  text: string,
  option: string,
  example: string,
): { types: number[]; fields: string[]; after: number } {
  const cut = [...text.matchAll(/(?<!:):(?!:)/g)].at(-1)?.index ?? -1; // a base is a field, and may be called ns::Base
  const groups = text
    .slice(cut + 1)
    .split('|')
    .map((group) => group.split(',').map((name) => name.trim()));
  const fields = groups.flat();
  if (cut <= 0 || fields.includes('') || groups.length !== (option === '--split' ? 2 : 1))
    throw new DprofError(
      `${option}: '${text}' names no fields${option === '--split' ? ' on both sides of |' : ''}`,
      `for example ${option} ${example}`,
      2,
    );
  return { types: findTypes(catalog, text.slice(0, cut).trim(), option), fields, after: groups[0].length };
}

/** Members in the order of `fields`; the others follow where * stands, or behind all. */
function orderOf(catalog: Catalog, type: number, fields: readonly string[], option: string): number[] {
  const all = membersOf(catalog, type);
  const named = fields.filter((name) => name !== '*').map((name) => findMember(catalog, type, name));
  const twice = named.find((row, index) => named.indexOf(row) !== index);
  if (twice !== undefined || fields.filter((name) => name === '*').length > 1)
    throw new DprofError(
      `${option}: ${twice === undefined ? '*' : `'${catalog.members.name[twice]}'`} stands twice`,
      'each field once; * is all others',
      2,
    );
  const others = all.filter((row) => !named.includes(row));
  const flexible = all.at(-1)!;
  const order = fields.includes('*')
    ? fields.flatMap((name) => (name === '*' ? others : [findMember(catalog, type, name)]))
    : [...named, ...others];
  const kind = flexibleKind(catalog, flexible);
  if (kind !== null && order.at(-1) !== flexible)
    throw new DprofError(
      `${option}: '${catalog.members.name[flexible]}' is ${kind}: it stays last`,
      `put it behind the others: ${fields.filter((name) => name !== catalog.members.name[flexible]).join(',')}`,
      2,
    );
  return order;
}

/** Of a struct's last member: an array that goes on behind the struct, or may. Null: it does not. */
function flexibleKind(catalog: Catalog, member: number): string | null {
  const { sizeBytes } = catalog.types;
  const type = catalog.members.type[member];
  if (sizeBytes[type] === 0) return 'a flexible array';
  // Older than C99: struct { ...; T last[1]; }, allocated with room for more.
  const isLone = isArray(catalog, type) && sizeBytes[type] === sizeBytes[elementOf(catalog, type)];
  return isLone ? 'an array of one element at the end, which may go on behind the struct' : null;
}

/** `hot`: so many of the order stay. */
function splitOf(
  catalog: Catalog,
  type: number,
  fields: readonly string[],
  after: number,
): { order: number[]; hot: number } {
  const order = orderOf(catalog, type, fields, '--split');
  const name = catalog.types.name[type];
  const kind = flexibleKind(catalog, order.at(-1)!);
  if (kind !== null) throw new DprofError(`--split: ${name} ends in ${kind}`, 'reorder it: --reorder', 2);
  const first = fields[after];
  const hot = first === '*' ? after : order.indexOf(findMember(catalog, type, first));
  if (hot === 0 || hot === order.length)
    throw new DprofError(`--split: nothing is left on one side of ${name}`, 'name fields on both sides of |', 2);
  return { order, hot };
}

function narrowed(catalog: Catalog, type: number, member: string | undefined, bytes: number): number {
  const { types, members } = catalog;
  if (member === undefined)
    throw new DprofError(`--narrow: '${types.name[type]}' names no field`, EXAMPLES['--narrow'], 2);
  const row = findMember(catalog, type, member);
  const own = members.type[row];
  const isScalar =
    !isRecord(catalog, own) && !isArray(catalog, own) && (members.flags[row] & MemberFlag.bitField) === 0;
  if (!isScalar || bytes >= types.sizeBytes[own])
    throw new DprofError(
      `--narrow: '${member}' of ${types.name[type]} ${isScalar ? `has ${types.sizeBytes[own]} bytes` : 'is no scalar'}`,
      'give fewer bytes than a number or a pointer has: 1, 2 or 4',
      2,
    );
  return row;
}
