// Stage: source -> patch. Where structs and variables of a trace are defined, and what counts on their layout: from all
// sources of the program that are here.

import type { Catalog } from '../contract/catalog.js';
import { bareName } from '../what-if/header-layouts.js';
import { declarationsOf, includedFiles, type AstNode, type ClangRun } from './clang-ast.js';
import { isSource, type CompileCommands } from './compile-commands.js';
import { bareType, findLookOuts, type FoundLookOut } from './look-outs.js';
import { Refusal } from './refusal.js';
import { lineAt, readText } from './source-text.js';

/** What is looked for: a struct or a variable of the catalog. */
export interface Subject {
  readonly kind: 'struct' | 'variable';
  /** Without namespaces. */
  readonly name: string;
  /** With them. */
  readonly qualified: string;
  readonly path: string;
  readonly line: number;
}

export interface FoundDeclarations {
  /** The definition, and a source that has it. */
  readonly definitions: ReadonlyMap<Subject, { readonly node: AstNode; readonly run: ClangRun }>;
  readonly lookOuts: readonly FoundLookOut[];
  /** Sources that have one of the subjects in them; those that clang does not compile as they are. */
  readonly sources: readonly ClangRun[];
  readonly unread: readonly string[];
}

/** More are not looked through. */
const MOST_SOURCES = 64;

export function subjectOfType({ types, files }: Catalog, type: number): Subject {
  if (types.tag[type].includes('<')) throw new Refusal('it is made by a template');
  const path = files.get(types.file[type])?.path;
  if (!path) throw new Refusal('the trace does not say where it is defined');
  const qualified = types.tag[type].replace(/^(?:struct|union|class) /, '');
  return { kind: 'struct', name: bareName(qualified), qualified, path, line: types.line[type] };
}

export function subjectOfVariable({ variables, files }: Catalog, variable: number): Subject {
  const path = files.get(variables.file[variable])?.path;
  if (!path) throw new Refusal(`the trace does not say where '${variables.name[variable]}' is defined`);
  const qualified = variables.name[variable];
  return { kind: 'variable', name: bareName(qualified), qualified, path, line: variables.line[variable] };
}

export async function findDeclarations(
  { files }: Catalog,
  subjects: readonly Subject[],
  commands: CompileCommands,
  folder: string,
): Promise<FoundDeclarations> {
  const texts = new Map<string, string | null>();
  const textOf = (path: string): string | null => {
    if (!texts.has(path)) texts.set(path, readText(path));
    return texts.get(path)!;
  };
  for (const { path } of subjects) if (textOf(path) === null) throw new Refusal(`its source is not there: ${path}`);
  const paths = [...new Set([...files.values()].map(({ path }) => path))].filter(isSource);
  const definitions = new Map<Subject, { node: AstNode; run: ClangRun }>();
  const lookOuts = new Map<string, FoundLookOut>();
  const sources: ClangRun[] = [];
  const unread: string[] = [];
  let refusal: Refusal | undefined;
  for (const path of paths.filter((one) => textOf(one) !== null).sort()) {
    const run = { ...commands.of(path), folder };
    try {
      const included = await includedFiles(run);
      const own = subjects.filter((subject) => included.includes(subject.path));
      if (own.length === 0) continue;
      if (sources.length === MOST_SOURCES) {
        unread.push(path);
        continue;
      }
      const structs = new Set(
        own.filter(({ kind }) => kind === 'struct').flatMap(({ name, qualified }) => [name, qualified]),
      );
      const isWanted = (json: string, file: string): boolean =>
        included.includes(file) &&
        // Clang names no struct in an offsetof, nor in the definition of one that only a typedef names.
        (json.includes('"OffsetOfExpr"') ||
          [...structs].some((name) => json.includes(name)) ||
          own.some((one) => json.includes(one.name) || (one.path === file && json.includes('"completeDefinition"'))));
      for await (const node of declarationsOf(run, isWanted)) {
        if (isNameOf(node, structs)) structs.add(node.name!);
        for (const subject of own) {
          const found = definitions.has(subject) ? undefined : findDefinition(node, subject, textOf(subject.path)!);
          if (found !== undefined) definitions.set(subject, { node: found, run });
        }
        for (const one of findLookOuts(node, [...structs], textOf))
          lookOuts.set(`${one.what} ${one.path} ${one.offset}`, one);
      }
      sources.push(run);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal ??= error;
      unread.push(path);
    }
  }
  const lost = subjects.find((subject) => !definitions.has(subject));
  if (lost !== undefined)
    throw refusal ?? new Refusal(`its definition is not at ${lost.path}:${lost.line}: it was changed since`);
  return { definitions, lookOuts: [...lookOuts.values()], sources, unread };
}

/** Another name for one of these. */
function isNameOf({ kind, name, type }: AstNode, structs: ReadonlySet<string>): boolean {
  const isName = kind === 'TypedefDecl' || kind === 'TypeAliasDecl';
  return isName && name !== undefined && type !== undefined && structs.has(bareType(type.qualType));
}

/** On the line that the trace has. */
function findDefinition(node: AstNode, subject: Subject, text: string, isInside = false): AstNode | undefined {
  const { kind, path, line } = subject;
  const isOfKind =
    kind === 'struct'
      ? /^(?:CXX)?RecordDecl$/.test(node.kind) && node.completeDefinition === true
      : node.kind === 'VarDecl' && node.name === subject.name && node.storageClass !== 'extern';
  const place = node.loc?.expansionLoc ?? node.loc;
  if (isOfKind && place?.file === path && place.offset !== undefined && lineAt(text, place.offset) === line) {
    if (isInside) throw new Refusal('it is defined in a function or a template');
    return node;
  }
  const isInner = isInside || /Function|Method|Constructor|Template/.test(node.kind);
  for (const inner of node.inner ?? []) {
    const found = findDefinition(inner, subject, text, isInner);
    if (found !== undefined) return found;
  }
  return undefined;
}
