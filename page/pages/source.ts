// Stage: HTML page. The source: files with what their lines missed, and of one file its lines with numbers and those
// around them.

import {
  fileColumns,
  lineColumns,
  orderOfFiles,
  type AnnotatedFile,
  type AnnotatedLine,
  type AnnotatedSource,
} from '../../src/views/annotated-source.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import type { PageDefinition } from './page-definition.js';
import { formatShare, plural } from '../../src/base/format-number.js';
import type { ComputeAndWait } from '../../src/views/line-cycles.js';

const VIEW = 'annotated-source';
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
  const columns = toPageColumns(fileColumns(view), { file: ({ file }) => linkTo('source', { file }) });
  const { references, misses, ...nowhere } = view.nowhere;
  return [
    element(
      'p',
      { class: 'lead' },
      view.runTime === undefined
        ? 'Files by the estimated cycles of their lines.'
        : 'Files by the time that their lines take: computing, as their machine code ran where the report was made, ' +
            'and waiting for misses.',
      references === 0
        ? ''
        : ` The debug information puts ${plural(references, 'reference')} and ${plural(misses, 'L1 miss')} on no line.`,
      view.runTime === undefined || timeOf(nowhere) === 0
        ? ''
        : ` ${formatShare(timeOf(nowhere), timeOf(view.runTime))} of the time is on no line.`,
    ),
    buildTable(columns, view.files, {
      caption: view.runTime === undefined ? 'Files by estimated cycles' : 'Files by time',
      rows: 'files',
      search: (row) => row.file,
      sortedBy: orderOfFiles(view),
    }),
  ];
}

function timeOf({ computeCycles = 0, waitCycles = 0 }: Partial<ComputeAndWait>): number {
  return computeCycles + waitCycles;
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
    ': the file was not found where the report was made (--source-dir says where to look), so there are numbers only.',
};

function showFile(view: AnnotatedSource, file: string, rows: readonly AnnotatedLine[], asked: number): Node[] {
  const columns = toPageColumns(
    lineColumns(view),
    {},
    {
      text: ({ text }) => element('code', {}, text === null ? '' : spellName(text.replaceAll('\t', '    '))),
    },
  );
  // Where a function begins there may be no reference: then the first line behind it.
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
      rowClass: (row) =>
        row === rows[start] ? 'asked' : row.levels === undefined && row.computeCycles === undefined ? 'around' : null,
      startAt: start,
    }),
  ];
}
