// Stage: views -> text. A type's definition as pahole prints it, with misses by class beside each member.

import { CLASSES, type LevelName, type MissClass } from '../contract/machine.js';
import type { AnnotatedMember, AnnotatedType, LayoutFacts } from '../views/annotated-type.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { LEVEL_NAMES } from '../views/class-names.js';
import { briefClass } from '../views/class-columns.js';
import { runLines } from './run-lines.js';
import { renderLabelled, wrap } from './text-lines.js';
import type { TextStyle } from './text-style.js';
import { renderTable, type TextColumn } from './text-table.js';

/** `classes` are the classes that the type met at the level. */
function columnsFor(classes: readonly MissClass[], level: LevelName, shortest: number): readonly TextColumn[] {
  const counted = (heading: string, expendable?: number): TextColumn => ({
    heading,
    align: 'right',
    ...(expendable !== undefined && { expendable }),
  });
  return [
    { heading: 'definition', align: 'left', shortest },
    counted('offset'),
    counted('size'),
    counted('est. cycles', 3),
    counted('of type', 4),
    counted('L1 misses'),
    ...(level === 'l1' ? [] : [counted(`${LEVEL_NAMES[level]} misses`)]),
    ...classes.map((name) => ({
      ...counted(name.replace('-', ' '), 2),
      brief: briefClass(name),
      group: 'classes',
    })),
    counted('references', 5),
  ];
}

/** Comments that say where a cache line begins stay whole, if they leave room for numbers. */
function shortestDefinition(lines: readonly (readonly string[])[], width: number): number {
  const comments = lines.flatMap((line) => (line.length === 1 && line[0].includes('/*') ? [line[0].length] : []));
  return Math.min(Math.floor(width * 0.65), Math.max(Math.min(40, Math.floor(width / 3)), ...comments));
}

export function renderAnnotatedType(view: AnnotatedType, style: TextStyle, top = Infinity): string {
  const { width } = style;
  const wholes = view.rows.filter(({ row }) => row === 'type');
  const { level } = view;
  const { lineBytes } = view.machine;
  const classes = CLASSES.filter((name) => wholes.some(({ levels }) => levels![level].classes[name] > 0));
  const sections = view.layouts.map((facts, number) => {
    const rows = view.rows.filter(({ layout }) => layout === number);
    const count = (row: AnnotatedMember): string[] => counts(row, classes, level, rows[0].missLatencyCycles!);
    const lines = definition(rows, facts, view.memberOrder === 'offset' ? lineBytes : Infinity, count, top);
    const table = renderTable(columnsFor(classes, level, shortestDefinition(lines, width)), lines, width);
    return [
      ...wrap(titleOf(facts), width).map(style.strong),
      table,
      ...summary(facts).flatMap((line) => wrap(line, width)),
    ].join('\n');
  });
  // In an older profile, types that are called the same are one row.
  const isOneRow = new Set(view.layouts.map(({ name }) => name)).size === 1;
  const notes = [
    wholes.length === 1 || isOneRow
      ? `of type: of the type's ${ofRun(view, wholes[0].missLatencyCycles!)}.`
      : `${wholes.length} types are called ${view.type}. of type: of that type's estimated cycles; of the run's ` +
        `${formatCount(view.totals.missLatencyCycles)} they have ` +
        `${wholes.map((one) => formatShare(one.missLatencyCycles!, view.totals.missLatencyCycles)).join(', ')}.`,
    `Classes: of ${LEVEL_NAMES[level]} misses.`,
    `Lines of ${lineBytes} bytes, as if each object began with one. A member's numbers are those of its own ` +
      'members too.',
    view.layouts.some(({ isFlat }) => isFlat)
      ? 'LEFT OUT: what its members consist of; the types of the program have more members than a profile tells.'
      : '',
    view.layouts.length > 1 && isOneRow
      ? `${view.layouts.length} types of this name are laid out differently: the numbers beside each are those ` +
        'of all of them.'
      : '',
  ];
  return (
    [
      renderLabelled(runLines(view, width), width),
      ...sections,
      style.faint(
        wrap(notes.filter(Boolean).join(' '), width - 2)
          .map((line) => `  ${line}`)
          .join('\n'),
      ),
    ].join('\n\n') + '\n'
  );
}

function ofRun({ totals }: AnnotatedType, cycles: number): string {
  const all = totals.missLatencyCycles;
  return `${plural(cycles, 'estimated cycle')}, ${formatShare(cycles, all)} of the run's ${formatCount(all)}`;
}

function titleOf({ name, tag = name, file, line }: LayoutFacts): string {
  return `${tag}${file === '' ? '' : `, ${file}:${line}`}: misses by member`;
}

/** Lines are drawn where members stand by offset: `lineBytes` Infinity draws none. */
function definition(
  rows: readonly AnnotatedMember[],
  facts: LayoutFacts,
  lineBytes: number,
  count: (row: AnnotatedMember) => string[],
  top: number,
): string[][] {
  const out: string[][] = [];
  let line = 0;
  let shown = 0;
  /** The closing lines of the nested types that are open, outermost first. */
  const open: { depth: number; cells: string[] }[] = [];
  const close = (depth: number): void => {
    while (open.length > 0 && open[open.length - 1].depth >= depth) out.push(open.pop()!.cells);
  };
  rows.forEach((row, index) => {
    const indent = '    '.repeat(row.depth);
    if (row.row === 'type')
      return void out.push([`${headOf(facts.tag ?? row.type!, facts.kind)} {`, '', '', ...count(row)]);
    close(row.depth);
    if (row.row === 'outside') {
      if (index > 0 && rows[index - 1].row !== 'outside') out.push(['};']);
      return void out.push([`  ${row.name ?? '(no member)'}`, '', '', ...count(row)]);
    }
    if (row.depth === 1 && row.row === 'member' && ++shown > top) return;
    if (shown > top) return;
    if (row.offsetBytes! >= (line + 1) * lineBytes && row.offsetBytes! < facts.sizeBytes) {
      line = Math.floor(row.offsetBytes! / lineBytes);
      const ago = row.offsetBytes! - line * lineBytes;
      out.push([
        `${indent}/* --- cacheline ${line} boundary${ago === 0 ? '' : ` ${plural(ago, 'byte', String)} ago`} --- */`,
      ]);
    }
    if (row.row === 'hole' || row.row === 'padding') {
      const size = row.bits === undefined ? plural(row.sizeBytes!, 'byte', String) : plural(row.bits, 'bit', String);
      return void out.push([`${indent}/* XXX ${size} ${row.row} */`]);
    }
    const cells = [
      String(row.firstBit === undefined ? row.offsetBytes : `${row.offsetBytes}:${row.firstBit}`),
      String(row.sizeBytes),
      ...count(row),
    ];
    const next = rows[index + 1];
    if (next === undefined || next.depth <= row.depth) return void out.push([`${indent}${declare(row)};`, ...cells]);
    out.push([`${indent}${row.isBase ? '/* base */ ' : ''}${headOf(row.type!, '')} {`]);
    open.push({ depth: row.depth, cells: [`${indent}}${nameOf(row)};`, ...cells] });
  });
  close(0);
  if (rows.at(-1)?.row !== 'outside') out.push(['};']);
  if (shown > top) out.push([`  … ${formatCount(shown - top)} more members`]);
  return out;
}

/** "struct node"; of one without a name, the word alone. */
export function headOf(type: string, kind: string): string {
  const anonymous = /^(struct|union|class) \(anonymous/.exec(type) ?? /^\(unnamed (struct|union|class)\)/.exec(type);
  if (anonymous) return anonymous[1];
  return kind === '' || /^(struct|union|class) /.test(type) ? type : `${kind} ${type}`;
}

type Declared = Pick<AnnotatedMember, 'name' | 'type' | 'elements' | 'isBase' | 'isBitField' | 'bits'>;

function nameOf({ name, elements, isBase }: Declared): string {
  const array = elements === undefined ? '' : elements === 0 ? '[]' : `[${elements}]`;
  return isBase || name === '' ? array : ` ${name}${array}`;
}

/** "char name[40]", without a semicolon. */
export function declare(row: Declared): string {
  const { type, bits, isBase, isBitField } = row;
  if (isBase) return `/* base */ ${type}`;
  if (type!.includes('(*)')) return type!.replace('(*)', `(*${nameOf(row).trim()})`);
  return `${headOf(type!, '')}${nameOf(row)}${isBitField ? `:${bits ?? '?'}` : ''}`;
}

function counts(
  { levels, references, missLatencyCycles }: AnnotatedMember,
  classes: readonly MissClass[],
  level: LevelName,
  cyclesOfType: number,
): string[] {
  return [
    formatCount(missLatencyCycles!),
    formatShare(missLatencyCycles!, cyclesOfType),
    formatCount(levels!.l1.misses),
    ...(level === 'l1' ? [] : [formatCount(levels![level].misses)]),
    ...classes.map((name) => formatCount(levels![level].classes[name])),
    formatCount(references!.loads + references!.stores),
  ];
}

/** The words of pahole. */
export function summary(facts: Omit<LayoutFacts, 'tag' | 'file' | 'line' | 'isFlat'>): string[] {
  const {
    sizeBytes,
    cacheLines,
    members,
    sumMembers,
    holes,
    sumHoles,
    sumBits,
    bitHoles,
    sumBitHoles,
    padding,
    bitPadding,
  } = facts;
  return [
    `/* size: ${sizeBytes}, cachelines: ${cacheLines}, members: ${members} */`,
    ...(holes > 0 ? [`/* sum members: ${sumMembers}, holes: ${holes}, sum holes: ${sumHoles} */`] : []),
    ...(sumBits > 0
      ? [
          `/* sum bitfield members: ${sumBits} bits` +
            `${bitHoles > 0 ? `, bit holes: ${bitHoles}, sum bit holes: ${sumBitHoles} bits` : ''} */`,
        ]
      : []),
    ...(padding > 0 ? [`/* padding: ${padding} */`] : []),
    ...(bitPadding > 0 ? [`/* bit_padding: ${bitPadding} bits */`] : []),
  ];
}
