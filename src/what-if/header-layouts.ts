// Stage: what-if. A header with types as they are to be, to layouts: types go by their names, fields by theirs.

import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { closestNames } from '../base/closest-names.js';
import { MemberFlag } from '../trace/layout.js';
import type { UnitColumns } from '../trace/unit.js';
import { compileTypes, preprocess, type CompileOptions } from './compile-types.js';
import { isRecord, membersOf, type NewLayout } from './layout-change.js';

export interface Header {
  readonly path: string;
  /** Of the compiler: -I and the like. */
  readonly flags: readonly string[];
}

export interface HeaderLayouts {
  readonly layouts: ReadonlyMap<number, NewLayout>;
  /** How the header names these types. */
  readonly names: ReadonlyMap<number, string>;
  /** What comes before text that uses them. */
  readonly text: string;
  readonly options: CompileOptions;
}

const DEFINITION =
  /\b(?:struct|class)\s+(?:__attribute__\s*\(\(.*?\)\)\s*|alignas\s*\([^)]*\)\s*|\[\[.*?\]\]\s*)*(\w+)[^;{()]*\{/g;
/** `template <class T>` */
const TEMPLATE = /\btemplate\s*<[^;{}]*>(?=\s*(?:struct|class|union)\b)/g;
const TYPEDEF = /\}\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w+)\s*;/g;
const CPP = ['.hpp', '.hh', '.hxx', '.h++', '.cc', '.cpp', '.cxx'];

export function headerLayouts(catalog: Catalog, header: Header, compilers: string): HeaderLayouts {
  const path = resolve(header.path);
  const { types } = catalog;
  const isCpp = CPP.includes(extname(path)) || isOfCpp(catalog);
  const options = { compilers, isCpp, flags: header.flags, what: header.path };
  const text = `#include "${path}"`;
  if (!existsSync(path))
    throw new DprofError(`no file ${header.path}`, 'name a file with the types as they are to be', 2);
  const defined = definedIn(preprocess(text, options));
  const named = new Map<number, string>();
  for (let type = 1; type < types.count; type++)
    if (isRecord(catalog, type) && types.memberCount[type] > 0 && defined.has(bareName(types.tag[type])))
      named.set(type, types.tag[type]);
  if (named.size === 0)
    throw new DprofError(
      `${header.path} defines no type that the trace has: ${[...defined].slice(0, 5).join(', ') || 'none at all'}`,
      nearest([...defined], types.tag.map(bareName)),
      2,
    );
  const names = [...named.values()];
  const unit = compileTypes({ text, types: names, options });
  const layouts = new Map<number, NewLayout>();
  for (const [type, name] of named) layouts.set(type, readNamed(catalog, type, unit, name, header.path));
  return { layouts, names: named, text, options };
}

/** A C compiler's structs are called with the word in front. */
function isOfCpp({ types }: Catalog): boolean {
  return types.tag.some((tag) => /::|</.test(tag)) || !types.tag.some((tag) => tag.startsWith('struct '));
}

/** The names, without namespaces, of what the code defines. */
function definedIn(code: string): Set<string> {
  const own = code.replace(TEMPLATE, '');
  return new Set([...own.matchAll(DEFINITION), ...own.matchAll(TYPEDEF)].map(([, name]) => name));
}

/** Without the word struct, namespaces and arguments of templates. */
export function bareName(tag: string): string {
  return tag
    .replace(/<.*$/, '')
    .replace(/^(struct|union|class) /, '')
    .replace(/^.*::/, '');
}

/** The layout of the type in a unit of which it is called so. */
export function readNamed(catalog: Catalog, type: number, unit: UnitColumns, name: string, header: string): NewLayout {
  const { types, members } = unit;
  const spelled = unit.types.name.map((one, row) => (one === name && types.memberCount[row] > 0 ? row : -1));
  const row = spelled.find((one) => one >= 0);
  if (row === undefined)
    throw new DprofError(`${header} does not say what ${name} has in it`, 'define it there, with all its fields', 2);
  const made = Array.from({ length: types.memberCount[row] }, (_, index) => types.firstMember[row] + index);
  const taken = new Set<number>();
  const found = membersOf(catalog, type).map((member) => {
    const own = catalog.members;
    const isAlike = (other: number): boolean =>
      !taken.has(other) &&
      members.name[other] === own.name[member] &&
      (members.flags[other] & MemberFlag.baseClass) === (own.flags[member] & MemberFlag.baseClass);
    const other = made.find(isAlike);
    if (other === undefined)
      throw new DprofError(
        `${header}: ${name} has no field '${own.name[member]}', which the run accesses as ${types.name[row]} has it`,
        nearest(
          [own.name[member]],
          made.map((one) => members.name[one]),
        ),
        2,
      );
    taken.add(other);
    const [before, after] = [catalog.types.sizeBytes[own.type[member]], types.sizeBytes[members.type[other]]];
    if (after < before && !isRecord(catalog, own.type[member]))
      throw new DprofError(
        `${header}: field '${own.name[member]}' of ${name} has ${after} bytes, but the run accesses ${before}`,
        'a field cannot be made smaller',
        2,
      );
    return { member, offsetBytes: members.offsetBytes[other], bits: members.bits[other] };
  });
  return { sizeBytes: types.sizeBytes[row], members: found.sort((a, b) => a.offsetBytes - b.offsetBytes) };
}

function nearest(asked: readonly string[], known: readonly string[]): string {
  const close = asked.flatMap((name) => closestNames(name, known)).slice(0, 3);
  return close.length > 0 ? `nearest: ${close.join(', ')}` : 'dprof report --view types names the types of the trace';
}
