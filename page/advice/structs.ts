// Stage: HTML page. A struct that a change lays out anew, before and after: its fields with their places, how much of
// the accesses each has, and where cache lines begin.

import type { StructChangeJson } from '../../src/advise/advice-schema.js';
import { formatShare, plural } from '../../src/base/format-number.js';
import { element, sideways, tableHead } from '../elements.js';
import { nameElement, spellName } from '../names.js';

type Struct = StructChangeJson['before'];
type Field = Struct['fields'][number];

const HEADINGS = ['field', 'type', 'offset', 'bytes', 'accesses', ''];
const NUMBERS = ['offset', 'bytes', 'accesses'];

function structTables({ type, before, after, cold }: StructChangeJson, lineBytes: number): HTMLElement {
  const made = sideways(
    `${spellName(type)} before and after`,
    structTable('before', before, lineBytes),
    structTable('after', after, lineBytes),
    ...(cold === null ? [] : [structTable('after, in a part of its own', cold, lineBytes)]),
  );
  made.classList.add('structs');
  return made;
}

function structTable(side: string, struct: Struct, lineBytes: number): HTMLElement {
  const { name, sizeBytes, cacheLines, alignBytes, sumHoles = 0, padding = 0, fields, references } = struct;
  const facts = [
    `${plural(sizeBytes, 'byte')} on ${plural(cacheLines, 'line')}`,
    ...(alignBytes === undefined ? [] : [`aligned to ${alignBytes}`]),
    ...(sumHoles === 0 ? [] : [`${plural(sumHoles, 'byte')} of holes`]),
    ...(padding === 0 ? [] : [`${plural(padding, 'byte')} of padding`]),
  ];
  let line = 0;
  const rows = fields.flatMap((field) => {
    const begun = Math.floor(field.offsetBytes / lineBytes);
    const border = begun > line ? [borderRow((line = begun), lineBytes)] : [];
    return [...border, fieldRow(field, references)];
  });
  return element(
    'table',
    { class: 'plain' },
    element('caption', {}, nameElement(name), ` ${side}: ${facts.join(', ')}`),
    tableHead(HEADINGS, (index) => NUMBERS.includes(HEADINGS[index])),
    element('tbody', {}, ...rows),
  );
}

function fieldRow(field: Field, references: number): HTMLElement {
  const { type, offsetBytes, firstBit, sizeBytes, use } = field;
  const part = references === 0 ? 0 : Math.min(1, field.references / references);
  const share = element(
    'span',
    { class: 'share', style: { '--share': String(part) } },
    use === 'new' ? '' : formatShare(field.references, references),
  );
  return element(
    'tr',
    { class: use === 'hot' ? undefined : 'around' },
    element('th', { scope: 'row' }, nameElement(spellField(field))),
    element('td', {}, nameElement(type)),
    element('td', { class: 'number' }, `${offsetBytes}${firstBit === undefined ? '' : `:${firstBit}`}`),
    element('td', { class: 'number' }, String(sizeBytes)),
    element('td', { class: 'number' }, share),
    element('td', {}, use),
  );
}

function spellField({ name, elements, bits, alignBytes }: Field): string {
  const more = elements !== undefined ? `[${elements === 0 ? '' : elements}]` : bits !== undefined ? ` : ${bits}` : '';
  return `${alignBytes === undefined ? '' : `alignas(${alignBytes}) `}${name === '' ? '(anonymous)' : name}${more}`;
}

function borderRow(line: number, lineBytes: number): HTMLElement {
  const text = `line ${line}, from ${line * lineBytes}`;
  return element('tr', { class: 'between' }, element('th', { scope: 'rowgroup', colspan: HEADINGS.length }, text));
}

/** Structs that the change names; those that merely hold one are laid out anew, too. */
export function structsOf(
  structs: readonly StructChangeJson[] | undefined,
  lineBytes: number | undefined,
): HTMLElement[] {
  if (structs === undefined || lineBytes === undefined) return [];
  return structs.filter(({ isNamed = true }) => isNamed).map((one) => structTables(one, lineBytes));
}
