// Stage: change -> patch. What a change of a struct is in its definition: fields change places, and get alignment or
// padding.

import type { Catalog } from '../contract/catalog.js';
import { MemberFlag } from '../trace/layout.js';
import { membersOf, type StructChange } from '../what-if/layout-change.js';
import type { Edit } from './edits.js';
import type { FieldPiece, RecordDefinition } from './record-definition.js';
import { Refusal } from './refusal.js';
import { columnAt, hasNewline } from './source-text.js';

export function structEdits(
  catalog: Catalog,
  { wordEnd, pieces, hasMultipleLines }: RecordDefinition,
  text: string,
  isCpp: boolean,
  { type, order, align, memberAlign, pad, cold, narrow, perThread }: StructChange,
): Edit[] {
  if (cold !== undefined) throw new Refusal('a part of its own needs other accesses: --split is not written');
  if (narrow !== undefined) throw new Refusal('whether all values fit is not checked: --narrow is not written');
  if (perThread !== undefined) throw new Refusal('copies need other accesses: --per-thread is not written');
  const rows = rowsOf(catalog, type, pieces);
  const edits: Edit[] = [];
  if (align !== undefined) edits.push({ begin: wordEnd, end: wordEnd, text: ` ${typeAlignment(align, isCpp)}` });
  const textOf = (piece: FieldPiece): string => {
    const own = text.slice(piece.begin, piece.end);
    const aligned = rows.get(piece)!.find((row) => memberAlign?.has(row));
    if (aligned === undefined) return own;
    if (!piece.isOne)
      throw new Refusal(
        `'${catalog.members.name[aligned]}' is declared together with others: ${piece.names.join(', ')}`,
      );
    const before = piece.codeBegin - piece.begin;
    return `${own.slice(0, before)}${fieldAlignment(memberAlign!.get(aligned)!, isCpp)} ${own.slice(before)}`;
  };
  const sorted = order === undefined ? pieces : inOrder(catalog, pieces, rows, order);
  pieces.forEach((slot, index) => {
    const piece = sorted[index];
    if (piece.access !== slot.access)
      throw new Refusal(
        `'${piece.names.join(', ')}' is ${piece.access}, and would come among those that are ${slot.access}`,
      );
    const own = textOf(piece);
    const isLineOpen = /\/\/[^\n]*$/.test(own) && !/^[ \t\r]*\n/.test(text.slice(slot.end));
    if (isLineOpen) throw new Refusal(`the comment behind '${piece.names.join(', ')}' would go over what follows`);
    if (own !== text.slice(slot.begin, slot.end)) edits.push({ begin: slot.begin, end: slot.end, text: own });
  });
  if (pad !== undefined) edits.push(padding(pieces, text, hasMultipleLines, pad));
  return edits;
}

/** The members that the catalog has, which must be these. */
function rowsOf(catalog: Catalog, type: number, pieces: readonly FieldPiece[]): Map<FieldPiece, number[]> {
  const { members } = catalog;
  const own = membersOf(catalog, type);
  const names = pieces.flatMap((piece) => piece.names);
  const isAlike =
    own.length === names.length &&
    own.every((row, at) => members.name[row] === names[at] && (members.flags[row] & MemberFlag.baseClass) === 0);
  if (!isAlike)
    throw new Refusal('its definition has other fields than the trace: it was changed since, or depends on macros');
  let at = 0;
  return new Map(pieces.map((piece) => [piece, own.slice(at, (at += piece.names.length))]));
}

function inOrder(
  { members }: Catalog,
  pieces: readonly FieldPiece[],
  rows: ReadonlyMap<FieldPiece, readonly number[]>,
  order: readonly number[],
): FieldPiece[] {
  if (pieces.some(({ names }) => names.length === 0)) throw new Refusal('it has a bit-field without a name');
  const placeOf = (piece: FieldPiece): number => order.indexOf(rows.get(piece)![0]);
  for (const piece of pieces) {
    const own = rows.get(piece)!;
    const first = placeOf(piece);
    if (own.some((row, index) => order[first + index] !== row)) {
      const names = own.map((row) => members.name[row]).join(', ');
      throw new Refusal(
        piece.isBitField
          ? `the bit-fields ${names} share their bytes, and the new order takes them apart`
          : `${names} are one declaration, and the new order takes them apart`,
      );
    }
  }
  return [...pieces].sort((a, b) => placeOf(a) - placeOf(b));
}

/** GNU's, which C and C++ both have there; C has no alignas of a type. */
function typeAlignment(bytes: number, isCpp: boolean): string {
  return isCpp ? `alignas(${bytes})` : `__attribute__((aligned(${bytes})))`;
}

export function fieldAlignment(bytes: number, isCpp: boolean): string {
  return isCpp ? `alignas(${bytes})` : `_Alignas(${bytes})`;
}

function padding(pieces: readonly FieldPiece[], text: string, hasMultipleLines: boolean, bytes: number): Edit {
  const last = pieces.at(-1);
  if (last === undefined) throw new Refusal('it has no fields');
  const names = pieces.flatMap((piece) => piece.names);
  const name = ['pad', 'padding', 'pad_to_other_sets'].find((one) => !names.includes(one));
  const lineBegin = last.codeBegin - columnAt(text, last.codeBegin);
  const [indent] = /^[ \t]*/.exec(text.slice(lineBegin))!;
  const before = hasMultipleLines && hasNewline(text, last.end, text.length) ? `\n${indent}` : ' ';
  return { begin: last.end, end: last.end, text: `${before}unsigned char ${name}[${bytes}];` };
}
