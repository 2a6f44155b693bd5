// Stage: source -> patch. The definition of a struct or class: its fields as pieces of text that can change places,
// each with the comments that belong to it.

import type { AstNode, Place } from './clang-ast.js';
import { Refusal } from './refusal.js';
import { columnAt, endAt, hasNewline, tokensOf, type Token } from './source-text.js';

/** A field; several that one declaration declares; a run of bit-fields. What is in it stays together. */
export interface FieldPiece {
  /** In their order; '' of an anonymous struct or union. */
  readonly names: readonly string[];
  /** With its comments. */
  readonly begin: number;
  readonly end: number;
  /** Where its declaration begins. */
  readonly codeBegin: number;
  readonly isOne: boolean;
  readonly isBitField: boolean;
  /** "private:" and the like before it. */
  readonly access: string;
}

export interface RecordDefinition {
  /** Behind the word struct or class. */
  readonly wordEnd: number;
  /** Behind its semicolon. */
  readonly end: number;
  readonly pieces: readonly FieldPiece[];
  readonly isPacked: boolean;
  readonly hasMultipleLines: boolean;
}

/** Declarations that are no fields, and stay where they are. */
interface Declared {
  names: string[];
  begin: number;
  end: number;
  isBitField: boolean;
  access: string;
  count: number;
}

export function readDefinition(record: AstNode, text: string): RecordDefinition {
  const [begin, end] = rangeOf(record);
  const wordEnd = begin + (record.range!.begin.tokLen ?? 0);
  if (!/^(?:struct|class)$/.test(text.slice(begin, wordEnd)))
    throw new Refusal('its definition does not begin with struct');
  if ((record.bases ?? []).length > 0) throw new Refusal('it has a base class');
  const open = endAt(text, wordEnd, '{');
  if (open < 0 || open > end) throw new Refusal('its definition comes from a macro');
  if (hasDirective(text, open, end)) throw new Refusal('there is a preprocessor directive in its definition');
  const declared = fieldsOf(record);
  let last = open;
  const pieces = joinBitFields(declared).map((one): FieldPiece => {
    const end = endAt(text, one.end, ';');
    if (end < 0 || one.begin < last) throw new Refusal(`the text of '${one.names[0]}' was not found`);
    const piece = {
      names: one.names,
      begin: withLeadingComments(text, last, one.begin),
      end: withTrailingComments(text, one.begin, end),
      codeBegin: one.begin,
      isOne: one.count === 1,
      isBitField: one.isBitField,
      access: one.access,
    };
    last = piece.end;
    return piece;
  });
  return {
    wordEnd,
    end: Math.max(end, endAt(text, end, ';')),
    pieces,
    isPacked: (record.inner ?? []).some(({ kind }) => kind === 'PackedAttr'),
    hasMultipleLines: hasNewline(text, open, end),
  };
}

/** From the first byte to behind the last. */
export function rangeOf({ range, name, kind }: AstNode): [begin: number, end: number] {
  const isPlain = (place: Place | undefined): boolean => place?.offset !== undefined;
  if (!isPlain(range?.begin) || !isPlain(range?.end))
    throw new Refusal(`${name === undefined ? `a ${kind}` : `'${name}'`} comes from a macro`);
  return [range!.begin.offset!, range!.end.offset! + range!.end.tokLen!];
}

function fieldsOf({ inner = [], tagUsed }: AstNode): Declared[] {
  const found: Declared[] = [];
  let access = tagUsed === 'class' ? 'private' : 'public';
  /** Of the type that was defined last: a field of it begins where it begins. */
  let nested: readonly [number, number] | undefined;
  for (const node of inner) {
    if (node.kind === 'AccessSpecDecl') access = node.access ?? access;
    if (/^(?:CXX)?RecordDecl$|^EnumDecl$/.test(node.kind) && node.isImplicit !== true) nested = rangeOf(node);
    if (node.kind !== 'FieldDecl') continue;
    let [begin, end] = rangeOf(node);
    if (nested !== undefined && nested[0] >= begin && nested[0] <= end) end = Math.max(end, nested[1]);
    const isBitField = node.isBitfield === true;
    // A bit-field without a name is in no type of a trace.
    const names = isBitField && node.name === undefined ? [] : [node.name ?? ''];
    const before = found.at(-1);
    if (before?.begin === begin) {
      before.names.push(...names);
      before.end = Math.max(before.end, end);
      before.count++;
    } else found.push({ names, begin, end, isBitField, access, count: 1 });
  }
  return found;
}

/** Those that share their bytes. */
function joinBitFields(declared: readonly Declared[]): Declared[] {
  const joined: Declared[] = [];
  for (const one of declared) {
    const before = joined.at(-1);
    if (before?.isBitField && one.isBitField && before.access === one.access) {
      before.names.push(...one.names);
      before.end = one.end;
      before.count += one.count;
    } else joined.push({ ...one, names: [...one.names] });
  }
  return joined;
}

function hasDirective(text: string, from: number, to: number): boolean {
  for (const { kind, begin } of tokensOf(text, from, to))
    if (kind === 'code' && text[begin] === '#' && text.slice(0, begin).split('\n').at(-1)!.trim() === '') return true;
  return false;
}

/** Comments of which no empty line cuts it off; those on the line of other code are that code's. */
function withLeadingComments(text: string, from: number, code: number): number {
  const tokens = [...tokensOf(text, from, code)];
  let begin = code;
  while (tokens.at(-1)?.kind === 'comment') {
    const comment: Token = tokens.pop()!;
    const isFarther = text.slice(comment.end, begin).split('\n').length > 2;
    const before = tokens.at(-1)?.end ?? from;
    const isOfOther = !hasNewline(text, before, comment.begin) && hasNewline(text, comment.end, begin);
    if (isFarther || isOfOther) break;
    begin = comment.begin;
  }
  return begin;
}

/** Comments that begin on its last line, and those below that go on in the same column. */
function withTrailingComments(text: string, code: number, from: number): number {
  let end = from;
  let column = -1;
  for (const token of tokensOf(text, from)) {
    const isSameLine = !hasNewline(text, end, token.begin);
    const isNextLine = text.slice(end, token.begin).split('\n').length === 2;
    const goesOn = isNextLine && column > columnAt(text, code) && columnAt(text, token.begin) === column;
    if (token.kind !== 'comment' || !(isSameLine || goesOn)) break;
    column = columnAt(text, token.begin);
    end = token.end;
  }
  return end;
}
