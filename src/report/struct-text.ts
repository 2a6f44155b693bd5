// Stage: advice -> text. A struct as pahole prints it, with each field's part of the accesses to the struct. Of a large
// struct, cold fields that stand side by side are one line.

import type { LaidField, LaidStruct } from '../advise/changed-structs.js';
import { formatShare, plural } from '../base/format-number.js';
import { findHoles, flatTree, placeOfBits, type Hole } from '../views/member-tree.js';
import { declare, headOf, summary } from './annotated-type-text.js';
import { proseWidth, shorten } from './text-lines.js';

const INDENT = '    ';
/** Of more fields cold ones are folded, if so many stand side by side. */
const MOST_FIELDS = 12;
const LEAST_FOLDED = 3;
/** Widths; those of offset and size are larger where the numbers are. */
const [OFFSET, SIZE, SHARE] = [7, 6, 10];
const AROUND = ' /* */'.length + SHARE + '  never used'.length;

/** A field, or several cold ones. */
interface Shown extends Pick<LaidField, 'offsetBytes' | 'sizeBytes' | 'references' | 'use'> {
  readonly text: string;
  readonly offset: string;
  readonly isFolded: boolean;
}

export function renderStruct(struct: LaidStruct, lineBytes: number, width: number): string[] {
  const { name, kind, alignBytes, fields, references } = struct;
  const shown = foldCold(fields);
  const digits = String(struct.sizeBytes).length;
  const [offsetWidth, sizeWidth] = [Math.max(OFFSET, digits + 1), Math.max(SIZE, digits + 2)];
  const room = proseWidth(width) - AROUND - offsetWidth - sizeWidth;
  const texts = shown.map(({ text }) => INDENT + shorten(text, room - INDENT.length));
  const head = `${align(headOf(name, kind), alignBytes)} {`;
  const column = Math.min(room, Math.max(...[head, ...texts].map((text) => text.length)));
  const row = (text: string, offset: string, size: string, share: string, use: string): string =>
    `${text.padEnd(column)} /*${offset.padStart(offsetWidth)}${size.padStart(sizeWidth)} */` +
    `${share.padStart(SHARE)}${use === '' ? '' : `  ${use}`}`;
  const parts = shown.map((one, index) => {
    const share = one.use === 'new' ? '' : formatShare(one.references, references);
    return { at: one.offsetBytes, line: row(texts[index], one.offset, String(one.sizeBytes), share, one.use) };
  });
  const isFolded = ({ offsetBytes: at }: Hole): boolean =>
    shown.some((one) => one.isFolded && at >= one.offsetBytes && at < one.offsetBytes + one.sizeBytes);
  const holes = findHoles(struct, flatTree(fields), 0)
    .filter((hole) => !isFolded(hole))
    // What bit-fields leave stands behind them.
    .map((hole) => ({ at: hole.offsetBytes + (hole.sizeBits > 0 ? 0.5 : 0.25), line: INDENT + spellHole(hole) }));
  const body = [...parts, ...holes].sort((a, b) => a.at - b.at);
  return [
    row(head, 'offset', 'size', 'accesses', ''),
    ...withBorders(body, lineBytes, struct.sizeBytes),
    ...summary(struct).map((line) => INDENT + line),
    '};',
  ];
}

function foldCold(fields: readonly LaidField[]): Shown[] {
  const shown: Shown[] = [];
  for (let at = 0; at < fields.length; ) {
    let end = at;
    while (end < fields.length && ['cold', 'never used'].includes(fields[end].use)) end++;
    if (fields.length <= MOST_FIELDS || end - at < LEAST_FOLDED) {
      end = Math.max(end, at + 1);
      shown.push(...fields.slice(at, end).map(showField));
    } else shown.push(fold(fields.slice(at, end)));
    at = end;
  }
  return shown;
}

function showField(field: LaidField): Shown {
  const { type, name, isBase, alignBytes, offsetBytes, sizeBytes, references, use } = field;
  const isAnonymous = name === '' && !isBase;
  // "struct node * next"
  const text = isAnonymous ? `${headOf(type, '')} { ... };` : `${declare(field).replace(/([*&]) (?=\w)/, '$1')};`;
  let offset = String(offsetBytes);
  if (field.isBitField && field.bits !== undefined) {
    const place = placeOfBits(flatTree([field])[0]);
    offset = `${place.offsetBytes}:${place.bit}`;
  }
  return { text: align(text, alignBytes), offset, offsetBytes, sizeBytes, references, use, isFolded: false };
}

function fold(fields: readonly LaidField[]): Shown {
  const [{ offsetBytes }] = fields;
  const end = Math.max(...fields.map((one) => one.offsetBytes + one.sizeBytes));
  const references = fields.reduce((sum, one) => sum + one.references, 0);
  return {
    text: `... ${plural(fields.length, 'field')}`,
    offset: String(offsetBytes),
    offsetBytes,
    sizeBytes: end - offsetBytes,
    references,
    use: references === 0 ? 'never used' : 'cold',
    isFolded: true,
  };
}

/** "struct alignas(64) counters", "alignas(64) long right;" */
function align(text: string, bytes: number | undefined): string {
  if (bytes === undefined) return text;
  const [, word = '', rest] = /^((?:struct|union|class) )?(.*)$/s.exec(text)!;
  return text.endsWith(';') ? `alignas(${bytes}) ${text}` : `${word}alignas(${bytes}) ${rest}`;
}

function spellHole({ sizeBytes, sizeBits, isPadding }: Hole): string {
  const size = sizeBits > 0 ? plural(sizeBits, 'bit', String) : plural(sizeBytes, 'byte', String);
  return `/* XXX ${size} ${isPadding ? 'padding' : 'hole'} */`;
}

/** With a line where each cache line begins, if the object begins with one. */
function withBorders(
  parts: readonly { readonly at: number; readonly line: string }[],
  lineBytes: number,
  sizeBytes: number,
): string[] {
  let last = 0;
  return parts.flatMap(({ at, line }) => {
    const number = Math.floor(at / lineBytes);
    if (number <= last || at >= sizeBytes) return [line];
    last = number;
    const ago = Math.floor(at) - number * lineBytes;
    const was = ago === 0 ? '' : ` was ${plural(ago, 'byte', String)} ago`;
    return [`${INDENT}/* --- cacheline ${number} boundary (${number * lineBytes} bytes)${was} --- */`, line];
  });
}
