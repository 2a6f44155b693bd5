// Stage: HTML page. The source: files with what their lines missed, and of one file its lines with numbers and those
// around them.

import { CLASSES } from '../../src/contract/machine.js';
import type { AnnotatedFile, AnnotatedLine, AnnotatedSource } from '../../src/views/annotated-source.js';
import { CLASS_NAMES } from '../classes.js';
import { countColumn, nameColumn, shareColumn, wordsColumn, type Column } from '../columns.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import { buildTable } from '../table.js';
import type { PageDefinition } from './page-definition.js';
import { plural } from '../../src/base/format-number.js';

const VIEW = 'annotated-source';
const STATES: Record<AnnotatedFile['source'], string> = {
  read: '',
  newer: 'changed since',
  missing: 'not found',
  private: 'not shown',
};

export const source: PageDefinition = {
  id: 'source',
  title: 'Source',
  group: 'Code',
  needs: [VIEW],
  async render({ report, words }) {
    const view = await report.envelope<AnnotatedSource>(VIEW);
    const file = words.get('file');
    return file === null
      ? listFiles(view)
      : showFile(view, file, await report.rowsOf<AnnotatedLine>(VIEW, file), Number(words.get('line') ?? 0));
  },
};

function listFiles(view: AnnotatedSource): Node[] {
  const columns: Column<AnnotatedFile>[] = [
    nameColumn('file', 'file', { link: (name) => linkTo('source', { file: name }), width: 60 }),
    countColumn('L1 misses', 'misses'),
    shareColumn('of all', ['misses'], ['totals.levels.l1.misses'], view),
    countColumn('miss cycles', 'missLatencyCycles', {
      meaning: 'estimated: the latency of accesses that missed the L1',
    }),
    countColumn('lines', 'lines', { meaning: 'lines that made references' }),
    wordsColumn('text', 'text', ({ source: state }) => STATES[state], {
      width: 14,
      meaning: 'whether the file was found where the report was made',
    }),
  ];
  const { references, misses } = view.nowhere;
  return [
    element(
      'p',
      { class: 'lead' },
      'Files by the L1 misses of their lines.',
      references === 0
        ? ''
        : ` The debug information puts ${plural(references, 'reference')} and ${plural(misses, 'L1 miss')} on no line.`,
    ),
    buildTable(columns, view.files, {
      caption: 'Files by L1 misses',
      rows: 'files',
      search: (row) => row.file,
      sortedBy: 'misses',
    }),
  ];
}

const WORDS: Record<AnnotatedFile['source'], string> = {
  read: ': lines that made references, and those around them.',
  newer:
    ': lines that made references, and those around them. The file was changed since the program ran: lines ' +
    'may have moved.',
  private:
    ': the file is not shown, as not everybody could read it where the report was made (--source-path shows ' +
    'it), so there are numbers only.',
  missing:
    ': the file was not found where the report was made (--source-path says where to look), so there are numbers only.',
};

function showFile(view: AnnotatedSource, file: string, rows: readonly AnnotatedLine[], asked: number): Node[] {
  const counted = (column: Column<AnnotatedLine>): Column<AnnotatedLine> => ({
    ...column,
    cell: (row) => (row.levels === undefined ? '' : column.cell(row)),
  });
  const columns: Column<AnnotatedLine>[] = [
    { ...countColumn<AnnotatedLine>('line', 'line'), unit: 'words', cell: ({ line }) => String(line) },
    counted(countColumn('L1 misses', 'levels.l1.misses')),
    counted(shareColumn('of all', ['levels.l1.misses'], ['totals.levels.l1.misses'], view)),
    {
      id: 'text',
      heading: 'source',
      unit: 'name',
      width: 72,
      value: ({ text }) => text,
      cell: ({ text }) => element('code', {}, text === null ? '' : spellName(text.replaceAll('\t', '    '))),
    },
    counted(countColumn('references', ['references.loads', 'references.stores'])),
    ...CLASSES.map((name) => counted(countColumn<AnnotatedLine>(CLASS_NAMES[name], `levels.l1.classes.${name}`))),
    {
      id: 'functions',
      heading: 'function',
      unit: 'name',
      width: 30,
      value: ({ functions }) => functions.join(', '),
      cell: ({ functions }) => nameElement(functions.join(', ')),
    },
  ];
  // The line on which a function begins may have no reference: then the first later line is shown.
  const start = asked === 0 ? -1 : rows.findIndex(({ line }) => line >= asked);
  const state = view.files.find((one) => one.file === file)?.source ?? 'missing';
  return [
    element(
      'p',
      { class: 'lead' },
      nameElement(file),
      WORDS[state],
      ' ',
      element('a', { href: linkTo('source') }, 'All files'),
    ),
    buildTable(columns, rows, {
      caption: `Lines of ${spellName(file)}`,
      rows: 'lines',
      search: ({ text, functions }) => `${text ?? ''} ${functions.join(' ')}`,
      rowClass: (row) => (row === rows[start] ? 'asked' : row.levels === undefined ? 'around' : null),
      startAt: start,
    }),
  ];
}
