// Stage: command line -> what-if. The words of --reorder and --align to changes of the catalog's types.

import { DprofError } from '../base/dprof-error.js';
import { closestNames } from '../base/closest-names.js';
import type { Catalog } from '../contract/catalog.js';
import { isRecord, membersOf, type StructChange } from './layout-change.js';

const MOST_ALIGNMENT = 4096;

/** Several words may name one type. */
export function parseChanges(
  catalog: Catalog,
  { reorder = [], align = [] }: { readonly reorder?: readonly string[]; readonly align?: readonly string[] },
): StructChange[] {
  const changes = new Map<number, StructChange>();
  const change = (type: number, more: Partial<StructChange>): void =>
    void changes.set(type, { ...changes.get(type), type, ...more });
  for (const text of reorder) {
    const cut = text.lastIndexOf(':');
    const fields = text
      .slice(cut + 1)
      .split(',')
      .map((name) => name.trim());
    if (cut <= 0 || fields.includes(''))
      throw new DprofError(
        `--reorder: '${text}' names no fields`,
        "for example --reorder 'struct node: key,next,*'",
        2,
      );
    for (const type of findTypes(catalog, text.slice(0, cut).trim(), '--reorder'))
      change(type, { order: orderOf(catalog, type, fields) });
  }
  for (const text of align) {
    const match = /^(.+?)\s*=\s*(\d+)$/.exec(text);
    const bytes = Number(match?.[2]);
    if (match === null || bytes < 1 || bytes > MOST_ALIGNMENT || (bytes & (bytes - 1)) !== 0)
      throw new DprofError(
        `--align: '${text}' does not end in = and a power of two up to ${MOST_ALIGNMENT}`,
        "for example --align 'struct counters=64', --align 'struct counters.hits=64'",
        2,
      );
    const { types, member } = findTypeOrField(catalog, match[1]);
    for (const type of types) {
      if (member === undefined) change(type, { align: bytes });
      else {
        const row = findMember(catalog, type, member);
        change(type, { memberAlign: new Map([...(changes.get(type)?.memberAlign ?? []), [row, bytes]]) });
      }
    }
  }
  return [...changes.values()];
}

/** All definitions of the name: in one program a name has one, but for those that the report tells apart. */
function findTypes(catalog: Catalog, name: string, option: string): number[] {
  const { types } = catalog;
  const known = Array.from({ length: types.count }, (_, type) => type).filter(
    (type) => isRecord(catalog, type) && types.memberCount[type] > 0,
  );
  const spelled = (type: number): string[] => [types.name[type], types.tag[type]];
  const found = known.filter((type) => spelled(type).some((one) => one === name || one === `struct ${name}`));
  if (found.length > 0) return found;
  const close = closestNames(
    name,
    known.map((type) => types.name[type]),
  );
  throw new DprofError(
    `${option}: the trace has no struct or class '${name}' whose fields it knows`,
    close.length > 0 ? `nearest: ${close.join(', ')}` : 'compile the program with dprof-cc, with the type in it',
    2,
  );
}

function findTypeOrField(catalog: Catalog, text: string): { types: number[]; member?: string } {
  const cut = text.lastIndexOf('.');
  if (cut < 0) return { types: findTypes(catalog, text, '--align') };
  return { types: findTypes(catalog, text.slice(0, cut).trim(), '--align'), member: text.slice(cut + 1).trim() };
}

/** `fields`: first in the new order; the others follow where * stands, or behind all. */
function orderOf(catalog: Catalog, type: number, fields: readonly string[]): number[] {
  const all = membersOf(catalog, type);
  const named = fields.filter((name) => name !== '*').map((name) => findMember(catalog, type, name));
  const twice = named.find((row, index) => named.indexOf(row) !== index);
  if (twice !== undefined || fields.filter((name) => name === '*').length > 1)
    throw new DprofError(
      `--reorder: ${twice === undefined ? '*' : `'${catalog.members.name[twice]}'`} stands twice`,
      'each field once; * is all others',
      2,
    );
  const others = all.filter((row) => !named.includes(row));
  const flexible = all.at(-1)!;
  const order = fields.includes('*')
    ? fields.flatMap((name) => (name === '*' ? others : [findMember(catalog, type, name)]))
    : [...named, ...others];
  if (catalog.types.sizeBytes[catalog.members.type[flexible]] === 0 && order.at(-1) !== flexible)
    throw new DprofError(
      `--reorder: '${catalog.members.name[flexible]}' is a flexible array: it stays last`,
      `put it behind the others: ${fields.filter((name) => name !== catalog.members.name[flexible]).join(',')}`,
      2,
    );
  return order;
}

function findMember(catalog: Catalog, type: number, name: string): number {
  const { members, types } = catalog;
  const rows = membersOf(catalog, type);
  const found = rows.find((row) => members.name[row] === name);
  if (found !== undefined) return found;
  const close = closestNames(
    name,
    rows.map((row) => members.name[row]).filter((one) => one !== ''),
  );
  throw new DprofError(`${types.name[type]} has no field '${name}'`, `nearest: ${close.join(', ')}`, 2);
}
