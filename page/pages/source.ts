// Stage: HTML page. The source: files with what their lines missed, and of one file its lines with numbers and those around them.

import { CLASSES } from '../../src/replay/machine.js';
import type { LineMissRow } from '../../src/views/miss-classification.js';
import type { View } from '../../src/views/view.js';
import { CLASS_NAMES } from '../classes.js';
import { countColumn, nameColumn, shareColumn, type Column } from '../columns.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import type { SourceExcerpt } from '../../src/html/source-excerpts.js';
import { buildTable } from '../table.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'miss-classification?by=line';

interface FileRow {
  readonly file: string;
  readonly misses: number;
  readonly references: number;
  readonly lines: number;
}

/** A line of the file; of two functions on one line each has its row, as in the view. */
interface LineRow {
  readonly number: number;
  readonly text: string | null;
  readonly row: LineMissRow | null;
}

function splitLine(line: string): [file: string, number: number] {
  const colon = line.lastIndexOf(':');
  return [line.slice(0, colon), Number(line.slice(colon + 1))];
}

export const source: PageDefinition = {
  id: 'source',
  title: 'Source',
  group: 'Code',
  needs: [VIEW],
  async render({ report, words }) {
    const [view, excerpts] = await Promise.all([report.view<View<LineMissRow>>(VIEW), report.source()]);
    const file = words.get('file');
    return file === null ? listFiles(view) : showFile(view, excerpts.find((one) => one.file === file), file, Number(words.get('line') ?? 0));
  },
};

function listFiles(view: View<LineMissRow>): Node[] {
  const files = new Map<string, FileRow>();
  for (const { line, levels, references } of view.rows) {
    if (line === null) continue;
    const [file] = splitLine(line);
    const { misses, references: before, lines } = files.get(file) ?? { misses: 0, references: 0, lines: 0 };
    files.set(file, { file, misses: misses + levels.l1.misses, references: before + references.loads + references.stores, lines: lines + 1 });
  }
  const columns: Column<FileRow>[] = [
    nameColumn('file', 'file', { link: (name) => linkTo('source', { file: name }), width: 60 }),
    countColumn('L1 misses', 'misses'),
    shareColumn('of all', ['misses'], ['totals.levels.l1.misses'], view),
    countColumn('references', 'references'),
    countColumn('lines', 'lines', { meaning: 'lines that made references, once for each function they are in' }),
  ];
  const rows = [...files.values()].sort((a, b) => b.misses - a.misses || (a.file < b.file ? -1 : 1));
  return [
    element('p', { class: 'lead' }, 'Files by the L1 misses of their lines.'),
    buildTable(columns, rows, { caption: 'Files by L1 misses', rows: 'files', search: (row) => row.file, sortedBy: 'misses' }),
  ];
}

function showFile(view: View<LineMissRow>, excerpt: SourceExcerpt | undefined, file: string, asked: number): Node[] {
  const byNumber = new Map<number, LineMissRow[]>();
  for (const row of view.rows) {
    if (row.line === null) continue;
    const [name, number] = splitLine(row.line);
    if (name === file) byNumber.set(number, [...(byNumber.get(number) ?? []), row]);
  }
  const text = new Map(excerpt?.lines ?? []);
  const numbers = [...new Set([...text.keys(), ...byNumber.keys()])].sort((a, b) => a - b);
  const rows = numbers.flatMap((number): LineRow[] => (byNumber.get(number) ?? [null]).map((row, index) => ({ number, text: index === 0 ? (text.get(number) ?? null) : null, row })));
  const count = (column: Column<LineRow>): Column<LineRow> => ({ ...column, cell: (row) => (row.row === null ? '' : column.cell(row)) });
  const columns: Column<LineRow>[] = [
    { ...countColumn<LineRow>('line', 'number'), cell: ({ number }) => String(number) },
    count(countColumn('L1 misses', 'row.levels.l1.misses')),
    count(shareColumn('of all', ['row.levels.l1.misses'], ['totals.levels.l1.misses'], view)),
    { id: 'text', heading: 'source', unit: 'name', width: 72, value: ({ text: line }) => line, cell: ({ text: line }) => element('code', {}, line === null ? '' : spellName(line.replaceAll('\t', '    '))) },
    count(countColumn('references', ['row.references.loads', 'row.references.stores'])),
    ...CLASSES.map((name) => count(countColumn(CLASS_NAMES[name], `row.levels.l1.classes.${name}`))),
    nameColumn('function', 'row.function', { width: 24, nothing: '' }),
  ];
  return [
    element('p', { class: 'lead' }, nameElement(file), excerpt?.lines == null ? ': the file could not be read where the report was made (--source says where to look), so there are numbers only.' : ': lines that made references, and those around them.', ' ', element('a', { href: linkTo('source') }, 'All files')),
    buildTable(columns, rows, { caption: `Lines of ${spellName(file)}`, rows: 'lines', search: ({ text: line, row }) => `${line ?? ''} ${row?.function ?? ''}`, rowClass: ({ number, row }) => (number === asked ? 'asked' : row === null ? 'around' : null), startAt: rows.findIndex(({ number }) => number === asked) }),
  ];
}
