// Stage: HTML page. The changes of objects: how many were alive, how many bytes they had, how long they lived, and
// whether they went between cores.

import { formatBytes, plural } from '../../src/base/format-number.js';
import { haveObjectsChanged } from '../../src/diff/changed.js';
import { beforeAfterColumns, changeColumn, nameColumn, ratioColumn, wordsColumn, type Column } from '../columns.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { buildTable } from '../table.js';
import { measureChoice, numbersChoice } from './choices.js';
import { comparisonPage } from './comparison-page.js';
import { askedMeasure, OBJECTS_MEASURES, rankObjects, type RowWithObjects } from './measures.js';
import { spellPer } from './numbers.js';
import { objectsBeforeAfter } from './pair-charts.js';

const MOST_TYPES = 12;

export const objects = comparisonPage({
  id: 'objects',
  title: 'Working set and lifetimes',
  group: 'Objects',
  render({ diff, words, numbers, ask }) {
    const measure = askedMeasure(OBJECTS_MEASURES, words, diff);
    const rows = rankObjects(diff.rows, measure);
    if (rows.length === 0) return [element('p', {}, 'No object of a type lived in either run.')];
    const asked = words.get('type');
    const { workingSetBytes: bytes } = diff.totals;
    const columns: Column<RowWithObjects>[] = [
      nameColumn('type', 'type', { link: (type) => linkTo('fields', { type }), width: 30 }),
      ...[measure, ...OBJECTS_MEASURES.filter((one) => one !== measure)].flatMap(({ name, path, unit }) => [
        ...beforeAfterColumns<RowWithObjects>([`${name} before`, 'after'], path, unit, { meaning: name }),
        changeColumn<RowWithObjects>('change', path, unit, { meaning: `of ${name}: after minus before` }),
        ...(unit === 'bytes' ? [ratioColumn<RowWithObjects>('ratio', path, { meaning: 'after : before' })] : []),
      ]),
      ...beforeAfterColumns<RowWithObjects>(['objects before', 'after'], numbers.at('objects.objects'), numbers.unit, {
        meaning: `that ever lived${spellPer(numbers)}`,
      }),
      changeColumn('change', numbers.at('objects.objects'), numbers.unit, {
        meaning: 'of objects that ever lived: after minus before',
      }),
      wordsColumn('bounce', 'bounce', (row) => came(row.objects.bounce), {
        width: 9,
        meaning: 'some object was referenced by another core than the one before',
      }),
      wordsColumn('writeShared', 'write-shared', (row) => came(row.objects.writeShared), {
        width: 9,
        meaning: 'some line was referenced by two cores, one of them storing',
      }),
    ];
    return [
      element(
        'p',
        { class: 'lead' },
        'How much of each type is alive, and how long it lives: ' +
          `${plural(rows.filter((row) => haveObjectsChanged(row.objects)).length, 'type')} of ${rows.length} ` +
          `changed in number, bytes or sharing. Together they hold ${formatBytes(bytes.before)} on average ` +
          `before, ${formatBytes(bytes.after)} after. Averages are over replay time and never divided by work; a ` +
          'lifetime is that of one life, in instructions.',
      ),
      element(
        'div',
        { class: 'controls' },
        measureChoice(OBJECTS_MEASURES, measure, (by) => ask({ by })),
        ...numbersChoice(diff, numbers, (chosen) => ask({ numbers: chosen })),
      ),
      objectsBeforeAfter(rows, measure, MOST_TYPES),
      buildTable(columns, rows, {
        caption: `Objects by change of ${measure.name}`,
        rows: 'types',
        search: ({ type }) => type,
        rowClass: ({ type }) => (type === asked ? 'asked' : null),
        startAt: rows.findIndex(({ type }) => type === asked),
      }),
    ];
  },
});

/** The runs that the type's objects lived in. */
function came({ before, after }: { readonly before: boolean; readonly after: boolean }): string {
  return before ? (after ? 'both' : 'before') : after ? 'after' : '';
}
